//===- Loops.cpp - Loops of the graph, from importers ---------------------===//

#include "lib/Frontend/Ops/Loops.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

/// Generalizing carried types terminates: every step makes a dimension dynamic.
static constexpr unsigned kMaxLoopAttempts = 64;

RankedTensorType frontend::joinTypes(RankedTensorType a, RankedTensorType b) {
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape;
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
    shape.push_back(x == y ? x : ShapedType::kDynamic);
  return RankedTensorType::get(shape, a.getElementType());
}

std::string frontend::describe(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

/// Imports `trip` as a region over carried values of `types`.
static std::optional<SmallVector<Value>> importTrip(NodeBuilder &node, Region &region, ArrayRef<Type> types,
                                                    TripFn trip) {
  OpBuilder::InsertionGuard guard(node.builder());
  SmallVector<Type> arguments{RankedTensorType::get({}, node.builder().getI64Type())};
  llvm::append_range(arguments, types);
  SmallVector<Location> locations(arguments.size(), node.loc());
  Block *block = node.builder().createBlock(&region, {}, arguments, locations);
  return trip(block->getArgument(0), ValueRange(block->getArguments()).drop_front());
}

graph::LoopOp frontend::buildLoop(NodeBuilder &node, Value trips, Value condition, ArrayRef<Value> inits, TripFn trip) {
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  Region region;
  std::optional<SmallVector<Value>> values;
  for (unsigned attempt = 0;; ++attempt) {
    values = importTrip(node, region, types, trip);
    if (!values)
      return nullptr;
    bool changed = false;
    for (size_t i = 0; i < types.size(); ++i) {
      auto before = cast<RankedTensorType>(types[i]), after = node.typeOf((*values)[i + 1]);
      RankedTensorType joined = joinTypes(before, after);
      if (!joined)
        return (void)node.fail("carried value #" + Twine(i) + " changes its kind: " + describe(before) + " to " +
                               describe(after)),
               nullptr;
      changed |= joined != before;
      types[i] = joined;
    }
    if (!changed)
      break;
    if (attempt == kMaxLoopAttempts)
      return (void)node.fail("the shapes of the carried values do not settle"), nullptr;
    region.getBlocks().clear();
  }

  // Every trip runs when nothing can stop the loop early.
  auto count = node.constantInts(trips), first = node.constantInts(condition), again = node.constantInts((*values)[0]);
  bool runsAll = count && first && first->front() && again && again->front();
  for (Value stacked : ArrayRef<Value>(*values).drop_front(types.size() + 1)) {
    SmallVector<int64_t> shape{runsAll ? std::max<int64_t>(count->front(), 0) : ShapedType::kDynamic};
    llvm::append_range(shape, node.shapeOf(stacked));
    types.push_back(RankedTensorType::get(shape, node.elementOf(stacked)));
  }
  {
    OpBuilder::InsertionGuard guard(node.builder());
    node.builder().setInsertionPointToEnd(&region.front());
    graph::YieldOp::create(node.builder(), node.loc(), *values);
  }
  auto loop = graph::LoopOp::create(node.builder(), node.loc(), types, trips, condition, inits);
  loop.getBody().takeBody(region);
  return loop;
}
