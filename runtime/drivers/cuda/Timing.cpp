//===- Timing.cpp - How long commands take on the device ------------------===//
//
// Events tell times to half a microsecond.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Timing.h"

using namespace hone;
using namespace hone::cuda;

hone_status_t Timing::create(Queue onQueue, hal::Timer *into) {
  queue = onQueue;
  timers = into;
  if (!timers)
    return nullptr;
  if (!intervals.resize(kIntervals))
    return outOfMemory(kIntervals * sizeof(Interval), "timers");
  for (Interval &interval : intervals)
    for (Event *event : {&interval.begin, &interval.end})
      HONE_TRY(device.check(device.api.eventCreate(event, 0), "create an event"));
  return nullptr;
}

void Timing::destroy() {
  for (const Interval &interval : intervals)
    for (Event event : {interval.begin, interval.end})
      if (event)
        device.api.eventDestroy(event);
}

hone_status_t Timing::begin(uint32_t tag) {
  if (used == intervals.size()) {
    HONE_TRY(device.check(device.api.queueWait(queue), "run"));
    HONE_TRY(collect());
  }
  intervals[used].tag = tag;
  return device.check(device.api.eventRecord(intervals[used].begin, queue), "measure time");
}

hone_status_t Timing::end() {
  return device.check(device.api.eventRecord(intervals[used++].end, queue), "measure time");
}

hone_status_t Timing::collect() {
  size_t count = used;
  used = 0;
  return collect(intervals.begin(), count);
}

hone_status_t Timing::collect(const Interval *measured, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float milliseconds = 0;
    HONE_TRY(device.check(device.api.eventElapsed(&milliseconds, measured[i].begin, measured[i].end), "measure time"));
    hal::Timer &timer = timers[measured[i].tag];
    timer.calls += 1;
    timer.nanoseconds += static_cast<uint64_t>(static_cast<double>(milliseconds) * 1e6 + 0.5);
  }
  return nullptr;
}
