//===- LargeValues.cpp - What f16 could not hold --------------------------===//

#include "tools/hone/LargeValues.h"

#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::driver;

/// The largest finite f16.
static constexpr double kLargestHalf = 65504;

/// What a user calls a value: its nodes, or an input of the model. States of loops have the names of what gives them.
static SmallVector<std::string> namesOf(Value value) {
  SmallVector<std::string> names;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name") : nullptr)
      names.push_back("input '" + escapeName(name.getValue()) + "'");
    return names;
  }
  for (const std::string &node : nodeNames(value.getLoc()))
    names.push_back("node '" + escapeName(node) + "'");
  return names;
}

void LargeValues::see(Value value, const reference::Tensor &tensor) {
  if (!tensor.isFloat())
    return;
  double most = 0;
  for (double element : tensor.doubles())
    most = std::isfinite(element) ? std::max(most, std::abs(element)) : most;
  if (most <= kLargestHalf)
    return;
  for (const std::string &name : namesOf(value))
    largest[name] = std::max(largest[name], most);
}

void LargeValues::print(llvm::raw_ostream &os) const {
  std::vector<std::pair<std::string, double>> entries(largest.begin(), largest.end());
  llvm::sort(entries, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  constexpr size_t kShown = 10;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (i == kShown) {
      os << entries.size() - kShown << " more leave the range of f16\n";
      return;
    }
    os << entry.first << " leaves the range of f16: it reaches " << llvm::formatv("{0:E2}", entry.second) << "\n";
  }
}
