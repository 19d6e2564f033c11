//===- Random.h - Seeded values for inputs -*- C++ -*-===//
//
// The same seed gives the same values on every machine. Values are such that most models accept them: floats in
// [-1, 1), wide integers 0 or 1 (they are mostly indices and masks), bytes over their whole range.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONERUN_RANDOM_H
#define HONE_TOOLS_HONERUN_RANDOM_H

#include "tools/hone-run/Tensor.h"

namespace hone::tools {

/// Fills data for the tensor's type and shape; false when that is too large.
bool fillRandom(HostTensor &tensor, uint64_t seed);

} // namespace hone::tools

#endif // HONE_TOOLS_HONERUN_RANDOM_H
