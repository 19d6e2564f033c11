//===- Files.h - Reading and writing files safely ---------------*- C++ -*-===//

#ifndef LIB_SUPPORT_FILES_H
#define LIB_SUPPORT_FILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace hone {

/// Writes `path` through a temporary file in the same folder that is renamed when `write` succeeds:
/// never half a file. On failure `error` says what went wrong and nothing is left behind. Links are followed;
/// what is no file, as a device or a pipe, is written to as it is, and "-" is standard output.
mlir::LogicalResult writeFile(llvm::StringRef path, llvm::function_ref<mlir::LogicalResult(llvm::raw_ostream &)> write,
                              std::string &error);

} // namespace hone

#endif // LIB_SUPPORT_FILES_H
