//===- Guard.h - Exceptions to error texts ----------------------*- C++ -*-===//

#ifndef LIB_FRONTEND_ONNX_GUARD_H
#define LIB_FRONTEND_ONNX_GUARD_H

#include <exception>
#include <new>
#include <string>

namespace hone::frontend::library {

/// Runs `body` and returns what it throws, as text.
template <typename F> std::string guarded(F &&body) {
  try {
    body();
    return {};
  } catch (const std::bad_alloc &) {
    return "out of memory";
  } catch (const std::exception &e) {
    return *e.what() ? e.what() : "unknown error";
  } catch (...) {
    return "unknown error";
  }
}

} // namespace hone::frontend::library

#endif // LIB_FRONTEND_ONNX_GUARD_H
