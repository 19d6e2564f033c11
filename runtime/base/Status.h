//===- Status.h - Making statuses -*- C++ -*-===//
//
// hone_status_t is the only error channel of the runtime: NULL or an owned
// object. Messages are one line; HONE_TRY hands a failure on.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_BASE_STATUS_H
#define HONE_RUNTIME_BASE_STATUS_H

#include "hone/runtime.h"

namespace hone {

hone_status_t makeStatus(hone_status_code_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Adds the nodes at fault, which hone_status_node returns; borrows `nodes`.
hone_status_t withNode(hone_status_t status, const char *nodes);

/// Says which kernel the error is about, by its place among those in hand: who handed them over knows their nodes.
hone_status_t aboutKernel(hone_status_t status, size_t kernel);
/// That place; SIZE_MAX where the error is about none.
size_t kernelAtFault(hone_status_t status);

/// "out of memory: 12 bytes for the arena".
hone_status_t outOfMemory(uint64_t bytes, const char *what);

} // namespace hone

#define HONE_TRY(expression)                                                                                           \
  do {                                                                                                                 \
    if (hone_status_t failed_ = (expression))                                                                          \
      return failed_;                                                                                                  \
  } while (false)

#endif // HONE_RUNTIME_BASE_STATUS_H
