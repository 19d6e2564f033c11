//===- LinkImage.cpp - One object to a shared object ----------------------===//

#include "backends/CPU/Emit/EmitImage.h"
#include "backends/CPU/Emit/Linker.h"

using namespace mlir;
using namespace hone::cpu;

/// The largest page a system of the architecture may have: no page may hold parts of two segments.
static const char *maxPageSize(const llvm::Triple &triple) {
  return triple.isAArch64() ? "max-page-size=65536" : "max-page-size=4096";
}

FailureOr<std::vector<char>> hone::cpu::linkImage(ArrayRef<char> object, const llvm::Triple &triple, Location loc) {
  TemporaryFile input, output;
  auto write = [&](raw_ostream &os) { os.write(object.data(), object.size()); };
  if (failed(input.write("o", write, loc)) || failed(output.create("so", loc)))
    return failure();
  // lld's threads would stay in this process, also where it is about to fork; there is one small object.
  const char *arguments[] = {"ld.lld",           "--threads=1", "-shared",     "-Bsymbolic", "--build-id=none",
                             "--hash-style=gnu", "-z",          "undefs",      "-z",         maxPageSize(triple),
                             "--strip-debug",    "-o",          output.name(), input.name()};
  if (failed(runLinker(arguments, loc)))
    return failure();
  return output.read(loc);
}
