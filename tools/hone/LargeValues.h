//===- LargeValues.h - What f16 could not hold ------------------*- C++ -*-===//

#ifndef TOOLS_HONE_LARGEVALUES_H
#define TOOLS_HONE_LARGEVALUES_H

#include "lib/Reference/Tensor.h"

#include "mlir/IR/Value.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>

namespace hone::driver {

/// Watches a run of the model as it is written, in the interpreter, for values that leave the range of f16.
class LargeValues {
public:
  void see(mlir::Value value, const reference::Tensor &tensor);
  bool empty() const { return largest.empty(); }
  /// "node 'x' leaves the range of f16: it reaches 1.00E+05", the largest first.
  void print(llvm::raw_ostream &os) const;

private:
  std::map<std::string, double> largest; ///< by "node 'x'" or "input 'x'"
};

} // namespace hone::driver

#endif // TOOLS_HONE_LARGEVALUES_H
