//===- Linker.h - lld on temporary files ------------------------*- C++ -*-===//

#ifndef BACKENDS_CPU_EMIT_LINKER_H
#define BACKENDS_CPU_EMIT_LINKER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace hone::cpu {

/// A temporary file that goes away with its object. What fails is reported at the location.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  mlir::LogicalResult create(llvm::StringRef suffix, mlir::Location loc);
  /// Creates the file and fills it.
  mlir::LogicalResult write(llvm::StringRef suffix, llvm::function_ref<void(llvm::raw_ostream &)> write,
                            mlir::Location loc);
  mlir::FailureOr<std::vector<char>> read(mlir::Location loc) const;
  const char *name() { return path.c_str(); }

private:
  mlir::LogicalResult open(llvm::StringRef suffix, int &descriptor, mlir::Location loc);

  llvm::SmallString<128> path;
};

/// Runs the linker; what it says is the error.
mlir::LogicalResult runLinker(llvm::ArrayRef<const char *> arguments, mlir::Location loc);

} // namespace hone::cpu

#endif // BACKENDS_CPU_EMIT_LINKER_H
