//===- onnx-conformance.cpp - ONNX's own test cases -----------------------===//

#include "test/onnx/Conformance.h"

int main(int argc, char **argv) { return hone::conformance::runConformance(argc, argv); }
