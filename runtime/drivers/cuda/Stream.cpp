//===- Stream.cpp - Work on a GPU, in order -------------------------------===//
//
// Commands run as they are submitted; transfers go through the staging memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Stream.h"
#include "runtime/drivers/cuda/Commands.h"

using namespace hone;
using namespace hone::cuda;
using namespace hone::hal;

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

hone_status_t cuda::growScratch(CudaStream &stream, uint64_t bytes, Buffer *&scratch) {
  if (!bytes || (scratch && scratch->size >= bytes))
    return nullptr;
  const DeviceTable &table = *stream.device.table;
  if (scratch)
    table.bufferDestroy(&stream.device, scratch);
  scratch = nullptr;
  return table.bufferCreate(&stream.device, stream.allocator, bytes, &scratch);
}

static Result move(const Api &api, const Move &move, Queue queue) {
  if (!move.isFill)
    return api.copy(move.target, move.source, move.count, queue);
  switch (move.elementSize) {
  case 1:
    return api.fill8(move.target, static_cast<unsigned char>(move.value), move.count, queue);
  case 2:
    return api.fill16(move.target, static_cast<unsigned short>(move.value), move.count, queue);
  default:
    return api.fill32(move.target, move.value, move.count, queue);
  }
}

hone_status_t cuda::issue(CudaStream &stream, const Command &command, const Buffer *scratch) {
  const CudaDevice &device = stream.device;
  if (command.kind == CommandKind::Launch) {
    if (command.grid <= 0)
      return nullptr;
    HONE_TRY(checkLaunch(device, command));
    LaunchCall call(command);
    const KernelNode &node = call.node;
    return device.check(device.api.launch(node.function, node.grid[0], 1, 1, node.block[0], 1, 1, node.sharedBytes,
                                          stream.queue, nullptr, node.extra),
                        "launch a kernel");
  }
  for (const Move &each : Moves(command, scratch))
    HONE_TRY(device.check(move(device.api, each, stream.queue), each.isFill ? "fill memory" : "copy memory"));
  return nullptr;
}

hone_status_t cuda::submit(Stream *base, const Command &command) {
  CudaStream &stream = streamOf(base);
  Entered entered(stream.device);
  HONE_TRY(growScratch(stream, Moves::scratchBytes(command), stream.scratch));
  if (!stream.timing.isOn())
    return issue(stream, command, stream.scratch);
  HONE_TRY(stream.timing.begin(command.tag));
  HONE_TRY(issue(stream, command, stream.scratch));
  return stream.timing.end();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

hone_status_t cuda::upload(Stream *base, const void *source, const Span &target) {
  if (!target.size)
    return nullptr;
  CudaStream &stream = streamOf(base);
  Entered entered(stream.device);
  return stream.staging.upload(source, addressOf(target), target.size);
}

hone_status_t cuda::download(Stream *base, const Span &source, void *target) {
  if (!source.size)
    return nullptr;
  CudaStream &stream = streamOf(base);
  Entered entered(stream.device);
  return stream.staging.download(addressOf(source), target, source.size);
}

hone_status_t cuda::settle(CudaStream &stream) {
  HONE_TRY(stream.staging.finish());
  if (!stream.timing.isOn())
    return nullptr;
  HONE_TRY(stream.timing.collect());
  const CudaRecording *timed = stream.timed;
  stream.timed = nullptr;
  return timed ? collectTimes(stream, *timed) : nullptr;
}

hone_status_t cuda::wait(Stream *base) {
  CudaStream &stream = streamOf(base);
  Entered entered(stream.device);
  return settle(stream);
}

hone_status_t cuda::read(Stream *stream, const Span &source, void *target) {
  HONE_TRY(download(stream, source, target));
  return wait(stream);
}

void cuda::parallel(Stream *, size_t count, void (*body)(void *, size_t), void *context) {
  for (size_t i = 0; i < count; ++i)
    body(context, i);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static hone_status_t open(CudaStream &stream, Timer *timers) {
  const CudaDevice &device = stream.device;
  // Work of other libraries on the default stream does not hold ours up.
  HONE_TRY(device.check(device.api.queueCreate(&stream.queue, kNonBlockingQueue), "create a stream"));
  HONE_TRY(stream.staging.create(stream.queue));
  return stream.timing.create(stream.queue, timers);
}

hone_status_t cuda::streamCreate(Device *base, const StreamOptions &options, Stream **outStream) {
  CudaDevice &device = deviceOf(base);
  auto *stream = make<CudaStream>(options.allocator, device, options.allocator);
  if (!stream)
    return outOfMemory(sizeof(CudaStream), "a stream");
  Entered entered(device);
  if (hone_status_t status = open(*stream, options.timers)) {
    streamDestroy(base, stream);
    return status;
  }
  *outStream = stream;
  return nullptr;
}

void cuda::streamDestroy(Device *base, Stream *stream) {
  if (!stream)
    return;
  CudaDevice &device = deviceOf(base);
  CudaStream &own = streamOf(stream);
  Entered entered(device);
  if (own.queue)
    device.api.queueWait(own.queue);
  if (own.scratch)
    device.table->bufferDestroy(base, own.scratch);
  own.timing.destroy();
  own.staging.destroy();
  if (own.queue)
    device.api.queueDestroy(own.queue);
  destroy(own.allocator, &own);
}
