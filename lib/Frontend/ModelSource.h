//===- ModelSource.h - Where a model comes from -----------------*- C++ -*-===//

#ifndef LIB_FRONTEND_MODELSOURCE_H
#define LIB_FRONTEND_MODELSOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <type_traits>

namespace hone::frontend {

/// An ONNX file, or the bytes of one in memory.
struct ModelSource {
  template <typename Path, typename = std::enable_if_t<std::is_convertible_v<const Path &, llvm::StringRef>>>
  ModelSource(const Path &path) : name(llvm::StringRef(path).str()) {}
  /// `bytes` must outlive every use. `name` stands for the file in messages. External data is read from
  /// `folder`; without one a model that has any is refused.
  ModelSource(llvm::ArrayRef<char> bytes, llvm::StringRef name, llvm::StringRef folder)
      : name(name.str()), folder(folder.str()), bytes(bytes) {}

  std::string name;   ///< the path, where there is one
  std::string folder; ///< of external data, for models in memory
  std::optional<llvm::ArrayRef<char>> bytes;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_MODELSOURCE_H
