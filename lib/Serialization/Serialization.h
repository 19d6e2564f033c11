//===- Serialization.h - Planned module to bytes of a .hone file -*- C++ -*-===//

#ifndef LIB_SERIALIZATION_SERIALIZATION_H
#define LIB_SERIALIZATION_SERIALIZATION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace hone {

struct SerializationOptions {
  std::string producer = "hone"; ///< who wrote the file
  std::string model;             ///< by default the module's symbol name
};

/// Writes the executables, kernels and programs of `planned`, whose memory has
/// been planned, as one .hone file. Equal modules and options give equal bytes.
/// Constants are streamed: at no time does a second copy of them exist. Errors
/// are diagnostics, all of them emitted before the first byte is written; what
/// goes wrong with the stream itself is the caller's to check.
mlir::LogicalResult serializeModule(mlir::ModuleOp planned, llvm::raw_ostream &os,
                                    const SerializationOptions &options = {});

} // namespace hone

#endif // LIB_SERIALIZATION_SERIALIZATION_H
