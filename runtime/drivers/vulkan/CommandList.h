//===- CommandList.h - A command buffer and what its commands need -*- C++ -*-===//
//
// Descriptor sets, memory for scalars, room for timestamps: all of it is there
// before the first command is encoded. Streams keep a few lists that they fill
// in turn; a recording is one that is kept.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_VULKAN_COMMANDLIST_H
#define HONE_RUNTIME_DRIVERS_VULKAN_COMMANDLIST_H

#include "runtime/drivers/vulkan/Executable.h"
#include "runtime/drivers/vulkan/Hazards.h"

namespace hone::vulkan {

/// What commands take from a list.
struct Demand {
  uint32_t commands = 0;     ///< timestamps, when they are taken
  uint32_t sets = 0;         ///< descriptor sets
  uint32_t descriptors = 0;  ///< in them
  uint64_t scalarBytes = 0;  ///< for scalars that are no push constants
  uint64_t scratchBytes = 0; ///< for copies that overlap: the largest counts

  void add(const VulkanDevice &device, const hal::Command &command);
};

class CommandList {
public:
  CommandList(VulkanDevice &device, const hone_allocator_t *allocator) : device(device), tags(allocator) {}
  ~CommandList();
  CommandList(const CommandList &) = delete;
  CommandList &operator=(const CommandList &) = delete;

  /// Once. The pool outlives the list.
  hone_status_t create(VkCommandPool commandPool, bool timed);

  /// Whether commands with these needs can be added.
  bool fits(const Demand &demand) const;
  /// Makes room for `demand` at least; the device must be done with the list.
  hone_status_t reserve(const Demand &demand);

  hone_status_t begin();
  /// There must be room. Nothing is encoded on failure.
  hone_status_t encode(const hal::Command &command);
  /// A copy between any two blocks, for transfers.
  void copy(const Block &source, uint64_t from, const Block &target, uint64_t to, uint64_t size);
  hone_status_t end();

  /// Adds up the times of the last submission, which is complete.
  hone_status_t collect(hal::Timer *timers);

  VkCommandBuffer commands = VK_NULL_HANDLE;
  /// Of its last submission, on the stream's time line.
  uint64_t value = 0;
  bool pending = false; ///< about to be submitted
  bool ready = false;   ///< of a recording: encoded without failure

private:
  hone_status_t reserveDescriptors(const Demand &demand);
  hone_status_t reserveQueries(uint32_t wanted);
  hone_status_t reserveBlock(uint64_t wanted, Place place, Block &block, uint64_t &size);

  hone_status_t encodeLaunch(const hal::Command &command);
  hone_status_t bindBuffers(const hal::Command &command, const Kernel &kernel);
  void dispatch(int64_t grid);
  void encodeCopy(const hal::Command &command);
  void copyOverlapping(const VulkanBuffer &buffer, uint64_t from, uint64_t to, uint64_t size);
  void encodeFill(const hal::Span &target, uint8_t byte);
  void encodeWrite(const hal::Span &target, uint64_t value);
  void copyByte(uint8_t byte, uint32_t count, VkBuffer target, uint64_t offset);

  /// Waits for earlier commands when one of the ranges needs it.
  void order(const Access *accesses, uint32_t count);
  void barrier(VkPipelineStageFlags sourceStages, VkPipelineStageFlags targetStages, VkAccessFlags targetAccess);
  void waitForAll();
  void startTimer(uint32_t tag);
  void stopTimer();

  VulkanDevice &device;
  VkCommandPool commandPool = VK_NULL_HANDLE;
  bool timed = false;

  Demand capacity, used;
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  Block scalars, scratch;
  Array<uint32_t> tags; ///< of the timed commands
  Hazards hazards;
};

} // namespace hone::vulkan

#endif // HONE_RUNTIME_DRIVERS_VULKAN_COMMANDLIST_H
