//===- ActivationsDetail.h - Shared by the elementwise families -*- C++ -*-===//

#ifndef LIB_FRONTEND_OPS_ACTIVATIONSDETAIL_H
#define LIB_FRONTEND_OPS_ACTIVATIONSDETAIL_H

#include "lib/Frontend/OpRegistry.h"

namespace hone::frontend {
void registerActivations(OpRegistry &registry);
} // namespace hone::frontend

#endif // LIB_FRONTEND_OPS_ACTIVATIONSDETAIL_H
