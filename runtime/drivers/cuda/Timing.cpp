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
  auto createEvents = [this](Interval &interval) -> hone_status_t {
    HONE_TRY(device.check(device.api.eventCreate(&interval.begin, 0), "create an event"));
    return device.check(device.api.eventCreate(&interval.end, 0), "create an event");
  };
  for (Interval &interval : intervals)
    HONE_TRY(createEvents(interval));
  HONE_TRY(createEvents(nothing));
  for (Event event : {nothing.begin, nothing.end})
    HONE_TRY(device.check(device.api.eventRecord(event, queue), "measure time"));
  return device.check(device.api.queueWait(queue), "measure time");
}

void Timing::destroy() {
  auto destroyEvents = [this](const Interval &interval) {
    for (Event event : {interval.begin, interval.end})
      if (event)
        device.api.eventDestroy(event);
  };
  for (const Interval &interval : intervals)
    destroyEvents(interval);
  destroyEvents(nothing);
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
  return collect(nothing, intervals.begin(), count);
}

hone_status_t Timing::elapsed(const Interval &interval, double &nanoseconds) const {
  float milliseconds = 0;
  HONE_TRY(device.check(device.api.eventElapsed(&milliseconds, interval.begin, interval.end), "measure time"));
  nanoseconds = static_cast<double>(milliseconds) * 1e6;
  return nullptr;
}

hone_status_t Timing::collect(const Interval &empty, const Interval *measured, size_t count) {
  double overhead = 0;
  HONE_TRY(elapsed(empty, overhead));
  for (size_t i = 0; i < count; ++i) {
    double time = 0;
    HONE_TRY(elapsed(measured[i], time));
    hal::Timer &timer = timers[measured[i].tag];
    timer.calls += 1;
    timer.nanoseconds += time > overhead ? static_cast<uint64_t>(time - overhead + 0.5) : 0;
  }
  return nullptr;
}
