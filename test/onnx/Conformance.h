//===- Conformance.h - The conformance programs -----------------*- C++ -*-===//
//
// One command line, with and without the compiler behind it: a machine that has the device judges the replies of its
// module-runner by itself.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_ONNX_CONFORMANCE_H
#define TEST_ONNX_CONFORMANCE_H

#include "test/onnx/RunCase.h"

namespace hone::conformance {

/// What a program with the compiler adds.
struct Compiler {
  MakeJob makeJob = nullptr;
  Outcome (*runReference)(const Case &testCase) = nullptr;
};

/// The whole program; returns its exit code.
int runConformance(int argc, char **argv, const Compiler &compiler);

} // namespace hone::conformance

#endif // TEST_ONNX_CONFORMANCE_H
