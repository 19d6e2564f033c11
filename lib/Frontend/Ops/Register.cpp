//===- Register.cpp - All families of importers ---------------------------===//

#include "lib/Frontend/OpRegistry.h"

namespace hone::frontend {

void registerAll(OpRegistry &registry) {
  registerConstant(registry);
  registerContrib(registry);
  registerControlFlow(registry);
  registerConvolution(registry);
  registerCreation(registry);
  registerElementwise(registry);
  registerLinearAlgebra(registry);
  registerMatmul(registry);
  registerMovement(registry);
  registerNormalization(registry);
  registerPooling(registry);
  registerQuantization(registry);
  registerRecurrent(registry);
  registerReduction(registry);
  registerResize(registry);
  registerSelection(registry);
  registerSequence(registry);
  registerSignal(registry);
  registerText(registry);
}

} // namespace hone::frontend
