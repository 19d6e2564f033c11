//===- header_is_c.c - The public header is plain C11 -===//

#include "hone/runtime.h"

const char *hone_test_version_from_c(void) {
  hone_tensor_t tensor = {0};
  hone_session_options_t options = {.struct_size = sizeof(options)};
  (void)tensor;
  return hone_runtime_version();
}
