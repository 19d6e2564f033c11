//===- Encoder.cpp - Commands into command buffers ------------------------===//
//
// Vulkan copies no overlapping ranges and fills and writes whole words only:
// the first go through scratch memory, single bytes are copied from a table.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/vulkan/CommandList.h"
#include "runtime/format/SpirvImage.h"

#include <cinttypes>

using namespace hone;
using namespace hone::vulkan;

static Access accessOf(const hal::Span &span, bool writes) {
  return {bufferOf(span).block.buffer, span.offset, span.offset + span.size, writes};
}

hone_status_t CommandList::encode(const hal::Command &command) {
  if (command.kind == hal::CommandKind::Launch)
    HONE_TRY(takes(&device, command));
  used.add(device, command);
  startTimer(command.tag);
  hone_status_t status = nullptr;
  switch (command.kind) {
  case hal::CommandKind::Launch:
    status = encodeLaunch(command);
    break;
  case hal::CommandKind::Copy:
    encodeCopy(command);
    break;
  case hal::CommandKind::Fill:
    encodeFill(command.spans[0], static_cast<uint8_t>(command.scalars[0]));
    break;
  case hal::CommandKind::Write:
    encodeWrite(command.spans[0], static_cast<uint64_t>(command.scalars[0]));
    break;
  }
  stopTimer();
  return status;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What a kernel sees of a span: never nothing, and whole words.
static VkDescriptorBufferInfo rangeOf(const hal::Span &span) {
  const VulkanBuffer &buffer = bufferOf(span);
  uint64_t offset = span.size ? span.offset : 0;
  uint64_t range = (span.size + 3) & ~uint64_t(3);
  if (range > buffer.allocated - offset)
    range = buffer.allocated - offset;
  return {buffer.block.buffer, offset, range ? range : 4};
}

hone_status_t vulkan::takes(hal::Device *base, const hal::Command &command) {
  const VulkanDevice &device = deviceOf(base);
  const Kernel &kernel = kernelOf(command);
  const Interface &interface = kernel.interface;
  const VkPhysicalDeviceLimits &limits = device.properties.limits;
  if (command.spanCount != interface.buffers || command.scalarCount != interface.scalars)
    return makeStatus(HONE_MALFORMED, "a launch passes %u buffers and %u scalars, the kernel takes %u and %u",
                      command.spanCount, command.scalarCount, interface.buffers, interface.scalars);
  if (command.grid >= format::kSpirvMaxThreads / kernel.workgroupSize)
    return makeStatus(HONE_INCOMPATIBLE, "a launch of %" PRId64 " workgroups of %u: kernels for Vulkan count to 2^31",
                      command.grid, kernel.workgroupSize);
  for (uint32_t i = 0; i < command.scalarCount; ++i)
    if (command.scalars[i] < 0 || command.scalars[i] >= format::kSpirvMaxThreads)
      return makeStatus(HONE_INCOMPATIBLE, "a launch passes the number %" PRId64 ": kernels for Vulkan count to 2^31",
                        command.scalars[i]);
  for (uint32_t i = 0; i < command.spanCount; ++i) {
    VkDescriptorBufferInfo range = rangeOf(command.spans[i]);
    if (range.offset % limits.minStorageBufferOffsetAlignment)
      return makeStatus(HONE_INCOMPATIBLE,
                        "a launch passes a buffer that starts at byte %" PRIu64 "; %.100s needs multiples of %" PRIu64,
                        range.offset, device.properties.deviceName, limits.minStorageBufferOffsetAlignment);
    if (range.range > limits.maxStorageBufferRange)
      return makeStatus(HONE_INCOMPATIBLE,
                        "a launch passes a buffer of %" PRIu64 " bytes; kernels of %.100s reach at most %u",
                        range.range, device.properties.deviceName, limits.maxStorageBufferRange);
  }
  return nullptr;
}

hone_status_t CommandList::bindBuffers(const hal::Command &command, const Kernel &kernel) {
  const Interface &interface = kernel.interface;
  VkDescriptorBufferInfo ranges[format::kMaxLaunchOperands + 1];
  for (uint32_t i = 0; i < command.spanCount; ++i)
    ranges[i] = rangeOf(command.spans[i]);
  if (interface.hasScalarBuffer()) {
    uint64_t bytes = command.scalarCount * sizeof(int64_t);
    // `used` counts this launch already.
    uint64_t offset = used.scalarBytes - device.scalarBytes(interface.scalars);
    memcpy(scalars.mapped + offset, command.scalars, bytes);
    ranges[command.spanCount] = {scalars.buffer, offset, bytes};
  }
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = descriptors;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &interface.set;
  VkDescriptorSet set = VK_NULL_HANDLE;
  HONE_VULKAN_TRY(device.api.AllocateDescriptorSets(device.device, &info, &set), "create a descriptor set");
  // Goes on from binding to binding.
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = interface.bindings();
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = ranges;
  device.api.UpdateDescriptorSets(device.device, 1, &write, 0, nullptr);
  device.api.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, interface.layout, 0, 1, &set, 0, nullptr);
  return nullptr;
}

/// Full rows, then the rest of one.
void CommandList::dispatch(int64_t grid) {
  auto rows = static_cast<uint32_t>(grid / format::kSpirvGridRow);
  auto rest = static_cast<uint32_t>(grid % format::kSpirvGridRow);
  if (rows)
    device.api.CmdDispatch(commands, format::kSpirvGridRow, rows, 1);
  if (rest && rows)
    device.api.CmdDispatchBase(commands, 0, rows, 0, rest, 1, 1);
  else if (rest)
    device.api.CmdDispatch(commands, rest, 1, 1);
}

hone_status_t CommandList::encodeLaunch(const hal::Command &command) {
  if (command.grid <= 0)
    return nullptr;
  const Kernel &kernel = kernelOf(command);
  if (kernel.interface.bindings())
    HONE_TRY(bindBuffers(command, kernel));
  Access accesses[format::kMaxLaunchOperands];
  for (uint32_t i = 0; i < command.spanCount; ++i) {
    VkDescriptorBufferInfo range = rangeOf(command.spans[i]);
    accesses[i] = {range.buffer, range.offset, range.offset + range.range, !command.spans[i].buffer->readOnly};
  }
  order(accesses, command.spanCount);
  device.api.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  if (command.scalarCount && !kernel.interface.hasScalarBuffer())
    device.api.CmdPushConstants(commands, kernel.interface.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                command.scalarCount * 8, command.scalars);
  dispatch(command.grid);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void CommandList::copy(const Block &source, uint64_t from, const Block &target, uint64_t to, uint64_t size) {
  if (!size)
    return;
  const Access accesses[2] = {{target.buffer, to, to + size, true}, {source.buffer, from, from + size, false}};
  order(accesses, 2);
  VkBufferCopy region = {from, to, size};
  device.api.CmdCopyBuffer(commands, source.buffer, target.buffer, 1, &region);
}

void CommandList::encodeCopy(const hal::Command &command) {
  const hal::Span &target = command.spans[0], &source = command.spans[1];
  uint64_t size = target.size;
  bool apart =
      target.buffer != source.buffer || target.offset >= source.offset + size || source.offset >= target.offset + size;
  if (apart)
    copy(bufferOf(source).block, source.offset, bufferOf(target).block, target.offset, size);
  else if (target.offset != source.offset)
    copyOverlapping(bufferOf(target), source.offset, target.offset, size);
}

/// Part by part, from the side to which the bytes move.
void CommandList::copyOverlapping(const VulkanBuffer &buffer, uint64_t from, uint64_t to, uint64_t size) {
  uint64_t most = capacity.scratchBytes;
  for (uint64_t done = 0; done < size;) {
    uint64_t part = size - done < most ? size - done : most;
    uint64_t at = to > from ? size - done - part : done;
    copy(buffer.block, from + at, scratch, 0, part);
    copy(scratch, 0, buffer.block, to + at, part);
    done += part;
  }
}

//===----------------------------------------------------------------------===//
// Fills and writes
//===----------------------------------------------------------------------===//

/// Up to four times the same byte.
void CommandList::copyByte(uint8_t byte, uint32_t count, VkBuffer target, uint64_t offset) {
  if (!count)
    return;
  VkBufferCopy region = {uint64_t(byte) * 4, offset, count};
  device.api.CmdCopyBuffer(commands, device.bytes.buffer, target, 1, &region);
}

void CommandList::encodeFill(const hal::Span &target, uint8_t byte) {
  if (!target.size)
    return;
  Access access = accessOf(target, true);
  order(&access, 1);
  VkBuffer buffer = bufferOf(target).block.buffer;
  uint64_t begin = (target.offset + 3) & ~uint64_t(3), end = (target.offset + target.size) & ~uint64_t(3);
  if (begin >= end) {
    // Within two words; parts of at most four bytes.
    for (uint64_t done = 0; done < target.size; done += 4) {
      uint64_t rest = target.size - done;
      copyByte(byte, rest < 4 ? static_cast<uint32_t>(rest) : 4, buffer, target.offset + done);
    }
    return;
  }
  copyByte(byte, static_cast<uint32_t>(begin - target.offset), buffer, target.offset);
  device.api.CmdFillBuffer(commands, buffer, begin, end - begin, byte * 0x01010101u);
  copyByte(byte, static_cast<uint32_t>(target.offset + target.size - end), buffer, end);
}

void CommandList::encodeWrite(const hal::Span &target, uint64_t value) {
  uint64_t size = target.size < 8 ? target.size : 8;
  if (!size)
    return;
  Access access = accessOf(target, true);
  order(&access, 1);
  VkBuffer buffer = bufferOf(target).block.buffer;
  if (target.offset % 4 == 0 && size % 4 == 0) {
    device.api.CmdUpdateBuffer(commands, buffer, target.offset, size, &value);
    return;
  }
  for (uint64_t i = 0; i < size; ++i)
    copyByte(static_cast<uint8_t>(value >> (8 * i)), 1, buffer, target.offset + i);
}
