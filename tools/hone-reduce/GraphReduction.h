//===- GraphReduction.h - How graphs shrink ---------------------*- C++ -*-===//

#ifndef TOOLS_HONEREDUCE_GRAPHREDUCTION_H
#define TOOLS_HONEREDUCE_GRAPHREDUCTION_H

#include "mlir/IR/DialectRegistry.h"

namespace hone {

/// Lets -reduction-tree replace graph ops by simpler values.
void registerGraphReduction(mlir::DialectRegistry &registry);

} // namespace hone

#endif // TOOLS_HONEREDUCE_GRAPHREDUCTION_H
