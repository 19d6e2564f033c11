//===- Shrink.h - A smaller program that still fails ------------*- C++ -*-===//

#ifndef TOOLS_HONEREDUCE_SHRINK_H
#define TOOLS_HONEREDUCE_SHRINK_H

namespace hone {

/// Registers `--shrink='test=PROGRAM [test-arg=ARG]...'`: makes a module smaller as long as PROGRAM, called with the
/// arguments and a file that holds the module, ends with 1 (as for upstream's --reduction-tree).
void registerShrinkPass();

} // namespace hone

#endif // TOOLS_HONEREDUCE_SHRINK_H
