//===- ScalarLowering.h - Elements of graph tensors, one at a time *- C++ -*-===//
//
// Arithmetic on single elements in their storage types, in arith and math. Everything here also
// takes vectors: one function serves linalg bodies and hand-made vector kernels. `element` is
// always the graph's element type, which knows the sign that the storage has lost.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_CONVERSION_GRAPHTOLINALG_SCALARLOWERING_H
#define PASSES_CONVERSION_GRAPHTOLINALG_SCALARLOWERING_H

#include "dialects/Graph/IR/Graph.h"

namespace hone::graph_to_linalg {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// How an element lies in memory: ui8 -> i8; i4, f8, f4 -> i8.
mlir::Type storageType(mlir::Type element);
/// What arithmetic on an element is done in: f16, bf16, f8, f4 -> f32; integers as stored.
mlir::Type computeType(mlir::Type element);
/// Whether elements are integers below zero never: uiN and bool.
bool isUnsigned(mlir::Type element);

//===----------------------------------------------------------------------===//
// Constants. `like` gives the shape: a scalar or a vector, as value type.
//===----------------------------------------------------------------------===//

/// `element` itself, or the vector of it with the shape of `like`.
mlir::Type shapedLike(mlir::Type element, mlir::Type like);
mlir::Value floatConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);
mlir::Value intConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, int64_t value);
/// 0 or 1 of a float or integer type.
mlir::Value numberConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, int64_t value);
/// The smallest (-inf) or largest (+inf) number of `element`, as scalar of its compute type.
mlir::Value lowestConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element);
mlir::Value highestConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element);

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Storage -> compute type, exactly.
mlir::Value loadElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored, mlir::Type element);
/// Compute type -> storage: floats round to nearest even, i4 and i2 wrap.
mlir::Value storeElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, mlir::Type element,
                         bool saturate = true, graph::Rounding rounding = graph::Rounding::Nearest);
/// graph.cast on one element, storage to storage.
mlir::Value castElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored, mlir::Type from,
                        mlir::Type to, bool saturate = true, graph::Rounding rounding = graph::Rounding::Nearest);
/// Storage of `from` -> a float or signless integer of at least its range: what contractions multiply.
mlir::Value extendElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored, mlir::Type from,
                          mlir::Type number);
/// Float -> integer, truncating; values out of range give some integer, never undefined behaviour.
mlir::Value floatToInt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, mlir::Type integer,
                       bool isUnsigned);

/// Bit patterns of the small float formats in i8 <-> f32.
mlir::Value decodeFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits, mlir::Type element);
mlir::Value encodeFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, mlir::Type element,
                         bool saturate, graph::Rounding rounding);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Functions of numbers in the compute type of `element`.
mlir::FailureOr<mlir::Value> unaryFunction(mlir::OpBuilder &builder, mlir::Location loc, graph::UnaryKind kind,
                                           mlir::Value x, mlir::Type element);
mlir::FailureOr<mlir::Value> binaryFunction(mlir::OpBuilder &builder, mlir::Location loc, graph::BinaryKind kind,
                                            mlir::Value a, mlir::Value b, mlir::Type element);
mlir::Value compareFunction(mlir::OpBuilder &builder, mlir::Location loc, graph::Predicate predicate, mlir::Value a,
                            mlir::Value b, mlir::Type element);

/// The body of an op with ElementwiseOpInterface: `operands` and the result are in storage types,
/// scalars or vectors of one shape. Quantization ops take the scale and zero point of the element
/// as further operands, in the order of the op.
mlir::FailureOr<mlir::Value> lowerElementwise(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

} // namespace hone::graph_to_linalg

#endif // PASSES_CONVERSION_GRAPHTOLINALG_SCALARLOWERING_H
