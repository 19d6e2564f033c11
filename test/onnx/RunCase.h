//===- RunCase.h - One conformance case, compiled or interpreted *- C++ -*-===//

#ifndef TEST_ONNX_RUNCASE_H
#define TEST_ONNX_RUNCASE_H

#include "test/onnx/CaseFile.h"
#include "test/onnx/Workers.h"

namespace hone::conformance {

/// Compiles the case for `target`, runs it, and compares the outputs.
Outcome runCompiled(const Case &testCase, llvm::StringRef target, int optLevel);

/// The same with the reference interpreter in the compiler's place.
Outcome runReference(const Case &testCase);

/// Compares the outputs of one data set, which come in the model's order.
Outcome compareOutputs(const Case &testCase, llvm::ArrayRef<Value> actual, llvm::ArrayRef<Value> expected);

/// The first error of what was reported, which names the node, without the model's path.
std::string firstLine(const Case &testCase, llvm::StringRef diagnostics);

} // namespace hone::conformance

#endif // TEST_ONNX_RUNCASE_H
