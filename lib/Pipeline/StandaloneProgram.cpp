//===- StandaloneProgram.cpp - Programs without a runtime -----------------===//

#include "lib/Pipeline/StandaloneProgram.h"

#include "lib/Serialization/ConstantPool.h"

using namespace mlir;
using namespace hone;

FailureOr<StandaloneCode> hone::emitStandalone(ModuleOp planned, ModuleOp kernels, const TargetBackend &backend,
                                               const TargetInfo &info, StringRef prefix) {
  StandaloneRequest request;
  request.program = *planned.getOps<plan::ProgramOp>().begin();
  request.kernels = kernels;
  request.prefix = prefix.str();
  if (auto model = planned->getAttrOfType<StringAttr>("graph.model"))
    request.model = model.str();
  serialization::ConstantPool constants;
  WalkResult added = request.program.walk([&](plan::ConstantOp op) {
    FailureOr<uint32_t> index = constants.add(op.getValue(), [&] { return op.emitOpError(); });
    if (failed(index))
      return WalkResult::interrupt();
    request.constantOffsets[op] = constants.entries()[*index].offset;
    return WalkResult::advance();
  });
  if (added.wasInterrupted())
    return failure();
  request.constantBytes = constants.segmentSize();
  request.writeConstants = [&](raw_ostream &os) { constants.write(os); };
  return backend.emitStandalone(request, info);
}
