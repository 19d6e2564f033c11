//===- onnx-conformance.cpp - ONNX's own test cases -----------------------===//

#include "test/onnx/Conformance.h"

using namespace hone::conformance;

int main(int argc, char **argv) { return runConformance(argc, argv, {makeJob, runReference}); }
