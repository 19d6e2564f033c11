//===- SizeChecks.cpp - What must hold of sizes when the network runs -----===//
//
// Types say what is known of extents at compile time. Where an op needs more than that, the plan checks it, and the
// message names the op's node.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToPlan/PlanBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::graph_to_plan;

LogicalResult PlanBuilder::require(Extent condition, Location loc, const Twine &message) {
  if (auto known = constantExtent(condition); known && *known)
    return success();
  Value value = index(condition, loc);
  if (!value)
    return failure();
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, constantIndex(0, loc));
  plan::CheckOp::create(builder, loc, holds, message.str());
  return success();
}

namespace {

/// An extent that must not be 0, and what to say when it is.
struct SizeCheck {
  Extent condition;
  std::string message;
};

/// A reshape keeps the number of elements.
void addChecks(ReshapeOp op, ExtentBuilder &extents, SmallVectorImpl<SizeCheck> &checks) {
  Extent before = extents.product(extents.dims(op.getInput()));
  Extent after = extents.product(extents.dims(op.getResult()));
  if (before != after)
    checks.push_back({extents.eq(before, after), "the new shape has another number of elements"});
}

/// A window over dimension `dim` of `input` finds room, or nothing at all is there.
void addWindowCheck(Value input, int64_t dim, int64_t needed, ExtentBuilder &extents,
                    SmallVectorImpl<SizeCheck> &checks) {
  Extent present = extents.dim(input, dim);
  if (needed <= 1 || extents.atLeast(present, needed) || constantExtent(present))
    return;
  Extent one = extents.constant(1);
  Extent fits = extents.sub(one, extents.lt(present, extents.constant(needed)));
  checks.push_back({extents.max(fits, extents.eq(present, extents.constant(0))),
                    "dimension " + std::to_string(dim) + " of the input is too small for the window, which needs " +
                        std::to_string(needed) + " elements"});
}

template <typename OpTy>
void addWindowChecks(OpTy op, ArrayRef<int64_t> window, ExtentBuilder &extents, SmallVectorImpl<SizeCheck> &checks) {
  int64_t spatial = window.size();
  for (int64_t i = 0; i < spatial; ++i)
    if (!ShapedType::isDynamic(window[i]))
      addWindowCheck(op.getInput(), i + 2,
                     (window[i] - 1) * op.getDilations()[i] + 1 - op.getPads()[i] - op.getPads()[spatial + i], extents,
                     checks);
}

} // namespace

LogicalResult PlanBuilder::checkSizes(Operation *op) {
  SmallVector<std::pair<Operation *, SmallVector<SizeCheck>>> all;
  auto collect = [&](Operation *each) {
    SmallVector<SizeCheck> checks;
    llvm::TypeSwitch<Operation *>(each)
        .Case([&](ReshapeOp reshape) { addChecks(reshape, extents, checks); })
        .Case([&](ConvOp conv) { addWindowChecks(conv, conv.getWindowExtents(), extents, checks); })
        .Case<PoolOp, MaxPoolIndicesOp>([&](auto pool) { addWindowChecks(pool, pool.getWindow(), extents, checks); });
    if (!checks.empty())
      all.emplace_back(each, std::move(checks));
  };
  if (auto kernel = dyn_cast<KernelOp>(op))
    kernel.getBody().walk(collect);
  else
    collect(op);
  for (auto &[each, checks] : all)
    for (const SizeCheck &check : checks)
      if (failed(require(check.condition, each->getLoc(), check.message)))
        return failure();
  return success();
}
