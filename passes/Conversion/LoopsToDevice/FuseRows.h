//===- FuseRows.h - One loop over rows for several loops --------*- C++ -*-===//

#ifndef PASSES_CONVERSION_LOOPSTODEVICE_FUSEROWS_H
#define PASSES_CONVERSION_LOOPSTODEVICE_FUSEROWS_H

#include "mlir/IR/Block.h"

namespace hone::loops_to_device {

/// Merges parallel loops of `block` that follow one another and share their leading dimensions, the rows, into one loop
/// over the rows, with the other dimensions as parallel loops inside. For loops where all that one writes and another
/// accesses lies in the same row: then a row is whole work of one workgroup, and of one launch. What softmax and
/// normalizations are made of is so.
void fuseRows(mlir::Block &block);

} // namespace hone::loops_to_device

#endif // PASSES_CONVERSION_LOOPSTODEVICE_FUSEROWS_H
