//===- Conformance.h - The conformance program ------------------*- C++ -*-===//

#ifndef TEST_ONNX_CONFORMANCE_H
#define TEST_ONNX_CONFORMANCE_H

namespace hone::conformance {

/// The whole program; returns its exit code.
int runConformance(int argc, char **argv);

} // namespace hone::conformance

#endif // TEST_ONNX_CONFORMANCE_H
