//===- Plan.h - The plan dialect --------------------------------*- C++ -*-===//

#ifndef DIALECTS_PLAN_IR_PLAN_H
#define DIALECTS_PLAN_IR_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

#include "dialects/Plan/IR/PlanDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/IR/PlanTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/IR/PlanAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Plan/IR/PlanOps.h.inc"

namespace hone::plan {

/// True for the types elements of inputs, outputs and constants can have.
bool isElementType(mlir::Type type);

/// How many bytes one element occupies in a buffer; 0 unless isElementType.
int64_t elementBytes(mlir::Type type);

/// The bytes of a static shape, or nothing where they exceed an int64_t.
std::optional<int64_t> staticBytes(mlir::ShapedType type);

} // namespace hone::plan

#endif // DIALECTS_PLAN_IR_PLAN_H
