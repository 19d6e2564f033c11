//===- Timing.h - How long commands take on the device -*- C++ -*-===//
//
// Events before and after each command; their times are read when the work is
// over. Two events with nothing between them say what to take off. A recording's
// events are nodes of its graph and belong to it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_TIMING_H
#define HONE_RUNTIME_DRIVERS_CUDA_TIMING_H

#include "runtime/drivers/cuda/Cuda.h"

namespace hone::cuda {

/// One timed command.
struct Interval {
  uint32_t tag;
  Event begin, end;
};

class Timing {
public:
  Timing(const CudaDevice &device, const hone_allocator_t *allocator) : device(device), intervals(allocator) {}

  /// `timers` may be null: then nothing is ever measured.
  hone_status_t create(Queue queue, hal::Timer *timers);
  void destroy();
  bool isOn() const { return timers; }

  // Around one submitted command. May wait, when all events are in use.
  hone_status_t begin(uint32_t tag);
  hone_status_t end();

  /// Adds what was measured since; the queue must be idle.
  hone_status_t collect();
  /// Adds intervals; `nothing` is one without a command.
  hone_status_t collect(const Interval &nothing, const Interval *measured, size_t count);

private:
  hone_status_t elapsed(const Interval &interval, double &nanoseconds) const;
  static constexpr size_t kIntervals = 256;

  const CudaDevice &device;
  Queue queue = nullptr;
  hal::Timer *timers = nullptr;
  Interval nothing = {};
  Array<Interval> intervals;
  size_t used = 0;
};

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_TIMING_H
