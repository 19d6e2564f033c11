//===- onnx-replies.cpp - What a module-runner made of ONNX's cases -------===//

#include "test/onnx/Conformance.h"

using namespace hone::conformance;

int main(int argc, char **argv) { return runConformance(argc, argv, {}); }
