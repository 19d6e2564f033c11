//===- Commands.cpp - Commands in the words of CUDA -----------------------===//
//
// Parameters are all eight bytes wide, so that they lie behind one another as
// the kernel expects them.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Commands.h"

using namespace hone;
using namespace hone::cuda;
using namespace hone::hal;

/// Workgroups of one launch: CUDA's limit of the first dimension.
static constexpr int64_t kMaxGrid = INT32_MAX;

hone_status_t cuda::takes(Device *device, const Command &launch) { return checkLaunch(deviceOf(device), launch); }

hone_status_t cuda::checkLaunch(const CudaDevice &device, const Command &command) {
  if (command.grid > kMaxGrid)
    return makeStatus(HONE_MODEL_FAILURE, "cuda:%u: a launch of %lld workgroups; %lld are the most", device.number,
                      static_cast<long long>(command.grid), static_cast<long long>(kMaxGrid));
  if (command.spanCount > format::kMaxLaunchOperands || command.scalarCount > format::kMaxLaunchOperands)
    return makeStatus(HONE_MALFORMED, "a launch passes too many operands");
  return nullptr;
}

LaunchCall::LaunchCall(const Command &command) {
  const Kernel &kernel = kernelOf(command.executable, command.kernel);
  size_t used = 0;
  for (uint32_t i = 0; i < command.spanCount; ++i)
    words[used++] = addressOf(command.spans[i]);
  for (uint32_t i = 0; i < command.scalarCount; ++i)
    words[used++] = static_cast<uint64_t>(command.scalars[i]);
  size = used * sizeof(uint64_t);
  void *const list[5] = {kLaunchBytes, words, kLaunchSize, &size, kLaunchEnd};
  memcpy(extra, list, sizeof(extra));
  node = {kernel.function,
          {static_cast<unsigned>(command.grid), 1, 1},
          {kernel.threads, 1, 1},
          kernel.sharedBytes,
          nullptr,
          extra,
          nullptr,
          nullptr};
}

static bool overlap(const Span &a, const Span &b) {
  return a.buffer == b.buffer && a.offset != b.offset && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

uint64_t Moves::scratchBytes(const Command &command) {
  return command.kind == CommandKind::Copy && overlap(command.spans[0], command.spans[1]) ? command.spans[0].size : 0;
}

/// In the largest elements that the address allows.
void Moves::addWrite(Address target, uint64_t value, size_t bytes) {
  while (bytes) {
    unsigned size = bytes >= 4 && target % 4 == 0 ? 4 : bytes >= 2 && target % 2 == 0 ? 2 : 1;
    addFill(target, static_cast<unsigned>(value & ((uint64_t(1) << 8 * size) - 1)), size, 1);
    target += size;
    value >>= 8 * size;
    bytes -= size;
  }
}

void Moves::addCopyCommand(const Command &command, const Buffer *scratch) {
  Address target = addressOf(command.spans[0]), source = addressOf(command.spans[1]);
  uint64_t size = command.spans[0].size;
  if (source == target)
    return;
  if (scratchBytes(command)) {
    addCopy(scratch->address, source, size);
    source = scratch->address;
  }
  addCopy(target, source, size);
}

Moves::Moves(const Command &command, const Buffer *scratch) {
  const Span &span = command.spans[0];
  if (!span.size)
    return;
  if (command.kind == CommandKind::Copy)
    addCopyCommand(command, scratch);
  else if (command.kind == CommandKind::Fill)
    addFill(addressOf(span), static_cast<unsigned>(command.scalars[0]) & 0xff, 1, span.size);
  else
    addWrite(addressOf(span), static_cast<uint64_t>(command.scalars[0]), span.size < 8 ? span.size : 8);
}
