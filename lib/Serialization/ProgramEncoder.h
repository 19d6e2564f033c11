//===- ProgramEncoder.h - A plan.program as instructions --------*- C++ -*-===//

#ifndef LIB_SERIALIZATION_PROGRAMENCODER_H
#define LIB_SERIALIZATION_PROGRAMENCODER_H

#include "dialects/Plan/IR/Plan.h"
#include "lib/Serialization/ConstantPool.h"
#include "runtime/format/Format.h"

#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace hone::serialization {

/// The builtin type as a type of the format; Invalid if it has none.
format::DType dtypeOf(mlir::Type type);

struct EncodedProgram {
  std::vector<int32_t> code;
  std::vector<int64_t> pool;
  std::vector<std::string> messages;
  uint32_t registers = 0, buffers = 0, growing = 0;
  bool replayable = true;
};

/// What programs share.
struct EncodingContext {
  llvm::DenseMap<mlir::StringAttr, int32_t> kernels;
  ConstantPool constants;
};

/// Integer values become registers, buffers become buffer registers, both
/// numbered as they come; structured control flow becomes jumps.
mlir::FailureOr<EncodedProgram> encodeProgram(plan::ProgramOp program, EncodingContext &context);

} // namespace hone::serialization

#endif // LIB_SERIALIZATION_PROGRAMENCODER_H
