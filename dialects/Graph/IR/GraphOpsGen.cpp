//===- GraphOpsGen.cpp - Generated op definitions -------------------------===//
//
// Alone in its file so that editing a verifier does not rebuild it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Graph/IR/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.cpp.inc"
