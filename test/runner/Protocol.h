//===- Protocol.h - Modules and inputs to a runner, outputs back -*- C++ -*-===//
//
// A runner executes modules where they were compiled for: in this process, under an emulator, on a machine that has
// the device but no compiler. What goes there and comes back is a sequence of bytes, for a pipe or a file.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_RUNNER_PROTOCOL_H
#define TEST_RUNNER_PROTOCOL_H

#include "tools/hone-run/Tensor.h"

namespace hone::runner {

using Tensors = std::vector<tools::HostTensor>;

/// A module and the inputs, by name, of the runs to make of it.
struct Job {
  std::vector<uint8_t> module;
  std::vector<Tensors> runs;
};

/// The outputs of every run in the model's order; runs end with the first that fails.
struct Reply {
  std::string error; ///< empty when nothing went wrong
  bool crashed = false;
  std::vector<Tensors> runs;
};

std::vector<uint8_t> encode(const Job &job);
std::vector<uint8_t> encode(const Reply &reply);
/// False when the bytes are not what `encode` wrote.
bool decode(const std::vector<uint8_t> &bytes, Job &job);
bool decode(const std::vector<uint8_t> &bytes, Reply &reply);

/// Messages on a pipe: a length and as many bytes. False at the end or when the other side is gone.
bool sendMessage(int descriptor, const std::vector<uint8_t> &bytes);
bool receiveMessage(int descriptor, std::vector<uint8_t> &bytes);

} // namespace hone::runner

#endif // TEST_RUNNER_PROTOCOL_H
