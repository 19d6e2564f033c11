//===- NodeBuilder.h - One ONNX node on its way into the graph --*- C++ -*-===//
//
// What an importer of an operator sees: inputs as values, attributes, outputs to define, and helpers
// that build graph ops. A null Value means "failed, already reported" and flows through all helpers,
// so importers need no checks between steps.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_NODEBUILDER_H
#define LIB_FRONTEND_NODEBUILDER_H

#include "dialects/Graph/IR/Graph.h"
#include "lib/Frontend/OpRegistry.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>
#include <type_traits>

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
} // namespace onnx

namespace hone::frontend {

class GraphImporter;

/// An optional operand for `make`: null means absent, not failed.
struct Optional {
  Optional() = default;
  Optional(mlir::Value value) : value(value) {}
  mlir::Value value;
  operator mlir::Value() const { return value; }
};

/// One element of a shape: a number, or a 1-element i64 vector.
struct Piece {
  Piece(int64_t number) : number(number) {}
  Piece(mlir::Value value) : value(value), isNumber(false) {}
  int64_t number = 0;
  mlir::Value value;
  bool isNumber = true;
};

class NodeBuilder {
public:
  NodeBuilder(GraphImporter &importer, const onnx::NodeProto &node, mlir::Location location);

  mlir::OpBuilder &builder();
  mlir::MLIRContext *context();
  mlir::Location loc() { return location; }
  llvm::StringRef opType();
  llvm::StringRef domain();
  const onnx::NodeProto &proto() { return node; }
  GraphImporter &graph() { return importer; }

  // Inputs and outputs. An input is null when it is absent or its name is empty.
  unsigned numInputs();
  mlir::Value input(unsigned i);
  bool hasInput(unsigned i) { return bool(input(i)); }
  /// Input `i`, or null after a diagnostic when the node lacks it.
  mlir::Value required(unsigned i);
  /// The elements of input `i` if it is a sequence; null otherwise.
  const llvm::SmallVector<mlir::Value> *sequence(unsigned i);
  void setSequence(unsigned i, llvm::ArrayRef<mlir::Value> elements);
  unsigned numOutputs();
  bool wantsOutput(unsigned i);
  /// Shape of output `i` as the model declares or ONNX infers it: -1 for a dynamic extent; nullopt
  /// when nothing is known.
  std::optional<llvm::SmallVector<int64_t>> declaredShape(unsigned i);
  void setOutput(unsigned i, mlir::Value v);

  // Attributes. Wrongly typed ones are failures.
  bool hasAttribute(llvm::StringRef name);
  int64_t getInt(llvm::StringRef name, int64_t fallback);
  float getFloat(llvm::StringRef name, float fallback);
  std::string getString(llvm::StringRef name, llvm::StringRef fallback);
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name);
  std::optional<llvm::SmallVector<float>> getFloats(llvm::StringRef name);
  std::optional<llvm::SmallVector<std::string>> getStrings(llvm::StringRef name);
  /// A tensor attribute; null when absent, or after a diagnostic (see `failed`) when it is bad.
  mlir::ElementsAttr getTensor(llvm::StringRef name);
  const onnx::GraphProto *getGraph(llvm::StringRef name);
  /// The graph element type of an ONNX data type number; null after a diagnostic.
  mlir::Type elementType(int64_t onnxDataType);

  /// Reports an error at the node; always failure.
  mlir::LogicalResult fail(const llvm::Twine &message);
  /// `fail` for places that return a value.
  mlir::Value failValue(const llvm::Twine &message) {
    (void)fail(message);
    return {};
  }
  /// Whether an error has been reported for this node.
  bool failed() { return hasFailed; }
  /// For failures that were reported elsewhere.
  void markFailed() { hasFailed = true; }

  /// Creates a one-result op: null, with one diagnostic, when operands do not fit; null silently
  /// when an operand is null.
  template <typename OpTy, typename... A> mlir::Value make(A &&...args) {
    OpTy op = makeOp<OpTy>(std::forward<A>(args)...);
    return op ? mlir::Value(op->getResult(0)) : mlir::Value();
  }
  /// Creates an op with any number of results; null as `make`.
  template <typename OpTy, typename... A> OpTy makeOp(A &&...args) {
    if ((isNull(args) || ...)) {
      hasFailed = true;
      return nullptr;
    }
    OpTy op = graph::createChecked<OpTy>(builder(), loc(), std::forward<A>(args)...);
    if (!op)
      hasFailed = true;
    return op;
  }

  // Facts about values. All take null: then rank 0, null types, nullopt.
  mlir::RankedTensorType typeOf(mlir::Value v);
  mlir::Type elementOf(mlir::Value v);
  int64_t rankOf(mlir::Value v);
  llvm::ArrayRef<int64_t> shapeOf(mlir::Value v); ///< ShapedType::kDynamic where dynamic
  bool isFloat(mlir::Value v);
  bool isUnsigned(mlir::Value v);
  bool isBool(mlir::Value v);
  /// Elements of an integer tensor if known at compile time, looking through shape arithmetic.
  std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value v);
  /// The single element of a numeric constant, as a double.
  std::optional<double> constantNumber(mlir::Value v);
  /// Elements of a constant float tensor.
  std::optional<llvm::SmallVector<double>> constantFloats(mlir::Value v);
  /// `axis` counted from 0, or nullopt after a diagnostic when it is out of range.
  std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  std::optional<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Axes from input `i` or attribute `name` (nullopt + not failed when neither is present).
  std::optional<llvm::SmallVector<int64_t>> axesFrom(unsigned i, llvm::StringRef name, int64_t rank);

  // Constants.
  mlir::Value constant(llvm::ArrayRef<int64_t> values); ///< 1-D i64 tensor
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value floats(llvm::ArrayRef<float> values); ///< 1-D f32 tensor
  mlir::Value scalar(double v, mlir::Type element); ///< rank 0; integers truncate and saturate
  mlir::Value scalarInt(int64_t v, mlir::Type element);
  mlir::Value scalarI64(int64_t v);
  mlir::Value scalarLike(double v, mlir::Value like); ///< rank 0, element type of `like`
  mlir::Value splat(double v, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  mlir::Value splatLike(double v, mlir::Value like); ///< shape and element type of `like`

  // Elementwise.
  mlir::Value unary(graph::UnaryKind kind, mlir::Value x);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value compare(graph::Predicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value cast(mlir::Value v, mlir::Type element); ///< nothing when it is of that type
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Add, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Sub, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Mul, a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Div, a, b); }
  mlir::Value min(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Min, a, b); }
  mlir::Value max(mlir::Value a, mlir::Value b) { return binary(graph::BinaryKind::Max, a, b); }
  mlir::Value neg(mlir::Value x) { return unary(graph::UnaryKind::Neg, x); }
  mlir::Value exp(mlir::Value x) { return unary(graph::UnaryKind::Exp, x); }
  mlir::Value logicalNot(mlir::Value x) { return unary(graph::UnaryKind::Not, x); }

  // Shapes and movement.
  mlir::Value shape(mlir::Value x);                    ///< 1-D i64 tensor; a constant when static
  mlir::Value dim(mlir::Value x, int64_t d);           ///< 1-element 1-D i64 tensor
  mlir::Value numElements(mlir::Value x);              ///< 1-element 1-D i64 tensor
  Piece piece(mlir::Value x, int64_t d);               ///< extent `d` of `x`, a number when static
  mlir::Value joinShape(llvm::ArrayRef<Piece> pieces); ///< 1-D i64 tensor; a constant when all are numbers
  mlir::Value reshape(mlir::Value x, mlir::Value shape);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<Piece> shape) { return reshape(x, joinShape(shape)); }
  mlir::Value reshapeTo(mlir::Value x, llvm::ArrayRef<int64_t> shape); ///< -1 at most once
  mlir::Value scalarOf(mlir::Value x);                                 ///< a 1-element tensor as rank 0
  mlir::Value vectorOf(mlir::Value x);                                 ///< any tensor flattened to 1-D
  mlir::Value squeeze(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::Value unsqueeze(mlir::Value x, llvm::ArrayRef<int64_t> dims); ///< positions in the result
  /// Prepends extents of 1 up to `rank`.
  mlir::Value extendRank(mlir::Value x, int64_t rank);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> ends,
                    llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> dims);
  mlir::Value slice(mlir::Value x, int64_t start, int64_t end, int64_t dim) {
    return slice(x, {start}, {end}, {1}, {dim});
  }
  mlir::Value broadcastTo(mlir::Value x, mlir::Value shape);
  mlir::Value broadcastTo(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value gather(mlir::Value x, mlir::Value indices, int64_t dim);
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> pads, mlir::Value value);
  /// A per-channel vector [C] as [C, 1, 1, ...] so that it broadcasts against [N, C, spatial...].
  mlir::Value perChannel(mlir::Value vector, int64_t rank, int64_t channelDim = 1);
  /// Floats narrower than f32 as f32; everything else as it is.
  mlir::Value widen(mlir::Value x);

  // Reductions and products.
  mlir::Value reduce(graph::ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> dims, bool keepDims);
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> dims, bool keepDims);
  /// Numpy matmul; the result has element type `to` (that of `a` when null).
  mlir::Value matmul(mlir::Value a, mlir::Value b, mlir::Type to = {});

  /// Expands the node through ONNX's function body for its operator.
  mlir::LogicalResult expandFunction();

  /// The first output of ONNX's operator `opType` on `operands` (null: absent). It has the attributes of this node,
  /// and those given here instead of equal names.
  mlir::Value call(llvm::StringRef opType, llvm::ArrayRef<Optional> operands,
                   llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> ints = {},
                   llvm::ArrayRef<std::pair<llvm::StringRef, float>> floats = {}) {
    return callAll(opType, operands, 1, ints, floats).front();
  }
  /// The first `numResults` outputs; null where this failed.
  llvm::SmallVector<mlir::Value> callAll(llvm::StringRef opType, llvm::ArrayRef<Optional> operands, unsigned numResults,
                                         llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> ints = {},
                                         llvm::ArrayRef<std::pair<llvm::StringRef, float>> floats = {});

private:
  /// Null when absent, or after a diagnostic when it is not of `type`, a number of ONNX's.
  const onnx::AttributeProto *attribute(llvm::StringRef name, int type);
  mlir::Value broadcastedMatmul(mlir::Value a, mlir::Value b, mlir::Type to);

  static bool isNull(const mlir::Value &v) { return !v; }
  static bool isNull(mlir::Value &v) { return !v; }
  static bool isNull(const Optional &) { return false; }
  template <typename T> static bool isNull(const T &v) {
    if constexpr (std::is_convertible_v<const T &, mlir::Value>)
      return !mlir::Value(v);
    else if constexpr (std::is_convertible_v<const T &, mlir::ValueRange>)
      return llvm::any_of(mlir::ValueRange(v), [](mlir::Value x) { return !x; });
    else
      return false;
  }

  GraphImporter &importer;
  const onnx::NodeProto &node;
  mlir::Location location;
  bool hasFailed = false;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_NODEBUILDER_H
