//===- Staging.cpp - Pinned memory between host and device ----------------===//
//
// Slots are used in turn. A slot is used again when the event behind its last
// transfer has passed; until `finish` only then is anything waited for.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Staging.h"

using namespace hone;
using namespace hone::cuda;

/// From this size on, waiting for the device costs less than copying pinned memory into a slot.
static constexpr size_t kWorthWaiting = size_t(128) << 10;

static Address toAddress(const void *host) { return static_cast<Address>(reinterpret_cast<uintptr_t>(host)); }

hone_status_t Staging::create(Queue onQueue) {
  queue = onQueue;
  void *memory = nullptr;
  HONE_TRY(device.check(device.api.hostAllocate(&memory, kSlots * kSlotBytes, 0), "allocate pinned memory"));
  pinned = static_cast<uint8_t *>(memory);
  for (size_t i = 0; i < kSlots; ++i) {
    slots[i].bytes = pinned + i * kSlotBytes;
    HONE_TRY(device.check(device.api.eventCreate(&slots[i].passed, kUntimedEvent), "create an event"));
  }
  return nullptr;
}

void Staging::destroy() {
  for (Slot &slot : slots)
    if (slot.passed)
      device.api.eventDestroy(slot.passed);
  if (pinned)
    device.api.hostFree(pinned);
}

hone_status_t Staging::check(Result result, const char *doing) {
  if (result == Success)
    return nullptr;
  // Nothing may be written to the caller's memory once the failure is known.
  device.api.queueWait(queue);
  for (Slot &slot : slots)
    slot.arrivalCount = 0;
  return device.check(result, doing);
}

/// The kind of memory at an address of the application; 0 for memory that CUDA does not know.
unsigned Staging::memoryAt(const void *data) const {
  unsigned type = 0;
  void *value = &type;
  PointerAttribute attribute = PointerMemoryType;
  return device.api.pointerAttributes(1, &attribute, &value, toAddress(data)) ? 0 : type;
}

void Staging::deliver(Slot &slot) {
  for (size_t i = 0; i < slot.arrivalCount; ++i) {
    const Arrival &arrival = slot.arrivals[i];
    memcpy(arrival.target, slot.bytes + arrival.offset, arrival.size);
  }
  slot.arrivalCount = slot.used = 0;
  slot.pending = false;
}

Result Staging::nextSlot() {
  Slot &full = slots[current];
  if (Result result = device.api.eventRecord(full.passed, queue))
    return result;
  full.pending = true;
  current = (current + 1) % kSlots;
  Slot &next = slots[current];
  if (next.pending)
    if (Result result = device.api.eventWait(next.passed))
      return result;
  deliver(next);
  return Success;
}

Result Staging::reserve(size_t wanted, size_t &size, uint8_t *&bytes) {
  if (slots[current].used == kSlotBytes || slots[current].arrivalCount == kArrivals)
    if (Result result = nextSlot())
      return result;
  Slot &slot = slots[current];
  size_t room = kSlotBytes - slot.used;
  size = wanted < room ? wanted : room;
  bytes = slot.bytes + slot.used;
  // Transfers start at cache lines; the size of a slot is a multiple of them.
  slot.used += (size + kCacheLine - 1) & ~(kCacheLine - 1);
  return Success;
}

hone_status_t Staging::upload(const void *source, Address target, size_t size) {
  unsigned memory = memoryAt(source);
  if (memory == DeviceMemory)
    return check(device.api.copy(target, toAddress(source), size, queue), "copy on the device");
  if (memory == HostMemory && size >= kWorthWaiting) {
    // The caller may change it once this returns.
    Result result = device.api.copy(target, toAddress(source), size, queue);
    return check(result ? result : device.api.queueWait(queue), "copy to the device");
  }
  for (size_t done = 0; done < size;) {
    size_t part = 0;
    uint8_t *bytes = nullptr;
    if (Result result = reserve(size - done, part, bytes))
      return check(result, "copy to the device");
    memcpy(bytes, static_cast<const uint8_t *>(source) + done, part);
    if (Result result = device.api.copy(target + done, toAddress(bytes), part, queue))
      return check(result, "copy to the device");
    done += part;
  }
  return nullptr;
}

hone_status_t Staging::download(Address source, void *target, size_t size) {
  if (memoryAt(target))
    return check(device.api.copy(toAddress(target), source, size, queue), "copy from the device");
  for (size_t done = 0; done < size;) {
    size_t part = 0;
    uint8_t *bytes = nullptr;
    if (Result result = reserve(size - done, part, bytes))
      return check(result, "copy from the device");
    if (Result result = device.api.copy(toAddress(bytes), source + done, part, queue))
      return check(result, "copy from the device");
    Slot &slot = slots[current];
    slot.arrivals[slot.arrivalCount++] = {static_cast<uint8_t *>(target) + done,
                                          static_cast<size_t>(bytes - slot.bytes), part};
    done += part;
  }
  return nullptr;
}

hone_status_t Staging::finish() {
  if (Result result = device.api.queueWait(queue))
    return check(result, "run");
  for (Slot &slot : slots)
    deliver(slot);
  return nullptr;
}
