//===- compiler_header_is_c.c - The compiler's header is plain C11 --------===//

#include "hone/compiler.h"

static void count(void *self, const hone_diagnostic_t *diagnostic) {
  if (diagnostic->severity == HONE_SEVERITY_ERROR)
    ++*(int *)self;
}

/// Compiles bytes that are no model, and returns how many errors were reported; -1 when that worked.
int hone_test_compile_from_c(const void *bytes, size_t size);

int hone_test_compile_from_c(const void *bytes, size_t size) {
  int errors = 0;
  hone_compile_options_t *options = NULL;
  hone_compiled_t *compiled = NULL;
  hone_status_t status = hone_compile_options_create(&options);
  if (!status) {
    hone_compile_options_set_diagnostics(options, count, &errors);
    status = hone_compile_memory(bytes, size, "bytes", NULL, options, &compiled);
  }
  int worked = !status;
  hone_status_free(status);
  hone_compiled_destroy(compiled);
  hone_compile_options_destroy(options);
  return worked ? -1 : errors;
}
