//===- Api.cpp - The CUDA driver library, found at run time ---------------===//
//
// Everything else in this folder goes through the table that is filled here.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Api.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace hone;
using namespace hone::cuda;

/// By name first; then where containers and WSL mount it.
static constexpr const char *kLibraries[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                             "/usr/lib/wsl/lib/libcuda.so.1"};
/// The oldest driver that has all functions.
static constexpr const char *kOldestDriver = "12.0";

namespace {
struct Row {
  const char *name;
  void *slot;
};
} // namespace

hone_status_t Api::open() {
  char reason[200] = "";
  for (const char *name : kLibraries) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library)
      break;
    // The first one's message: the others are places few machines have.
    if (const char *said = dlerror(); said && !*reason)
      snprintf(reason, sizeof(reason), "%s", said);
  }
  if (!library)
    return makeStatus(HONE_NOT_FOUND, "no CUDA device: the NVIDIA driver's library was not found (%s)", reason);
#define HONE_CUDA_ROW(member, name, parameters) {name, &member},
  const Row rows[] = {HONE_CUDA_FUNCTIONS(HONE_CUDA_ROW)};
#undef HONE_CUDA_ROW
  for (const Row &row : rows) {
    void *function = dlsym(library, row.name);
    if (!function) {
      close();
      return makeStatus(HONE_NOT_FOUND, "no CUDA device: the NVIDIA driver lacks %s; CUDA %s or later is needed",
                        row.name, kOldestDriver);
    }
    memcpy(row.slot, &function, sizeof(function));
  }
  if (Result result = init(0)) {
    Words words = describe(result);
    close();
    return makeStatus(HONE_NOT_FOUND, "no CUDA device: the NVIDIA driver does not start: %s", words.text);
  }
  return nullptr;
}

void Api::close() {
  if (library)
    dlclose(library);
  library = nullptr;
}

Api::Words Api::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  Words words;
  if (errorName(result, &name) || !name || errorText(result, &text) || !text)
    snprintf(words.text, sizeof(words.text), "error %d", static_cast<int>(result));
  else
    snprintf(words.text, sizeof(words.text), "%s (%s)", text, name);
  return words;
}
