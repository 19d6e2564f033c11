//===- Graph.h - The graph dialect ------------------------------*- C++ -*-===//

#ifndef DIALECTS_GRAPH_IR_GRAPH_H
#define DIALECTS_GRAPH_IR_GRAPH_H

#include "dialects/Graph/IR/Extent.h"
#include "dialects/Graph/IR/HalfSafety.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone::graph {

/// Whether `actual` may stand where `inferred` was expected: same element types and ranks, static
/// extents equal where both are static. Layouts are free.
bool isRefinement(mlir::TypeRange inferred, mlir::TypeRange actual);

/// Broadcast of several shapes, numpy rules; nullopt when static extents clash.
std::optional<llvm::SmallVector<Extent>> broadcastShapes(ExtentBuilder &extents, llvm::ArrayRef<mlir::Value> values);

/// The dimensions of a tensor from outermost to innermost in memory.
llvm::SmallVector<int64_t> memoryOrder(mlir::RankedTensorType type);
/// Whether the elements of `from` lie in memory as those of `to` do, dimension i of which is dimension `perm[i]` of
/// `from`: at most extents of 1 change their place.
bool keepsMemory(mlir::RankedTensorType from, mlir::RankedTensorType to, llvm::ArrayRef<int64_t> perm);

/// Elements of a constant integer tensor (i64, i32, ...), or nullopt when `value` is not constant.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);

/// Domains of elementwise kinds (Elementwise.def).
enum Domain : unsigned { F = 1, I = 2, B = 4 };
/// The domain an element type belongs to.
Domain domainOf(mlir::Type element);
/// Bits per element as held in memory: sub-byte types take a byte each, i1 too.
unsigned storageBytes(mlir::Type element);

} // namespace hone::graph

#include "dialects/Graph/IR/GraphDialect.h.inc"
#include "dialects/Graph/IR/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/IR/GraphAttrs.h.inc"

#include "dialects/Graph/IR/GraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.h.inc"

namespace hone::graph {

/// Creates an op whose operands come from a user's model: null, with a diagnostic at `loc`, when
/// they do not fit. `arguments` are those of `OpTy::build` behind the result types.
template <typename OpTy, typename... Args>
OpTy createChecked(mlir::OpBuilder &builder, mlir::Location loc, Args &&...arguments) {
  mlir::OperationState state(loc, OpTy::getOperationName());
  constexpr unsigned numResults = OpTy::template hasTrait<mlir::OpTrait::OneResult>() ? 1 : 2;
  if constexpr (numResults == 1)
    OpTy::build(builder, state, mlir::Type(builder.getNoneType()), std::forward<Args>(arguments)...);
  else
    OpTy::build(builder, state, mlir::Type(builder.getNoneType()), mlir::Type(builder.getNoneType()),
                std::forward<Args>(arguments)...);
  state.types.clear();
  if (mlir::failed(OpTy::inferReturnTypes(builder.getContext(), loc, state.operands,
                                          state.attributes.getDictionary(builder.getContext()),
                                          state.getRawProperties(), mlir::RegionRange(state.regions), state.types)))
    return nullptr;
  return mlir::cast<OpTy>(builder.create(state));
}

} // namespace hone::graph

#endif // DIALECTS_GRAPH_IR_GRAPH_H
