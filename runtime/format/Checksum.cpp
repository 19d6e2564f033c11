//===- Checksum.cpp - XXH3 over segments and tables -----------------------===//
//
// The only file that sees xxhash; header-only, so nothing is linked.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hone::format::checksum(const void *bytes, size_t size) { return XXH3_64bits(bytes, size); }
