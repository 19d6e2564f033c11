//===- Recurrent.cpp - RNN, GRU and LSTM as loops -------------------------===//
//
// The products of all inputs with the weights are one contraction before the loop; a trip adds the
// product of the hidden state and applies the cell. Sequences that are over keep their state.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/Ops/RecurrentActivations.h"
#include "lib/Frontend/Ops/ShapeMath.h"

#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

/// Operands of one direction, computed in f32 or wider.
struct Direction {
  Value weights;            ///< [gates * H, I]
  Value recurrence;         ///< [gates * H, H]
  Value inputBias;          ///< [gates * H], may be null
  Value recurrentBias;      ///< [gates * H], may be null
  Value peepholes;          ///< [3 * H], LSTM only, may be null
  SmallVector<Value> state; ///< [B, H] each: hidden, then (LSTM) cell
  SmallVector<CellActivation> activations;
  bool backward;
};

/// What every kind of cell provides.
struct Cell {
  int64_t gates, numStates, numActivations;
  ArrayRef<StringRef> defaults;
  /// Next states from `input` ([B, gates * H], input biases added) and the current ones.
  SmallVector<Value> (*step)(NodeBuilder &, const Direction &, Value input, ArrayRef<Value> state, int64_t hidden);
};

/// The whole node, batch in the second dimension.
struct Recurrence {
  Value x;       ///< [T, B, I]
  Value lengths; ///< [B] i64, may be null
  int64_t hidden;
  SmallVector<Direction> directions;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// `vectors` ([B, K]) times the transpose of `matrix` ([M, K]).
static Value timesTransposed(NodeBuilder &node, Value vectors, Value matrix) {
  return node.make<graph::ContractOp>(vectors, matrix, SmallVector<int64_t>{0, 2}, SmallVector<int64_t>{1, 2},
                                      SmallVector<int64_t>{0, 1}, node.elementOf(vectors));
}

/// Gates [first, last) of a tensor whose dimension `dim` holds gates of `hidden` elements.
static Value gates(NodeBuilder &node, Value all, int64_t first, int64_t last, int64_t hidden, int64_t dim) {
  return all ? node.slice(all, first * hidden, last * hidden, dim) : Value();
}

static Value plus(NodeBuilder &node, Value a, Value b) { return b ? node.add(a, b) : a; }

static SmallVector<Value> stepRnn(NodeBuilder &node, const Direction &d, Value input, ArrayRef<Value> state, int64_t) {
  Value sum = node.add(input, plus(node, timesTransposed(node, state[0], d.recurrence), d.recurrentBias));
  return {d.activations[0].apply(node, sum)};
}

static SmallVector<Value> stepLstm(NodeBuilder &node, const Direction &d, Value input, ArrayRef<Value> state,
                                   int64_t hidden) {
  Value h = state[0], c = state[1];
  Value sum = node.add(input, plus(node, timesTransposed(node, h, d.recurrence), d.recurrentBias));
  auto gate = [&](int64_t i) { return gates(node, sum, i, i + 1, hidden, 1); };
  auto peephole = [&](Value gate, int64_t i, Value cell) {
    return d.peepholes ? node.add(gate, node.mul(gates(node, d.peepholes, i, i + 1, hidden, 0), cell)) : gate;
  };
  const CellActivation &f = d.activations[0], &g = d.activations[1], &last = d.activations[2];
  Value in = f.apply(node, peephole(gate(0), 0, c));
  Value forget = node.getInt("input_forget", 0) != 0 ? node.sub(node.scalarLike(1, in), in)
                                                     : f.apply(node, peephole(gate(2), 2, c));
  Value next = node.add(node.mul(forget, c), node.mul(in, g.apply(node, gate(3))));
  Value out = f.apply(node, peephole(gate(1), 1, next));
  // Runtimes clip what goes into gates, not the cell state.
  return {node.mul(out, last.function(node, next, last.alpha, last.beta)), next};
}

static SmallVector<Value> stepGru(NodeBuilder &node, const Direction &d, Value input, ArrayRef<Value> state,
                                  int64_t hidden) {
  Value h = state[0];
  const CellActivation &f = d.activations[0], &g = d.activations[1];
  auto product = [&](Value vectors, int64_t first, int64_t last) {
    Value y = timesTransposed(node, vectors, gates(node, d.recurrence, first, last, hidden, 0));
    return plus(node, y, gates(node, d.recurrentBias, first, last, hidden, 0));
  };
  Value both = f.apply(node, node.add(gates(node, input, 0, 2, hidden, 1), product(h, 0, 2)));
  Value update = gates(node, both, 0, 1, hidden, 1), reset = gates(node, both, 1, 2, hidden, 1);
  bool linearFirst = node.getInt("linear_before_reset", 0) != 0;
  Value recurrent = linearFirst ? node.mul(reset, product(h, 2, 3)) : product(node.mul(reset, h), 2, 3);
  Value candidate = g.apply(node, node.add(gates(node, input, 2, 3, hidden, 1), recurrent));
  Value keep = node.mul(update, h), change = node.mul(node.sub(node.scalarLike(1, update), update), candidate);
  return {node.add(change, keep)};
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The body of the loop over steps: next states, and the hidden state as per-trip value. `shape` is that of all states.
static bool buildBody(NodeBuilder &node, const Recurrence &r, const Direction &d, const Cell &cell, Value projected,
                      Value shape, Value go, Block *body) {
  Value trip = body->getArgument(0);
  // Open extents of carried values are those of the input: said here, arithmetic on them needs no look into the loop.
  auto shaped = [&](Value v) { return v && node.typeOf(v).hasStaticShape() ? v : node.reshape(v, shape); };
  SmallVector<Value> state = llvm::map_to_vector(body->getArguments().drop_front(), [&](Value v) { return shaped(v); });
  Value t = trip;
  if (d.backward)
    t = node.sub(node.sub(node.scalarOf(node.dim(r.x, 0)), node.scalarI64(1)), trip);
  SmallVector<Value> next = cell.step(node, d, node.gather(projected, t, 0), state, r.hidden);
  Value output = next[0];
  if (r.lengths) {
    Value running = node.unsqueeze(node.compare(graph::Predicate::Lt, t, r.lengths), {1});
    for (auto [now, before] : llvm::zip(next, state))
      now = node.select(running, now, before);
    output = node.select(running, output, node.scalarLike(0, output));
  }
  SmallVector<Value> yields = {go};
  for (Value value : next)
    yields.push_back(shaped(value));
  yields.push_back(shaped(output));
  if (llvm::any_of(yields, [](Value v) { return !v; }))
    return false;
  graph::YieldOp::create(node.builder(), node.loc(), yields);
  return true;
}

/// Runs one direction: all hidden states [T, B, H], then the last states.
static SmallVector<Value> runDirection(NodeBuilder &node, const Recurrence &r, const Direction &d, const Cell &cell) {
  OpBuilder &builder = node.builder();
  // [T, B, I] x [gates * H, I] -> [T, B, gates * H]
  Value projected =
      node.make<graph::ContractOp>(r.x, d.weights, SmallVector<int64_t>{0, 1, 3}, SmallVector<int64_t>{2, 3},
                                   SmallVector<int64_t>{0, 1, 2}, node.elementOf(r.x));
  projected = plus(node, projected, d.inputBias);
  ShapeMath math(node);
  Value trips = node.scalarOf(node.dim(r.x, 0)), shape = math.concat({math.dim(r.x, 1), math.number(r.hidden)});
  auto boolType = RankedTensorType::get({}, builder.getI1Type());
  Value go = node.constant(DenseElementsAttr::get(boolType, true));
  if (!projected || !trips || llvm::any_of(d.state, [](Value v) { return !v; }))
    return {};
  SmallVector<Type> types(ValueRange(d.state).getTypes());
  auto stateType = cast<RankedTensorType>(types[0]);
  SmallVector<int64_t> stacked = {node.shapeOf(r.x)[0]};
  llvm::append_range(stacked, stateType.getShape());
  types.push_back(RankedTensorType::get(stacked, stateType.getElementType()));
  auto loop = graph::LoopOp::create(builder, node.loc(), types, trips, go, d.state);
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> arguments = {trips.getType()};
    arguments.append(types.begin(), types.end() - 1);
    Block *body =
        builder.createBlock(&loop.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), node.loc()));
    if (!buildBody(node, r, d, cell, projected, shape, go, body))
      return {};
  }
  Value all = loop.getResults().back();
  if (d.backward)
    all = node.slice(all, {-1}, {std::numeric_limits<int64_t>::min()}, {-1}, {0});
  SmallVector<Value> results = {all};
  llvm::append_range(results, loop.getResults().drop_back());
  return results;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Entry `i` of the first dimension of an input, or null when it is absent.
static Value entry(NodeBuilder &node, Value input, int64_t i) {
  return input ? node.squeeze(node.slice(node.widen(input), i, i + 1, 0), {0}) : Value();
}

/// The initial state `input` ([D, B, H], or [B, D, H] with `batchFirst`) of one direction; zeros when absent.
static Value initialState(NodeBuilder &node, const Recurrence &r, Value input, int64_t direction, bool batchFirst) {
  ShapeMath math(node);
  Value shape = math.concat({math.dim(r.x, 1), math.number(r.hidden)});
  if (!input)
    return node.broadcastTo(node.scalarLike(0, r.x), shape);
  // The reshape states the extents that the loop carries.
  return node.reshape(entry(node, batchFirst ? node.transpose(input, {1, 0, 2}) : input, direction), shape);
}

/// Fills hidden size, layout and directions; fails with a diagnostic.
static LogicalResult readRecurrence(NodeBuilder &node, const Cell &cell, Recurrence &r) {
  Value x = node.required(0), w = node.required(1), recurrence = node.required(2);
  if (node.failed())
    return failure();
  if (node.rankOf(x) != 3 || node.rankOf(w) != 3 || node.rankOf(recurrence) != 3)
    return node.fail("inputs X, W and R must have rank 3");
  r.hidden = node.getInt("hidden_size", node.shapeOf(recurrence)[2]);
  ArrayRef<int64_t> shape = node.shapeOf(recurrence);
  if (r.hidden < 1)
    return node.fail("the hidden size must be known at import");
  if (r.hidden > (int64_t(1) << 32))
    return node.fail("the hidden size " + Twine(r.hidden) + " is out of range");
  if ((!ShapedType::isDynamic(shape[2]) && shape[2] != r.hidden) ||
      (!ShapedType::isDynamic(shape[1]) && shape[1] != cell.gates * r.hidden))
    return node.fail("input R does not fit a hidden size of " + Twine(r.hidden));
  bool batchFirst = node.getInt("layout", 0) != 0;
  r.x = node.widen(batchFirst ? node.transpose(x, {1, 0, 2}) : x);
  r.lengths = node.hasInput(4) ? ShapeMath(node).integers(node.input(4)) : Value();

  std::string direction = node.getString("direction", "forward");
  bool both = direction == "bidirectional";
  if (!both && direction != "forward" && direction != "reverse")
    return node.fail("attribute 'direction' is '" + direction + "', not forward, reverse or bidirectional");
  int64_t count = both ? 2 : 1;
  if (!ShapedType::isDynamic(shape[0]) && shape[0] != count)
    return node.fail("weights for " + Twine(shape[0]) + " directions are given, " + Twine(count) + " are needed");
  auto activations = readActivations(node, cell.defaults, count);
  if (!activations)
    return failure();
  for (int64_t i = 0; i < count; ++i) {
    Direction d;
    d.weights = entry(node, w, i);
    d.recurrence = entry(node, recurrence, i);
    Value bias = node.hasInput(3) ? entry(node, node.input(3), i) : Value();
    d.inputBias = gates(node, bias, 0, cell.gates, r.hidden, 0);
    d.recurrentBias = gates(node, bias, cell.gates, 2 * cell.gates, r.hidden, 0);
    d.peepholes = cell.numStates == 2 && node.hasInput(7) ? entry(node, node.input(7), i) : Value();
    for (int64_t s = 0; s < cell.numStates; ++s)
      d.state.push_back(initialState(node, r, node.hasInput(5 + s) ? node.input(5 + s) : Value(), i, batchFirst));
    d.activations.assign(activations->begin() + i * cell.numActivations,
                         activations->begin() + (i + 1) * cell.numActivations);
    d.backward = both ? i == 1 : direction == "reverse";
    r.directions.push_back(std::move(d));
  }
  return success(!node.failed());
}

static LogicalResult importRecurrent(NodeBuilder &node, const Cell &cell) {
  Recurrence r;
  if (mlir::failed(readRecurrence(node, cell, r)))
    return failure();
  // Per output (all hidden states, then last states), one value for each direction.
  SmallVector<SmallVector<Value>> outputs(1 + cell.numStates);
  for (const Direction &d : r.directions) {
    SmallVector<Value> results = runDirection(node, r, d, cell);
    if (results.empty())
      return failure();
    for (auto [i, result] : llvm::enumerate(results))
      outputs[i].push_back(node.unsqueeze(result, {i == 0 ? 1 : 0}));
  }
  bool batchFirst = node.getInt("layout", 0) != 0;
  Type element = node.elementOf(node.input(0));
  for (auto [i, parts] : llvm::enumerate(outputs)) {
    if (!node.wantsOutput(i))
      continue;
    Value joined = parts.size() == 1 ? parts[0] : node.concat(parts, i == 0 ? 1 : 0);
    if (batchFirst)
      joined = i == 0 ? node.transpose(joined, {2, 0, 1, 3}) : node.transpose(joined, {1, 0, 2});
    node.setOutput(i, node.cast(joined, element));
  }
  return success(!node.failed());
}

static LogicalResult importRnn(NodeBuilder &node) {
  static constexpr StringRef defaults[] = {"Tanh"};
  return importRecurrent(node, {1, 1, 1, defaults, stepRnn});
}
static LogicalResult importGru(NodeBuilder &node) {
  static constexpr StringRef defaults[] = {"Sigmoid", "Tanh"};
  return importRecurrent(node, {3, 1, 2, defaults, stepGru});
}
static LogicalResult importLstm(NodeBuilder &node) {
  static constexpr StringRef defaults[] = {"Sigmoid", "Tanh", "Tanh"};
  return importRecurrent(node, {4, 2, 3, defaults, stepLstm});
}

void frontend::registerRecurrent(OpRegistry &registry) {
  registry.add("", "RNN", importRnn);
  registry.add("", "GRU", importGru);
  registry.add("", "LSTM", importLstm);
}
