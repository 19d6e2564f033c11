//===- Stream.h - An order of work on a GPU -*- C++ -*-===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_STREAM_H
#define HONE_RUNTIME_DRIVERS_CUDA_STREAM_H

#include "runtime/drivers/cuda/Staging.h"
#include "runtime/drivers/cuda/Timing.h"

namespace hone::cuda {

struct CudaRecording;

struct CudaStream : hal::Stream {
  CudaStream(CudaDevice &device, const hone_allocator_t *allocator)
      : device(device), allocator(allocator), staging(device), timing(device, allocator) {}

  CudaDevice &device;
  const hone_allocator_t *allocator;
  Queue queue = nullptr;
  Staging staging;
  Timing timing;
  hal::Buffer *scratch = nullptr; ///< for copies between overlapping ranges
  /// Whose times are still to be collected.
  CudaRecording *timed = nullptr;
};

inline CudaStream &streamOf(hal::Stream *stream) { return *static_cast<CudaStream *>(stream); }

/// Makes `scratch` as large as `bytes` at least.
hone_status_t growScratch(CudaStream &stream, uint64_t bytes, hal::Buffer *&scratch);
/// Hands one command to the queue, untimed.
hone_status_t issue(CudaStream &stream, const hal::Command &command, const hal::Buffer *scratch);
/// Waits, and reads the times of what ran.
hone_status_t settle(CudaStream &stream);
/// The times of a replayed recording.
hone_status_t collectTimes(CudaStream &stream, const CudaRecording &recording);

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_STREAM_H
