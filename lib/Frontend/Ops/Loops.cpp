//===- Loops.cpp - Loops of the graph, from importers ---------------------===//

#include "lib/Frontend/Ops/Loops.h"

#include "lib/Frontend/Ops/Pieces.h"
#include "onnx/onnx_pb.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

/// Generalizing carried types terminates: every step makes a dimension dynamic.
static constexpr unsigned kMaxLoopAttempts = 64;

/// Trips that become copies of a body that builds a sequence.
static constexpr int64_t kMaxUnrolledTrips = 32;

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

graph::LoopOp frontend::buildLoop(NodeBuilder &node, Value trips, Value condition, ArrayRef<Value> inits, TripFn trip,
                                  ArrayRef<Type> startTypes) {
  SmallVector<Type> types(startTypes);
  if (types.empty())
    llvm::append_range(types, ValueRange(inits).getTypes());
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

//===----------------------------------------------------------------------===//
// Loops that carry sequences
//===----------------------------------------------------------------------===//

namespace {

/// Tensors of a list of items.
std::optional<SmallVector<Value>> toTensors(NodeBuilder &node, ArrayRef<Item> items) {
  SmallVector<Value> tensors;
  for (const Item &item : items) {
    if (isSequence(item)) {
      (void)node.fail("the body gives a sequence where a tensor is needed");
      return std::nullopt;
    }
    tensors.push_back(tensorOf(item));
  }
  return tensors;
}

bool sameSequence(const Item &a, const Item &b) {
  if (a.index() != b.index())
    return false;
  if (const auto *elements = std::get_if<Elements>(&a))
    return *elements == std::get<Elements>(b);
  const Pieces &x = std::get<Pieces>(a), &y = std::get<Pieces>(b);
  return x.whole == y.whole && x.offsets == y.offsets;
}

class ItemLoop {
public:
  ItemLoop(NodeBuilder &node, Value trips, Value condition, ArrayRef<State> states, ItemTripFn trip)
      : node(node), trips(trips), condition(condition), states(states), trip(trip) {
    for (const State &state : states)
      inits.push_back(state.init);
  }

  std::optional<SmallVector<Item>> build();

private:
  LogicalResult probe();
  std::optional<int64_t> knownTrips();
  std::optional<SmallVector<Item>> unroll(int64_t count);
  std::optional<SmallVector<Item>> carry();

  /// How states live: most are carried. Sequences that no trip changes are not, nor are those to which each trip
  /// appends an element of the same shape: these are what the loop stacks.
  enum class Way { Carried, Stays, Stacked };

  NodeBuilder &node;
  Value trips, condition;
  ArrayRef<State> states;
  ItemTripFn trip;
  SmallVector<Item> inits;
  SmallVector<Form> forms;
  SmallVector<Way> ways;
  size_t numStacked = 0;
};

} // namespace

/// What a trip makes of the sequences as they are before the first one tells what they hold: imports a loop that is
/// dropped again, so that the types of all carried tensors are settled.
LogicalResult ItemLoop::probe() {
  SmallVector<Value> tensors;
  for (const Item &init : inits)
    if (!isSequence(init))
      tensors.push_back(tensorOf(init));
  SmallVector<Item> last;
  auto tensorTrip = [&](Value number, ValueRange carried) -> std::optional<SmallVector<Value>> {
    SmallVector<Item> items(inits);
    size_t next = 0;
    for (Item &item : items)
      if (!isSequence(item))
        item = carried[next++];
    auto results = trip(number, items);
    if (!results)
      return std::nullopt;
    last = *results;
    SmallVector<Item> given{last.front()};
    for (size_t i = 1; i < last.size(); ++i)
      if (i > inits.size() || !isSequence(inits[i - 1]))
        given.push_back(last[i]);
    return toTensors(node, given);
  };
  graph::LoopOp loop = buildLoop(node, trips, condition, tensors, tensorTrip);
  if (!loop)
    return failure();
  numStacked = last.size() - 1 - inits.size();
  for (auto [i, init] : llvm::enumerate(inits)) {
    const Item &after = last[i + 1];
    auto form = commonForm(node, init, after, findJoin(node.graph().proto(), states[i].output));
    if (!form)
      return failure();
    forms.push_back(*form);
    if (isSequence(init) && sameSequence(init, after))
      ways.push_back(Way::Stays);
    else
      ways.push_back(states[i].isAppended && form->dropsAxis && form->axis == 0 ? Way::Stacked : Way::Carried);
  }
  loop->erase();
  return success();
}

/// The number of trips, as far as the condition does not end them, where it is small.
std::optional<int64_t> ItemLoop::knownTrips() {
  auto count = node.constantInts(trips), first = node.constantInts(condition);
  bool isFew = count && first && first->front() && count->front() >= 1 && count->front() <= kMaxUnrolledTrips;
  return isFew ? std::optional(count->front()) : std::nullopt;
}

/// One copy of the body a trip; nullopt when it is not known which trip is the last, or after a diagnostic.
std::optional<SmallVector<Item>> ItemLoop::unroll(int64_t count) {
  Region region;
  OpBuilder::InsertPoint after = node.builder().saveInsertionPoint();
  node.builder().createBlock(&region);
  auto leave = llvm::scope_exit([&] { node.builder().restoreInsertionPoint(after); });
  SmallVector<Item> carried(inits);
  SmallVector<SmallVector<Value>> stacked;
  bool runs = true;
  for (int64_t number = 0; number < count && runs; ++number) {
    auto results = trip(node.scalarI64(number), carried);
    if (!results)
      return std::nullopt;
    auto again = node.constantInts(tensorOf(results->front()));
    auto perTrip = ::toTensors(node, ArrayRef<Item>(*results).drop_front(1 + inits.size()));
    if (!again || !perTrip)
      return std::nullopt;
    runs = again->front();
    stacked.resize(perTrip->size());
    for (auto [values, value] : llvm::zip(stacked, *perTrip))
      values.push_back(node.unsqueeze(value, {0}));
    carried.assign(results->begin() + 1, results->begin() + 1 + long(inits.size()));
  }
  for (ArrayRef<Value> values : stacked)
    carried.push_back(node.concat(values, 0));
  if (node.failed())
    return std::nullopt;
  after.getBlock()->getOperations().splice(after.getPoint(), region.front().getOperations());
  return carried;
}

std::optional<SmallVector<Item>> ItemLoop::carry() {
  SmallVector<Value> tensors;
  SmallVector<Type> types;
  for (auto [init, form, way] : llvm::zip(inits, forms, ways)) {
    if (way != Way::Carried)
      continue;
    auto values = frontend::toTensors(node, init, form);
    if (!values)
      return std::nullopt;
    llvm::append_range(tensors, *values);
    llvm::append_range(types,
                       form.kind == Form::Cut ? form.cutTypes() : llvm::to_vector(ValueRange(*values).getTypes()));
  }
  auto asItems = [&](ValueRange values) {
    SmallVector<Item> items;
    for (auto [init, form, way] : llvm::zip(inits, forms, ways)) {
      size_t count = way == Way::Carried ? form.numTensors() : 0;
      // What a trip appends to nothing is what it appends.
      items.push_back(way == Way::Carried   ? fromTensors(form, values.take_front(count))
                      : way == Way::Stacked ? Item(Elements())
                                            : init);
      values = values.drop_front(count);
    }
    return items;
  };
  auto tensorTrip = [&](Value number, ValueRange carried) -> std::optional<SmallVector<Value>> {
    auto results = trip(number, asItems(carried));
    if (!results)
      return std::nullopt;
    SmallVector<Value> values, appended;
    for (auto [i, item] : llvm::enumerate(*results)) {
      bool isState = i >= 1 && i <= inits.size();
      Way way = isState ? ways[i - 1] : Way::Carried;
      if (way == Way::Stays)
        continue;
      Form form = way == Way::Stacked ? Form{Form::List, 1, 0, false, {}} : isState ? forms[i - 1] : Form();
      auto tensors = frontend::toTensors(node, item, form);
      if (!tensors)
        return std::nullopt;
      llvm::append_range(way == Way::Stacked ? appended : values, *tensors);
    }
    llvm::append_range(values, appended);
    return values;
  };
  graph::LoopOp loop = buildLoop(node, trips, condition, tensors, tensorTrip, types);
  if (!loop)
    return std::nullopt;
  SmallVector<Item> results = asItems(loop.getResults());
  ValueRange stacked = loop.getResults().drop_front(tensors.size());
  llvm::append_range(results, stacked.take_front(numStacked));
  stacked = stacked.drop_front(numStacked);
  for (auto [i, way] : llvm::enumerate(ways)) {
    if (way != Way::Stacked)
      continue;
    const auto *before = std::get_if<Elements>(&inits[i]);
    SmallVector<Value> parts{stacked.front()};
    if (!before || !before->empty()) {
      auto whole = frontend::toTensors(node, inits[i], forms[i]);
      if (!whole)
        return std::nullopt;
      parts.insert(parts.begin(), whole->front());
    }
    results[i] = fromTensors(forms[i], node.concat(parts, 0));
    stacked = stacked.drop_front();
  }
  return node.failed() ? std::nullopt : std::optional(results);
}

std::optional<SmallVector<Item>> ItemLoop::build() {
  if (llvm::none_of(inits, isSequence)) {
    auto tensors = ::toTensors(node, inits);
    auto tensorTrip = [&](Value number, ValueRange carried) -> std::optional<SmallVector<Value>> {
      auto results = trip(number, llvm::to_vector_of<Item>(carried));
      return results ? ::toTensors(node, *results) : std::nullopt;
    };
    graph::LoopOp loop = buildLoop(node, trips, condition, *tensors, tensorTrip);
    return loop ? std::optional(llvm::to_vector_of<Item>(loop.getResults())) : std::nullopt;
  }
  if (auto count = knownTrips())
    if (auto results = unroll(*count); results || node.failed())
      return results;
  if (failed(probe()))
    return std::nullopt;
  return carry();
}

std::optional<SmallVector<Item>> frontend::buildItemLoop(NodeBuilder &node, Value trips, Value condition,
                                                         ArrayRef<State> states, ItemTripFn trip) {
  return ItemLoop(node, trips, condition, states, trip).build();
}
