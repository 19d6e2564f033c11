//===- CreationDetail.h - Parts of the creation family ----------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_CREATIONDETAIL_H
#define LIB_FRONTEND_OPS_CREATIONDETAIL_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// Numbers in [0, 1) of type `element` (f32 or f64) in the shape `shape`, a vector; the same in every run.
mlir::Value randomUniform(NodeBuilder &node, mlir::Value shape, mlir::FloatType element);

/// RandomUniform, RandomNormal, their Like forms, Bernoulli, Multinomial.
void registerRandom(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_CREATIONDETAIL_H
