//===- Status.cpp - Status objects ----------------------------------------===//
//
// A status is one malloc'd block. When even that fails, a constant object says
// so: making a status cannot fail.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Status.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct hone_status_s {
  hone_status_code_t code;
  bool owned;
  size_t kernel;
  char node[512];
  char text[1024];
};

static hone_status_s exhausted = {HONE_OUT_OF_MEMORY, false, SIZE_MAX, "", "out of memory"};

/// Keeps a message one line whatever names a model holds.
static void flattenLines(char *text) {
  for (; *text; ++text)
    if (static_cast<unsigned char>(*text) < ' ' || *text == 127)
      *text = ' ';
}

hone_status_t hone::makeStatus(hone_status_code_t code, const char *format, ...) {
  auto *status = static_cast<hone_status_t>(malloc(sizeof(hone_status_s)));
  if (!status)
    return &exhausted;
  status->code = code;
  status->owned = true;
  status->kernel = SIZE_MAX;
  status->node[0] = 0;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(status->text, sizeof(status->text), format, arguments);
  va_end(arguments);
  flattenLines(status->text);
  return status;
}

hone_status_t hone::withNode(hone_status_t status, const char *nodes) {
  if (status && status->owned && nodes && *nodes) {
    snprintf(status->node, sizeof(status->node), "%s", nodes);
    flattenLines(status->node);
  }
  return status;
}

hone_status_t hone::aboutKernel(hone_status_t status, size_t kernel) {
  if (status && status->owned)
    status->kernel = kernel;
  return status;
}

size_t hone::kernelAtFault(hone_status_t status) { return status ? status->kernel : SIZE_MAX; }

hone_status_t hone::outOfMemory(uint64_t bytes, const char *what) {
  return makeStatus(HONE_OUT_OF_MEMORY, "out of memory: %llu bytes for %s", static_cast<unsigned long long>(bytes),
                    what);
}

hone_status_t hone_status_create(hone_status_code_t code, const char *message, const char *nodes) {
  return hone::withNode(hone::makeStatus(code, "%s", message ? message : ""), nodes);
}

hone_status_code_t hone_status_code(hone_status_t status) { return status ? status->code : HONE_OK; }

const char *hone_status_message(hone_status_t status) { return status ? status->text : ""; }

const char *hone_status_node(hone_status_t status) { return status ? status->node : ""; }

void hone_status_free(hone_status_t status) {
  if (status && status->owned)
    free(status);
}
