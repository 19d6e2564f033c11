//===- SizeChecks.cpp - What must hold of sizes when the network runs -----===//
//
// Types say what is known of extents at compile time. Where shape inference needs more than that, the plan checks it
// before the op runs, and the message names the op's node.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToPlan/PlanBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::graph_to_plan;

/// Checks once what a block around has not checked.
LogicalResult PlanBuilder::require(const ShapeRequirement &requirement, Location loc) {
  Block *&known = checked[requirement.holds];
  if (known && known->getParent()->isAncestor(builder.getInsertionBlock()->getParent()))
    return success();
  known = builder.getInsertionBlock();
  Value value = index(requirement.holds, loc);
  if (!value)
    return failure();
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, constantIndex(0, loc));
  plan::CheckOp::create(builder, loc, holds, requirement.message);
  return success();
}

LogicalResult PlanBuilder::checkSizes(Operation *op) {
  SmallVector<Operation *> all = {op};
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    all.clear();
    kernel.getBody().walk([&](Operation *inner) { all.push_back(inner); });
  }
  for (Operation *each : all) {
    SmallVector<ShapeRequirement> requirements;
    if (failed(extents.requirements(each, requirements)))
      return failure();
    for (const ShapeRequirement &requirement : requirements)
      if (failed(require(requirement, each->getLoc())))
        return failure();
  }
  return success();
}
