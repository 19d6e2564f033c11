//===- Comparison.h - How far two tensors are apart -------------*- C++ -*-===//

#ifndef TOOLS_HONE_COMPARISON_H
#define TOOLS_HONE_COMPARISON_H

#include "lib/Reference/Tensor.h"

#include <string>

namespace hone::driver {

struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;
  double ofRange = 0; ///< of what is expected of the whole tensor

  /// What a compilation with `--precision` may differ by: docs/precision.md.
  static Tolerance of(llvm::StringRef precision);
};

/// The worst element of a tensor.
struct Deviation {
  double absolute = 0; ///< infinite where one is finite and the other is not
  double relative = 0; ///< of the range of what is expected
  uint64_t ulps = 0;   ///< the most values of the type between the two; 0 for integers
  int64_t at = -1;     ///< row-major; -1: no element differs
  llvm::SmallVector<int64_t> shape;
  double given = 0, expected = 0;
  bool diverges = false; ///< further apart than the tolerance, of the range
  std::string mismatch;  ///< of type or shape

  bool worseThan(const Deviation &other) const { return relative > other.relative; }
};

/// Integers have to be equal, floats close in relation to the range of what is expected: kernels sum up, so small
/// elements carry the rounding of large ones.
Deviation compareTensors(const reference::Tensor &given, const reference::Tensor &expected, const Tolerance &tolerance);

/// "3.1e-02 (120345 ULP), 1.5e-01 of the range, at [0, 3, 4]: 1.25 instead of 0.9".
std::string describeDeviation(const Deviation &deviation);

} // namespace hone::driver

#endif // TOOLS_HONE_COMPARISON_H
