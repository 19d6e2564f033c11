//===- Values.h - Tensors as text -------------------------------*- C++ -*-===//
//
// [[1, 2.5], [nan, -inf]], 3, true; random[2, 3] or random[2, 3](-1, 1); iota[5]; splat[0, 4] 0.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_EVALUATE_VALUES_H
#define TEST_EVALUATE_VALUES_H

#include "lib/Reference/Tensor.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace hone::evaluate {

struct Number {
  double real = 0;
  int64_t integer = 0; ///< the bits of unsigned numbers
};

/// A value whose type is the function's business.
struct TextValue {
  enum Kind { Literal, Random, Iota, Splat };
  Kind kind = Literal;
  llvm::SmallVector<int64_t> shape;
  std::vector<Number> numbers; ///< of a literal; the one of a splat; the range of random ones
};

/// Takes a value off the front of `text`; false with `error` set when there is none.
bool parseValue(llvm::StringRef &text, TextValue &value, std::string &error);

/// The tensor of that type; `seed` makes random values differ from each other. Nullopt with `error` set when shapes do
/// not agree.
std::optional<reference::Tensor> makeTensor(const TextValue &value, mlir::RankedTensorType type, uint64_t seed,
                                            std::string &error);

/// Element `i` as people write it.
std::string show(const reference::Tensor &tensor, int64_t i);
/// "2x3xf32".
std::string describe(const reference::Tensor &tensor);

} // namespace hone::evaluate

#endif // TEST_EVALUATE_VALUES_H
