//===- sanitizer_options.cpp - Defaults of sanitized programs -------------===//
//
// Linked into every program of a sanitized build. libMLIR and libLLVM are not sanitized: allocators and
// containers that cross the border must not be poisoned. A finding ends in SIGABRT, which no test takes
// for a refusal; a single allocation beyond 8 GB is a finding.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"), used)) const char *__asan_default_options() {
  return "abort_on_error=1:allow_user_poisoning=0:detect_container_overflow=0:detect_odr_violation=0:"
         "detect_leaks=0:max_allocation_size_mb=8192:hard_rss_limit_mb=8192";
}

extern "C" __attribute__((visibility("default"), used)) const char *__ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
