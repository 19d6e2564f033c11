//===- Commands.h - Commands in the words of CUDA -*- C++ -*-===//
//
// A launch is one call with its parameters; everything else is one or a few
// copies and fills. What is submitted and what becomes nodes of a graph is made
// here, so that the two do the same.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_COMMANDS_H
#define HONE_RUNTIME_DRIVERS_CUDA_COMMANDS_H

#include "runtime/drivers/cuda/Cuda.h"
#include "runtime/format/Format.h"

namespace hone::cuda {

/// Null when the device can launch it.
hone_status_t checkLaunch(const CudaDevice &device, const hal::Command &command);
hone_status_t takes(hal::Device *device, const hal::Command &launch);

/// A launch with its parameters, to which it points.
struct LaunchCall {
  explicit LaunchCall(const hal::Command &command);
  LaunchCall(const LaunchCall &) = delete;
  LaunchCall &operator=(const LaunchCall &) = delete;

  KernelNode node;

private:
  uint64_t words[2 * format::kMaxLaunchOperands];
  size_t size;
  void *extra[5];
};

/// A copy of bytes, or a fill with elements of 1, 2 or 4 bytes.
struct Move {
  bool isFill;
  Address target, source;
  size_t count; ///< bytes or elements
  unsigned value, elementSize;
};

/// What a command other than a launch comes to.
struct Moves {
  explicit Moves(const hal::Command &command, const hal::Buffer *scratch);
  const Move *begin() const { return moves; }
  const Move *end() const { return moves + count; }

  /// Bytes of scratch memory a command needs: copies between overlapping ranges go through it.
  static uint64_t scratchBytes(const hal::Command &command);

private:
  void addCopy(Address target, Address source, size_t bytes) { moves[count++] = {false, target, source, bytes, 0, 0}; }
  void addFill(Address target, unsigned value, unsigned elementSize, size_t elements) {
    moves[count++] = {true, target, 0, elements, value, elementSize};
  }
  void addCopyCommand(const hal::Command &command, const hal::Buffer *scratch);
  void addWrite(Address target, uint64_t value, size_t bytes);

  size_t count = 0;
  Move moves[8];
};

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_COMMANDS_H
