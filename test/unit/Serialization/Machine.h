//===- Machine.h - Executing plans in tests ---------------------*- C++ -*-===//
//
// Two slow executors: one of the IR, where every allocation is memory of its
// own, and one of serialized instructions, where memory is what was planned.
// Whatever planning and serialization do, both must agree.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_UNIT_SERIALIZATION_MACHINE_H
#define TEST_UNIT_SERIALIZATION_MACHINE_H

#include "dialects/Plan/IR/Plan.h"
#include "runtime/format/Format.h"

#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::test {

/// A range of bytes.
struct Bytes {
  uint8_t *data = nullptr;
  int64_t size = 0;
};

struct RunInputs {
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<std::vector<int64_t>> dims;
};

/// What a run leaves behind; `error` is set if it stopped.
struct RunResult {
  std::map<int64_t, std::vector<uint8_t>> outputs;
  std::map<std::pair<int64_t, int64_t>, int64_t> dims;
  std::string error;
  int64_t openFrames = 0;
};

/// The kernels of tests. `mix` is elementwise over equal sizes, `half` is so in
/// its first input; all other inputs are read again for each byte that is
/// written, so that wrongly shared memory shows.
inline void runKernel(llvm::StringRef name, llvm::ArrayRef<Bytes> buffers, llvm::ArrayRef<int64_t> scalars) {
  Bytes out = buffers.back();
  int64_t scalar = scalars.empty() ? 0 : scalars.front();
  for (int64_t i = 0; i < out.size; ++i) {
    uint32_t value = 17 + i * 3 + scalar;
    for (const Bytes &in : buffers.drop_back()) {
      if (name.starts_with("mix") || (name == "half" && &in == buffers.begin()))
        value = value * 31 + in.data[i];
      else
        for (int64_t k = 0; k < in.size; ++k)
          value = value * 31 + in.data[k];
    }
    out.data[i] = value ^ value >> 8 ^ value >> 16;
  }
}

/// Memory that is never given back, so that wrong uses read garbage, not
/// somebody else's bytes.
class Heap {
public:
  Bytes get(int64_t size, uint8_t garbage) {
    blocks.emplace_back(size + 1, garbage);
    return {blocks.back().data(), size};
  }

private:
  std::deque<std::vector<uint8_t>> blocks;
};

/// Executes the IR; allocations are fresh, planned ones too.
RunResult runPlan(plan::ProgramOp program, const RunInputs &inputs);

/// Executes a program of a verified module.
RunResult runCode(const format::Module &module, const format::Program &program, const uint8_t *file,
                  const RunInputs &inputs);

/// A random valid program, planned by nobody, inside of `module`.
plan::ProgramOp buildRandomProgram(mlir::ModuleOp module, uint64_t seed);

} // namespace hone::test

#endif // TEST_UNIT_SERIALIZATION_MACHINE_H
