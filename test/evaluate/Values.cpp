//===- Values.cpp - Tensors as text ---------------------------------------===//

#include "test/evaluate/Values.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::evaluate;
using reference::Tensor;

namespace {

/// Reads one value, left to right.
class Parser {
public:
  Parser(StringRef &text, std::string &error) : text(text), error(error) {}

  bool parse(TextValue &value) {
    skipSpace();
    for (auto [word, kind] :
         {std::pair("random", TextValue::Random), {"iota", TextValue::Iota}, {"splat", TextValue::Splat}})
      if (text.consume_front(word)) {
        value.kind = kind;
        return parseGenerator(value);
      }
    return parseElements(value, 0);
  }

private:
  bool fail(const Twine &message) {
    error = (message + ", at '" + text.take_front(20) + "'").str();
    return false;
  }
  void skipSpace() { text = text.ltrim(); }
  bool take(char c) {
    skipSpace();
    return text.consume_front(StringRef(&c, 1));
  }

  bool parseNumber(Number &number) {
    skipSpace();
    StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '.' || c == '-' || c == '+'; });
    if (word == "true" || word == "false") {
      number.integer = word == "true";
      number.real = number.integer;
    } else if (word == "nan") {
      number.real = NAN;
    } else if (word == "inf" || word == "-inf") {
      number.real = word == "inf" ? INFINITY : -INFINITY;
    } else if (uint64_t bits; !word.getAsInteger(0, number.integer) || !word.getAsInteger(0, bits)) {
      if (word.getAsInteger(0, number.integer))
        number.integer = static_cast<int64_t>(bits), number.real = static_cast<double>(bits);
      else
        number.real = word == "-0" ? -0.0 : static_cast<double>(number.integer);
    } else if (!word.getAsDouble(number.real)) {
      number.integer = static_cast<int64_t>(number.real);
    } else {
      return fail("expected a value");
    }
    text = text.drop_front(word.size());
    return true;
  }

  /// A number, or a list of values of equal shape.
  bool parseElements(TextValue &value, size_t depth) {
    if (!take('[')) {
      if (depth != value.shape.size())
        return fail("lists of unequal depth");
      return parseNumber(value.numbers.emplace_back());
    }
    bool first = value.numbers.empty() && value.shape.size() == depth;
    if (first)
      value.shape.push_back(-1);
    else if (depth >= value.shape.size())
      return fail("lists of unequal depth");
    int64_t count = 0;
    if (!take(']'))
      do {
        if (!parseElements(value, depth + 1))
          return false;
        ++count;
      } while (take(','));
    if (count && !take(']'))
      return fail("expected ',' or ']'");
    if (value.shape[depth] >= 0 && value.shape[depth] != count)
      return fail("lists of unequal length");
    value.shape[depth] = count;
    return true;
  }

  bool parseGenerator(TextValue &value) {
    if (!take('['))
      return fail("expected '[' and extents");
    if (!take(']')) {
      do {
        Number extent;
        if (!parseNumber(extent))
          return false;
        value.shape.push_back(extent.integer);
      } while (take(','));
      if (!take(']'))
        return fail("expected ',' or ']'");
    }
    if (value.kind == TextValue::Splat)
      return parseNumber(value.numbers.emplace_back());
    if (value.kind == TextValue::Random && take('(')) {
      value.numbers.resize(2);
      if (!parseNumber(value.numbers[0]) || !take(',') || !parseNumber(value.numbers[1]) || !take(')'))
        return fail("expected a range (LOW, HIGH)");
    }
    return true;
  }

  StringRef &text;
  std::string &error;
};

} // namespace

bool evaluate::parseValue(StringRef &text, TextValue &value, std::string &error) {
  return Parser(text, error).parse(value);
}

/// SplitMix64: every seed gives another sequence.
static double nextUniform(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

/// Where random values lie when nothing is said: small numbers, which products and sums keep.
static std::pair<double, double> usualRange(const Tensor &tensor) {
  if (tensor.isFloat())
    return {-2, 2};
  if (tensor.getWidth() <= 2) {
    double most = tensor.getWidth() == 1 ? 1 : 3;
    return tensor.isUnsigned() ? std::pair(0., most) : std::pair(-2., 1.);
  }
  return tensor.isUnsigned() ? std::pair(0., 15.) : std::pair(-7., 7.);
}

static void fillRandom(Tensor &tensor, ArrayRef<Number> range, uint64_t seed) {
  auto [low, high] = range.empty() ? usualRange(tensor) : std::pair(range[0].real, range[1].real);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double uniform = nextUniform(seed);
    if (tensor.isFloat())
      tensor.setDouble(i, low + uniform * (high - low));
    else
      tensor.setInt(i, static_cast<int64_t>(std::floor(low + uniform * (high - low + 1))));
  }
}

std::optional<Tensor> evaluate::makeTensor(const TextValue &value, RankedTensorType type, uint64_t seed,
                                           std::string &error) {
  SmallVector<int64_t> shape = value.shape;
  // An empty list says nothing of the other extents.
  if (value.kind == TextValue::Literal && value.numbers.empty() && type.hasStaticShape() && type.getNumElements() == 0)
    shape.assign(type.getShape().begin(), type.getShape().end());
  bool fits = shape.size() == static_cast<size_t>(type.getRank());
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] >= 0 && (type.isDynamicDim(i) || type.getDimSize(i) == shape[i]);
  std::optional<Tensor> tensor = fits ? Tensor::zeros(type.getElementType(), shape) : std::nullopt;
  if (!tensor) {
    llvm::raw_string_ostream os(error);
    os << "a value of shape [" << llvm::join(llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), ", ")
       << "] where " << type << " is expected";
    return std::nullopt;
  }
  if (value.kind == TextValue::Random) {
    fillRandom(*tensor, value.numbers, seed);
    return tensor;
  }
  for (int64_t i = 0; i < tensor->size(); ++i) {
    Number number;
    if (value.kind == TextValue::Iota)
      number = {static_cast<double>(i), i};
    else
      number = value.numbers[value.kind == TextValue::Splat ? 0 : i];
    if (tensor->isFloat())
      tensor->setDouble(i, number.real);
    else
      tensor->setInt(i, number.integer);
  }
  return tensor;
}

std::string evaluate::show(const Tensor &tensor, int64_t i) {
  if (tensor.isFloat())
    return llvm::formatv("{0}", llvm::format("%.9g", tensor.asDouble(i))).str();
  int64_t value = tensor.asInt(i);
  return tensor.isUnsigned() ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
}

std::string evaluate::describe(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : tensor.getShape())
    os << extent << "x";
  os << tensor.getElementType();
  return text;
}
