//===- Stream.cpp - Launching kernels on threads --------------------------===//
//
// A launch is split into one contiguous range a thread, so that each walks its
// own memory; a thread that is done takes chunks of the others' ranges.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/ThreadPool.h"
#include "runtime/drivers/cpu/Cpu.h"
#include "runtime/format/Format.h"

#include <ctime>

using namespace hone;
using namespace hone::hal;

/// Chunks a thread's range is cut into: what may be unevenly done at the end.
static constexpr int64_t kChunksPerThread = 4;

namespace {

/// What is left of one thread's range.
struct alignas(kCacheLine) Share {
  std::atomic<int64_t> next;
  int64_t end;
};

/// One launch being computed.
struct Work {
  cpu::Kernel kernel;
  uint8_t *const *buffers;
  const int64_t *scalars;
  Share *shares;
  size_t threads;
  int64_t chunk;
};

/// A command with its addresses.
struct Step {
  CommandKind kind;
  uint32_t tag;
  cpu::Kernel kernel;
  int64_t grid;
  size_t pointers, scalars; ///< where its operands start
  uint64_t size;            ///< of the target, for copies, fills and writes
};

/// An address that depends on a buffer bound anew for every run.
struct Patch {
  size_t pointer;
  const Buffer *buffer;
  uint64_t offset;
};

struct CpuStream : Stream {
  explicit CpuStream(const hone_allocator_t *allocator) : allocator(allocator), pool(allocator) {}

  const hone_allocator_t *allocator;
  ThreadPool pool;
  hone_parallel_for_t parallelFor;
  uint32_t threads = 1;
  Share *shares = nullptr;
  Timer *timers = nullptr;
};

struct CpuRecording : Recording {
  explicit CpuRecording(const hone_allocator_t *allocator)
      : steps(allocator), pointers(allocator), scalars(allocator), patches(allocator) {}
  Array<Step> steps;
  Array<uint8_t *> pointers;
  Array<int64_t> scalars;
  Array<Patch> patches;
};

} // namespace

static CpuStream *own(Stream *stream) { return static_cast<CpuStream *>(stream); }

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

static void workOnShares(void *context, size_t index) {
  Work &work = *static_cast<Work *>(context);
  for (size_t i = 0; i < work.threads; ++i) {
    size_t victim = index + i;
    Share &share = work.shares[victim < work.threads ? victim : victim - work.threads];
    for (;;) {
      int64_t begin = share.next.fetch_add(work.chunk, std::memory_order_relaxed);
      if (begin >= share.end)
        break;
      int64_t rest = share.end - begin;
      int64_t end = rest < work.chunk ? share.end : begin + work.chunk;
      work.kernel(work.buffers, work.scalars, begin, end);
    }
  }
}

static void compute(CpuStream *stream, cpu::Kernel kernel, uint8_t *const *buffers, const int64_t *scalars,
                    int64_t grid) {
  if (grid <= 0)
    return;
  if (grid == 1 || stream->threads == 1)
    return kernel(buffers, scalars, 0, grid);
  Work work = {kernel, buffers, scalars, stream->shares, stream->threads, 1};
  if (grid < static_cast<int64_t>(work.threads))
    work.threads = static_cast<size_t>(grid);
  int64_t threads = static_cast<int64_t>(work.threads);
  int64_t share = grid / threads, more = grid % threads;
  work.chunk = share / kChunksPerThread + (share % kChunksPerThread != 0);
  int64_t begin = 0;
  for (int64_t i = 0; i < threads; ++i) {
    int64_t end = begin + share + (i < more);
    stream->shares[i].next.store(begin, std::memory_order_relaxed);
    stream->shares[i].end = end;
    begin = end;
  }
  stream->parallelFor.run(stream->parallelFor.self, work.threads, workOnShares, &work);
}

static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

/// One command on addresses.
static void execute(CpuStream *stream, const Step &step, uint8_t *const *pointers, const int64_t *scalars) {
  uint64_t start = stream->timers ? now() : 0;
  switch (step.kind) {
  case CommandKind::Launch:
    compute(stream, step.kernel, pointers, scalars, step.grid);
    break;
  case CommandKind::Copy:
    // In-place plans copy between overlapping ranges.
    memmove(pointers[0], pointers[1], step.size);
    break;
  case CommandKind::Fill:
    memset(pointers[0], static_cast<int>(scalars[0]), step.size);
    break;
  case CommandKind::Write:
    memcpy(pointers[0], scalars, step.size < 8 ? step.size : 8);
    break;
  }
  if (stream->timers) {
    stream->timers[step.tag].calls += 1;
    stream->timers[step.tag].nanoseconds += now() - start;
  }
}

static uint8_t *addressOf(const Span &span) { return static_cast<uint8_t *>(span.buffer->host) + span.offset; }

static Step stepOf(const Command &command) {
  Step step = {};
  step.kind = command.kind;
  step.tag = command.tag;
  if (command.kind == CommandKind::Launch) {
    step.kernel = cpu::kernelOf(command.executable, command.kernel);
    step.grid = command.grid;
  } else {
    step.size = command.spans[0].size;
  }
  return step;
}

hone_status_t cpu::takes(Device *, const Command &launch) {
  if (launch.spanCount > format::kMaxLaunchOperands)
    return makeStatus(HONE_MALFORMED, "a launch passes too many buffers");
  return nullptr;
}

hone_status_t cpu::submit(Stream *stream, const Command &command) {
  uint8_t *pointers[format::kMaxLaunchOperands];
  HONE_TRY(takes(nullptr, command));
  for (uint32_t i = 0; i < command.spanCount; ++i)
    pointers[i] = addressOf(command.spans[i]);
  execute(own(stream), stepOf(command), pointers, command.scalars);
  return nullptr;
}

hone_status_t cpu::upload(Stream *, const void *source, const Span &target) {
  if (target.size)
    memcpy(addressOf(target), source, target.size);
  return nullptr;
}

hone_status_t cpu::download(Stream *, const Span &source, void *target) {
  if (source.size)
    memcpy(target, addressOf(source), source.size);
  return nullptr;
}

hone_status_t cpu::wait(Stream *) { return nullptr; }

void cpu::parallel(Stream *base, size_t count, void (*body)(void *, size_t), void *context) {
  CpuStream *stream = own(base);
  for (size_t done = 0; done < count;) {
    struct Part {
      void (*body)(void *, size_t);
      void *context;
      size_t first;
    } part = {body, context, done};
    size_t n = count - done < stream->threads ? count - done : stream->threads;
    auto call = [](void *self, size_t i) {
      auto *part = static_cast<Part *>(self);
      part->body(part->context, part->first + i);
    };
    if (n == 1)
      call(&part, 0);
    else
      stream->parallelFor.run(stream->parallelFor.self, n, call, &part);
    done += n;
  }
}

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

static bool recordCommand(CpuRecording &recording, const Command &command) {
  Step step = stepOf(command);
  step.pointers = recording.pointers.size();
  step.scalars = recording.scalars.size();
  for (uint32_t i = 0; i < command.spanCount; ++i) {
    const Span &span = command.spans[i];
    if (span.buffer->external && !recording.patches.push({recording.pointers.size(), span.buffer, span.offset}))
      return false;
    uint8_t *address = span.buffer->external ? nullptr : addressOf(span);
    if (!recording.pointers.push(address))
      return false;
  }
  for (uint32_t i = 0; i < command.scalarCount; ++i)
    if (!recording.scalars.push(command.scalars[i]))
      return false;
  return recording.steps.push(step);
}

hone_status_t cpu::record(Stream *stream, const Command *commands, size_t count, Recording **slot) {
  const hone_allocator_t *allocator = own(stream)->allocator;
  if (!*slot)
    *slot = make<CpuRecording>(allocator, allocator);
  auto *recording = static_cast<CpuRecording *>(*slot);
  if (!recording)
    return outOfMemory(sizeof(CpuRecording), "a recording");
  recording->steps.clear();
  recording->pointers.clear();
  recording->scalars.clear();
  recording->patches.clear();
  for (size_t i = 0; i < count; ++i)
    if (!recordCommand(*recording, commands[i])) {
      recording->steps.clear();
      return outOfMemory(count * sizeof(Step), "a recording");
    }
  return nullptr;
}

hone_status_t cpu::replay(Stream *stream, Recording *base) {
  auto *recording = static_cast<CpuRecording *>(base);
  for (const Patch &patch : recording->patches)
    recording->pointers[patch.pointer] = static_cast<uint8_t *>(patch.buffer->host) + patch.offset;
  for (const Step &step : recording->steps)
    execute(own(stream), step, recording->pointers.begin() + step.pointers, recording->scalars.begin() + step.scalars);
  return nullptr;
}

void cpu::recordingDestroy(Stream *stream, Recording *recording) {
  destroy(own(stream)->allocator, static_cast<CpuRecording *>(recording));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

hone_status_t cpu::streamCreate(Device *device, const StreamOptions &options, Stream **outStream) {
  const hone_allocator_t *allocator = options.allocator;
  uint32_t threads = options.threads ? options.threads : 1;
  if (threads > UINT16_MAX)
    return makeStatus(HONE_INVALID_ARGUMENT, "%u threads are too many", threads);
  auto *stream = make<CpuStream>(allocator, allocator);
  if (!stream)
    return outOfMemory(sizeof(CpuStream), "a stream");
  stream->threads = threads;
  stream->timers = options.timers;
  hone_status_t status = nullptr;
  if (options.parallelFor) {
    stream->parallelFor = *options.parallelFor;
  } else {
    stream->parallelFor = {&stream->pool, ThreadPool::runPool};
    status = stream->pool.start(threads);
  }
  if (!status) {
    stream->shares = static_cast<Share *>(allocator->allocate(allocator->self, threads * sizeof(Share), kCacheLine));
    if (!stream->shares)
      status = outOfMemory(threads * sizeof(Share), "a stream");
  }
  if (status) {
    streamDestroy(device, stream);
    return status;
  }
  for (uint32_t i = 0; i < threads; ++i)
    new (&stream->shares[i]) Share{};
  *outStream = stream;
  return nullptr;
}

void cpu::streamDestroy(Device *, Stream *base) {
  CpuStream *stream = own(base);
  if (!stream)
    return;
  const hone_allocator_t *allocator = stream->allocator;
  if (stream->shares)
    allocator->release(allocator->self, stream->shares, stream->threads * sizeof(Share), kCacheLine);
  destroy(allocator, stream);
}
