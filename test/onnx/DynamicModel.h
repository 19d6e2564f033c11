//===- DynamicModel.h - A case's model with unknown extents -----*- C++ -*-===//

#ifndef TEST_ONNX_DYNAMICMODEL_H
#define TEST_ONNX_DYNAMICMODEL_H

#include "lib/Frontend/ModelSource.h"
#include "test/onnx/CaseFile.h"

#include "llvm/Support/Error.h"

namespace hone::conformance {

/// The model of a case, with every dimension of its inputs a symbol of its own, but for inputs that the case keeps, and
/// no other extent: ranks of the model's inputs and outputs stay, types too.
llvm::Expected<std::string> readDynamicModel(const Case &testCase);

/// The model of a case, as it is or dynamic, as a source of the importer.
class CaseModel {
public:
  CaseModel(const Case &testCase, bool dynamic) : testCase(testCase), dynamic(dynamic) {}
  llvm::Expected<frontend::ModelSource> source();

private:
  const Case &testCase;
  bool dynamic;
  std::string bytes;
};

} // namespace hone::conformance

#endif // TEST_ONNX_DYNAMICMODEL_H
