//===- Stream.cpp - Submitting work ---------------------------------------===//

#include "runtime/drivers/vulkan/Stream.h"

using namespace hone;
using namespace hone::vulkan;

/// A list is submitted when it has so many commands, so that the device starts
/// while the plan is still being interpreted.
static constexpr uint32_t kCommandsPerList = 64;
/// Room that a list of the stream has from the start: one launch with all
/// operands that a launch may have, or many usual ones.
static constexpr Demand kListRoom = {kCommandsPerList, kCommandsPerList, format::kMaxLaunchOperands + 1, 0, 0};
/// What a list gets once a launch has more scalars than push constants hold.
static constexpr uint64_t kScalarRoom = uint64_t(64) << 10;

VulkanStream::VulkanStream(VulkanDevice &device, const hal::StreamOptions &options)
    : device(device), allocator(options.allocator), timers(options.timers), queue(device.pickQueue()) {}

VulkanStream::~VulkanStream() {
  if (timeline)
    hone_status_free(finish());
  for (CommandList *list : lists)
    destroy(allocator, list);
  device.free(staging.block);
  if (timeline)
    device.api.DestroySemaphore(device.device, timeline, nullptr);
  if (commandPool)
    device.api.DestroyCommandPool(device.device, commandPool, nullptr);
}

hone_status_t VulkanStream::create() {
  if (timers && !device.timestampBits)
    return makeStatus(HONE_INCOMPATIBLE, "%.100s does not take times: no profile", device.properties.deviceName);
  VkCommandPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = device.queueFamily;
  HONE_VULKAN_TRY(device.api.CreateCommandPool(device.device, &poolInfo, nullptr, &commandPool),
                  "create a command pool");
  VkSemaphoreTypeCreateInfo typeInfo = {};
  typeInfo.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  typeInfo.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &typeInfo;
  HONE_VULKAN_TRY(device.api.CreateSemaphore(device.device, &info, nullptr, &timeline), "create a semaphore");
  for (CommandList *&list : lists) {
    if (!(list = make<CommandList>(allocator, device, allocator)))
      return outOfMemory(sizeof(CommandList), "a stream");
    HONE_TRY(list->create(commandPool, timers != nullptr));
    HONE_TRY(list->reserve(kListRoom));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Submissions
//===----------------------------------------------------------------------===//

hone_status_t VulkanStream::waitFor(uint64_t value) {
  if (value <= completed)
    return nullptr;
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  HONE_VULKAN_TRY(device.api.WaitSemaphores(device.device, &info, UINT64_MAX), "wait for the device");
  completed = value;
  return nullptr;
}

/// Ends the list under way.
hone_status_t VulkanStream::close() {
  if (!open)
    return nullptr;
  open = false;
  HONE_TRY(lists[current]->end());
  return enqueue(*lists[current]);
}

hone_status_t VulkanStream::enqueue(CommandList &list) {
  if (pendingCount == kMostPending)
    HONE_TRY(submitPending());
  list.pending = true;
  pending[pendingCount++] = &list;
  return nullptr;
}

hone_status_t VulkanStream::flush() {
  HONE_TRY(close());
  return pendingCount ? submitPending() : nullptr;
}

hone_status_t VulkanStream::submitPending() {
  VkCommandBuffer buffers[kMostPending];
  for (uint32_t i = 0; i < pendingCount; ++i)
    buffers[i] = pending[i]->commands;
  uint64_t value = submitted + 1;
  VkTimelineSemaphoreSubmitInfo lineInfo = {};
  lineInfo.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  lineInfo.signalSemaphoreValueCount = 1;
  lineInfo.pSignalSemaphoreValues = &value;
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &lineInfo;
  info.commandBufferCount = pendingCount;
  info.pCommandBuffers = buffers;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  pthread_mutex_lock(&queue.mutex);
  VkResult result = device.api.QueueSubmit(queue.queue, 1, &info, VK_NULL_HANDLE);
  pthread_mutex_unlock(&queue.mutex);
  for (uint32_t i = 0; i < pendingCount; ++i) {
    pending[i]->pending = false;
    pending[i]->value = result ? 0 : value;
  }
  pendingCount = 0;
  HONE_VULKAN_TRY(result, "submit work");
  submitted = value;
  return nullptr;
}

hone_status_t VulkanStream::release(CommandList &list) {
  if (list.pending)
    HONE_TRY(flush());
  HONE_TRY(waitFor(list.value));
  return list.collect(timers);
}

hone_status_t VulkanStream::finish() {
  hone_status_t status = flush();
  if (!status)
    status = waitFor(submitted);
  for (uint32_t i = 0; timers && !status && i < kLists; ++i)
    status = lists[i]->collect(timers);
  if (!status)
    drainReads();
  readCount = 0;
  return status;
}

hone_status_t VulkanStream::listFor(const Demand &demand, CommandList *&list) {
  if (open && commandCount < kCommandsPerList && lists[current]->fits(demand)) {
    list = lists[current];
    ++commandCount;
    return nullptr;
  }
  // A full list sets the device to work; one that a recording cut short waits for more.
  if (open)
    HONE_TRY(flush());
  current = (current + 1) % kLists;
  list = lists[current];
  HONE_TRY(release(*list));
  Demand room = demand;
  if (room.scalarBytes && room.scalarBytes < kScalarRoom)
    room.scalarBytes = kScalarRoom;
  HONE_TRY(list->reserve(room));
  HONE_TRY(list->begin());
  open = true;
  commandCount = 1;
  return nullptr;
}

hone_status_t VulkanStream::submit(const hal::Command &command) {
  Demand demand;
  demand.add(device, command);
  CommandList *list = nullptr;
  HONE_TRY(listFor(demand, list));
  return list->encode(command);
}

//===----------------------------------------------------------------------===//
// The driver's table
//===----------------------------------------------------------------------===//

static VulkanStream &streamOf(hal::Stream *stream) { return *static_cast<VulkanStream *>(stream); }

hone_status_t vulkan::streamCreate(hal::Device *device, const hal::StreamOptions &options, hal::Stream **outStream) {
  auto *stream = make<VulkanStream>(options.allocator, deviceOf(device), options);
  if (!stream)
    return outOfMemory(sizeof(VulkanStream), "a stream");
  if (hone_status_t status = stream->create()) {
    destroy(options.allocator, stream);
    return status;
  }
  *outStream = stream;
  return nullptr;
}

void vulkan::streamDestroy(hal::Device *, hal::Stream *stream) {
  if (stream)
    destroy(streamOf(stream).memory(), &streamOf(stream));
}

hone_status_t vulkan::submit(hal::Stream *stream, const hal::Command &command) {
  return streamOf(stream).submit(command);
}

hone_status_t vulkan::upload(hal::Stream *stream, const void *source, const hal::Span &target) {
  return streamOf(stream).upload(static_cast<const uint8_t *>(source), target);
}

hone_status_t vulkan::download(hal::Stream *stream, const hal::Span &source, void *target) {
  return streamOf(stream).download(source, static_cast<uint8_t *>(target));
}

hone_status_t vulkan::read(hal::Stream *stream, const hal::Span &source, void *target) {
  HONE_TRY(download(stream, source, target));
  return wait(stream);
}

hone_status_t vulkan::wait(hal::Stream *stream) { return streamOf(stream).finish(); }

hone_status_t vulkan::record(hal::Stream *stream, const hal::Command *commands, size_t count,
                             hal::Recording **recording) {
  return streamOf(stream).record(commands, count, recording);
}

hone_status_t vulkan::replay(hal::Stream *stream, hal::Recording *recording) {
  return streamOf(stream).replay(static_cast<VulkanRecording *>(recording)->list);
}

void vulkan::recordingDestroy(hal::Stream *stream, hal::Recording *recording) {
  if (recording)
    streamOf(stream).destroyRecording(recording);
}

void vulkan::parallel(hal::Stream *, size_t count, void (*body)(void *, size_t), void *context) {
  for (size_t i = 0; i < count; ++i)
    body(context, i);
}
