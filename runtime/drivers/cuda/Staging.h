//===- Staging.h - Pinned memory between host and device -*- C++ -*-===//
//
// The device copies to and from pinned memory on its own; what lies elsewhere
// passes through a few pinned slots, each filled while others are on their way.
// Memory of the application that is pinned already is used as it is.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_STAGING_H
#define HONE_RUNTIME_DRIVERS_CUDA_STAGING_H

#include "runtime/drivers/cuda/Cuda.h"

namespace hone::cuda {

class Staging {
public:
  explicit Staging(const CudaDevice &device) : device(device) {}

  /// All memory is taken here.
  hone_status_t create(Queue queue);
  void destroy();

  // In the queue's order, complete after `finish`; the source may change when
  // `upload` has returned. After a failure downloads under way are forgotten.
  hone_status_t upload(const void *source, Address target, size_t size);
  hone_status_t download(Address source, void *target, size_t size);
  /// Waits for the queue and hands over what was downloaded.
  hone_status_t finish();

private:
  static constexpr size_t kSlots = 4, kSlotBytes = size_t(1) << 20;
  static constexpr size_t kArrivals = 64;

  /// Downloaded bytes and where they belong.
  struct Arrival {
    void *target;
    size_t offset, size;
  };
  struct Slot {
    uint8_t *bytes;
    size_t used;
    Event passed; ///< after the last transfer
    bool pending;
    size_t arrivalCount;
    Arrival arrivals[kArrivals];
  };

  unsigned memoryAt(const void *data) const;
  /// A place for up to `wanted` bytes; sets how many fit.
  Result reserve(size_t wanted, size_t &size, uint8_t *&bytes);
  Result nextSlot();
  void deliver(Slot &slot);
  hone_status_t check(Result result, const char *doing);

  const CudaDevice &device;
  Queue queue = nullptr;
  uint8_t *pinned = nullptr;
  size_t current = 0;
  Slot slots[kSlots] = {};
};

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_STAGING_H
