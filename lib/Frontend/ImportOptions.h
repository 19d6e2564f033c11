//===- ImportOptions.h - How a model is imported ----------------*- C++ -*-===//

#ifndef LIB_FRONTEND_IMPORTOPTIONS_H
#define LIB_FRONTEND_IMPORTOPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone::frontend {

/// What is known of a dynamic dimension: an extent (min == max) or a range.
struct DimRange {
  std::string name;
  int64_t min = 0;
  int64_t max = 0;
};

struct ImportOptions {
  /// For dynamic dimensions by their name: the model's symbol, or INPUT.POSITION where it has none.
  std::vector<DimRange> dims;
  /// Largest memory the parsed form of the model may take, weights aside.
  uint64_t maxParsedBytes = uint64_t(1) << 30;
};

/// Reads NAME=N or NAME=MIN..MAX (split at the last '='); nullopt, with the reason in `error`, otherwise.
std::optional<DimRange> parseDimRange(llvm::StringRef text, std::string &error);

} // namespace hone::frontend

#endif // LIB_FRONTEND_IMPORTOPTIONS_H
