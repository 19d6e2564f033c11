//===- MovementDetail.h - Parts of the movement family ----------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_MOVEMENTDETAIL_H
#define LIB_FRONTEND_OPS_MOVEMENTDETAIL_H

namespace hone::frontend {

class OpRegistry;

/// Slice, Split, Pad and what is made of them.
void registerSlicing(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_MOVEMENTDETAIL_H
