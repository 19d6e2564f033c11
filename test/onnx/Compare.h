//===- Compare.h - Comparing outputs as ONNX's runner does ------*- C++ -*-===//

#ifndef TEST_ONNX_COMPARE_H
#define TEST_ONNX_COMPARE_H

#include "test/onnx/CaseFile.h"

namespace hone::conformance {

/// Says how `actual` differs from `expected`, or nothing when it does not.
/// Types and shapes must be equal; integers and booleans are compared exactly,
/// floats by |a - e| <= atol + rtol * |e| with NaN equal to NaN. bf16 gets two
/// of its own ULPs, as in ONNX's runner.
std::string compareValues(const Value &actual, const Value &expected, double rtol, double atol);

} // namespace hone::conformance

#endif // TEST_ONNX_COMPARE_H
