//===- PlanOps.td - All operations of the plan dialect -----*- tablegen -*-===//

#ifndef DIALECTS_PLAN_IR_PLANOPS
#define DIALECTS_PLAN_IR_PLANOPS

include "dialects/Plan/IR/PlanActionOps.td"
include "dialects/Plan/IR/PlanBufferOps.td"
include "dialects/Plan/IR/PlanControlOps.td"
include "dialects/Plan/IR/PlanModuleOps.td"

#endif // DIALECTS_PLAN_IR_PLANOPS
