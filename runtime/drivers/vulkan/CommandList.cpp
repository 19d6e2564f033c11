//===- CommandList.cpp - A command buffer and what its commands need ------===//

#include "runtime/drivers/vulkan/CommandList.h"

using namespace hone;
using namespace hone::vulkan;

/// Copies within a buffer go through so much memory at a time.
static constexpr uint64_t kMostScratch = uint64_t(4) << 20;

static bool overlaps(const hal::Command &command) {
  const hal::Span &target = command.spans[0], &source = command.spans[1];
  return target.buffer == source.buffer && target.offset < source.offset + target.size &&
         source.offset < target.offset + target.size;
}

void Demand::add(const VulkanDevice &device, const hal::Command &command) {
  ++commands;
  if (command.kind == hal::CommandKind::Copy && overlaps(command)) {
    uint64_t bytes = command.spans[0].size < kMostScratch ? command.spans[0].size : kMostScratch;
    scratchBytes = bytes > scratchBytes ? bytes : scratchBytes;
  }
  if (command.kind != hal::CommandKind::Launch)
    return;
  const Interface &interface = kernelOf(command).interface;
  sets += interface.bindings() != 0;
  descriptors += interface.bindings();
  if (interface.hasScalarBuffer())
    scalarBytes += device.scalarBytes(interface.scalars);
}

CommandList::~CommandList() {
  const Api &api = device.api;
  if (descriptors)
    api.DestroyDescriptorPool(device.device, descriptors, nullptr);
  if (queries)
    api.DestroyQueryPool(device.device, queries, nullptr);
  if (commands)
    api.FreeCommandBuffers(device.device, commandPool, 1, &commands);
  device.free(scalars);
  device.free(scratch);
}

hone_status_t CommandList::create(VkCommandPool pool, bool withTimes) {
  commandPool = pool;
  timed = withTimes;
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  return check(device.api.AllocateCommandBuffers(device.device, &info, &commands), "create a command buffer");
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

bool CommandList::fits(const Demand &demand) const {
  return (!timed || used.commands + demand.commands <= capacity.commands) && used.sets + demand.sets <= capacity.sets &&
         used.descriptors + demand.descriptors <= capacity.descriptors &&
         used.scalarBytes + demand.scalarBytes <= capacity.scalarBytes && demand.scratchBytes <= capacity.scratchBytes;
}

hone_status_t CommandList::reserveDescriptors(const Demand &demand) {
  if (demand.sets <= capacity.sets && demand.descriptors <= capacity.descriptors)
    return nullptr;
  if (descriptors)
    device.api.DestroyDescriptorPool(device.device, descriptors, nullptr);
  descriptors = VK_NULL_HANDLE;
  uint32_t sets = demand.sets > capacity.sets ? demand.sets : capacity.sets;
  uint32_t count = demand.descriptors > capacity.descriptors ? demand.descriptors : capacity.descriptors;
  capacity.sets = capacity.descriptors = 0;
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  HONE_VULKAN_TRY(device.api.CreateDescriptorPool(device.device, &info, nullptr, &descriptors),
                  "create a descriptor pool");
  capacity.sets = sets;
  capacity.descriptors = count;
  return nullptr;
}

hone_status_t CommandList::reserveQueries(uint32_t wanted) {
  if (!timed || wanted <= capacity.commands)
    return nullptr;
  if (queries)
    device.api.DestroyQueryPool(device.device, queries, nullptr);
  queries = VK_NULL_HANDLE;
  capacity.commands = 0;
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * wanted;
  HONE_VULKAN_TRY(device.api.CreateQueryPool(device.device, &info, nullptr, &queries), "create timestamps");
  if (!tags.reserve(wanted))
    return outOfMemory(wanted * sizeof(uint32_t), "timers");
  capacity.commands = wanted;
  return nullptr;
}

hone_status_t CommandList::reserveBlock(uint64_t wanted, Place place, Block &block, uint64_t &size) {
  if (wanted <= size)
    return nullptr;
  device.free(block);
  size = 0;
  HONE_TRY(device.allocate(wanted, place, block));
  size = wanted;
  return nullptr;
}

hone_status_t CommandList::reserve(const Demand &demand) {
  HONE_TRY(reserveDescriptors(demand));
  HONE_TRY(reserveQueries(demand.commands));
  HONE_TRY(reserveBlock(demand.scalarBytes, Place::Host, scalars, capacity.scalarBytes));
  return reserveBlock(demand.scratchBytes, Place::Device, scratch, capacity.scratchBytes);
}

//===----------------------------------------------------------------------===//
// Start, end, times
//===----------------------------------------------------------------------===//

static constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static constexpr VkAccessFlags kReadsAndWrites =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

void CommandList::barrier(VkPipelineStageFlags sourceStages, VkPipelineStageFlags targetStages,
                          VkAccessFlags targetAccess) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = targetAccess;
  device.api.CmdPipelineBarrier(commands, sourceStages, targetStages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void CommandList::waitForAll() {
  barrier(kWork, kWork, kReadsAndWrites);
  hazards.forget();
}

void CommandList::order(const Access *accesses, uint32_t count) {
  // When times are taken, commands run one by one.
  if (timed || hazards.needsBarrier(accesses, count))
    waitForAll();
  hazards.add(accesses, count);
}

hone_status_t CommandList::begin() {
  used = {};
  tags.clear();
  value = 0;
  if (descriptors)
    HONE_VULKAN_TRY(device.api.ResetDescriptorPool(device.device, descriptors, 0), "reset descriptors");
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  HONE_VULKAN_TRY(device.api.BeginCommandBuffer(commands, &info), "begin a command buffer");
  if (timed && capacity.commands)
    device.api.CmdResetQueryPool(commands, queries, 0, 2 * capacity.commands);
  // Whatever was submitted before.
  waitForAll();
  return nullptr;
}

hone_status_t CommandList::end() {
  // The processor reads mapped memory.
  barrier(kWork, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  return check(device.api.EndCommandBuffer(commands), "end a command buffer");
}

void CommandList::startTimer(uint32_t tag) {
  if (!timed)
    return;
  waitForAll();
  device.api.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                               2 * static_cast<uint32_t>(tags.size()));
  (void)tags.push(tag); // there is room
}

void CommandList::stopTimer() {
  if (timed)
    device.api.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                                 2 * static_cast<uint32_t>(tags.size()) - 1);
}

hone_status_t CommandList::collect(hal::Timer *timers) {
  if (!timed || !value)
    return nullptr;
  uint64_t mask = device.timestampBits < 64 ? (uint64_t(1) << device.timestampBits) - 1 : UINT64_MAX;
  for (uint32_t i = 0; i < tags.size(); ++i) {
    uint64_t times[2] = {};
    HONE_VULKAN_TRY(device.api.GetQueryPoolResults(device.device, queries, 2 * i, 2, sizeof(times), times,
                                                   sizeof(times[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                    "read timestamps");
    double ticks = static_cast<double>((times[1] - times[0]) & mask);
    timers[tags[i]].calls += 1;
    timers[tags[i]].nanoseconds += static_cast<uint64_t>(ticks * device.properties.limits.timestampPeriod);
  }
  value = 0;
  return nullptr;
}
