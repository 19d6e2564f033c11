//===- ContribDetail.h - Parts of Microsoft's operators ---------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_CONTRIBDETAIL_H
#define LIB_FRONTEND_OPS_CONTRIBDETAIL_H

#include "lib/Frontend/NodeBuilder.h"

namespace hone::frontend {

/// The domain of the operators that ONNX Runtime adds to ONNX's.
inline constexpr llvm::StringLiteral kContribDomain = "com.microsoft";

void registerContribAttention(OpRegistry &registry);
void registerContribQuantized(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_CONTRIBDETAIL_H
