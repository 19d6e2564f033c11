//===- ResizeDetail.h - Parts of the resize family --------------*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_RESIZEDETAIL_H
#define LIB_FRONTEND_OPS_RESIZEDETAIL_H

namespace hone::frontend {

class OpRegistry;

/// GridSample, AffineGrid, RoiAlign, MaxRoiPool.
void registerSampling(OpRegistry &registry);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_RESIZEDETAIL_H
