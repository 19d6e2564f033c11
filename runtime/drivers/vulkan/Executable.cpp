//===- Executable.cpp - Kernels as pipelines ------------------------------===//

#include "runtime/drivers/vulkan/Executable.h"

#include "runtime/drivers/vulkan/Shader.h"

#include <cstdio>

using namespace hone;
using namespace hone::vulkan;

static constexpr uint32_t kMostBindings = format::kMaxLaunchOperands + 1;

bool Interface::hasScalarBuffer() const { return scalars > format::kSpirvPushScalars; }

VulkanExecutable::~VulkanExecutable() {
  for (VkPipeline pipeline : pipelines)
    device.api.DestroyPipeline(device.device, pipeline, nullptr);
  for (const Interface &interface : interfaces) {
    device.api.DestroyPipelineLayout(device.device, interface.layout, nullptr);
    device.api.DestroyDescriptorSetLayout(device.device, interface.set, nullptr);
  }
}

hone_status_t vulkan::accepts(hal::Device *base, const hal::ExecutableNeeds &needs) {
  VulkanDevice &device = deviceOf(base);
  if (strcmp(needs.format, "spirv"))
    return makeStatus(HONE_INCOMPATIBLE, "'%.64s': Vulkan runs 'spirv' code, this is '%.32s'", needs.target,
                      needs.format);
  char lacks[400] = "";
  size_t used = 0;
  for (size_t i = 0; i < needs.featureCount; ++i)
    if (!device.capabilities.has(needs.features[i]) && used < sizeof(lacks))
      used += snprintf(lacks + used, sizeof(lacks) - used, "%s%s", used ? " " : "", needs.features[i]);
  if (!used)
    return nullptr;
  return makeStatus(HONE_INCOMPATIBLE, "'%.64s': the kernels need what %.100s lacks: %s", needs.target,
                    device.properties.deviceName, lacks);
}

uint32_t vulkan::fit(hal::Device *, const hal::ExecutableNeeds &needs, const uint8_t *, size_t) {
  return static_cast<uint32_t>(needs.featureCount);
}

namespace {

class ExecutableBuilder {
public:
  ExecutableBuilder(VulkanDevice &device, VulkanExecutable &executable, const format::SpirvImage &image)
      : device(device), executable(executable), image(image) {}

  hone_status_t add(const hal::KernelDescription &description);

private:
  hone_status_t checkLimits(const format::SpirvKernel &record, const char *name);
  hone_status_t findInterface(uint32_t buffers, uint32_t scalars, Interface &interface);
  hone_status_t createInterface(Interface &interface);
  hone_status_t createPipeline(const format::SpirvKernel &record, const Interface &interface, const char *name,
                               VkPipeline &pipeline);

  VulkanDevice &device;
  VulkanExecutable &executable;
  const format::SpirvImage &image;
};

} // namespace

hone_status_t ExecutableBuilder::checkLimits(const format::SpirvKernel &record, const char *name) {
  const VkPhysicalDeviceLimits &limits = device.properties.limits;
  auto exceeds = [&](const char *what, uint32_t wanted, uint32_t most) {
    return makeStatus(HONE_INCOMPATIBLE, "kernel code: '%.128s' needs %u %s, %.100s has at most %u", name, wanted, what,
                      device.properties.deviceName, most);
  };
  uint32_t invocations = limits.maxComputeWorkGroupInvocations < limits.maxComputeWorkGroupSize[0]
                             ? limits.maxComputeWorkGroupInvocations
                             : limits.maxComputeWorkGroupSize[0];
  if (record.workgroupSize > invocations)
    return exceeds("threads in a workgroup", record.workgroupSize, invocations);
  if (record.workgroupBytes > limits.maxComputeSharedMemorySize)
    return exceeds("bytes of workgroup memory", record.workgroupBytes, limits.maxComputeSharedMemorySize);
  uint32_t bindings = record.bufferCount + (record.scalarCount > format::kSpirvPushScalars);
  for (uint32_t most :
       {limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers, limits.maxPerStageResources})
    if (bindings > most)
      return exceeds("buffers", bindings, most);
  return nullptr;
}

hone_status_t ExecutableBuilder::createInterface(Interface &interface) {
  VkDescriptorSetLayoutBinding bindings[kMostBindings];
  for (uint32_t i = 0; i < interface.bindings(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo setInfo = {};
  setInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  setInfo.bindingCount = interface.bindings();
  setInfo.pBindings = bindings;
  HONE_VULKAN_TRY(device.api.CreateDescriptorSetLayout(device.device, &setInfo, nullptr, &interface.set),
                  "create a descriptor set layout");
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, interface.scalars * 8};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &interface.set;
  info.pushConstantRangeCount = interface.scalars && !interface.hasScalarBuffer();
  info.pPushConstantRanges = &range;
  VkResult result = device.api.CreatePipelineLayout(device.device, &info, nullptr, &interface.layout);
  if (result)
    device.api.DestroyDescriptorSetLayout(device.device, interface.set, nullptr);
  return check(result, "create a pipeline layout");
}

hone_status_t ExecutableBuilder::findInterface(uint32_t buffers, uint32_t scalars, Interface &interface) {
  for (const Interface &known : executable.interfaces)
    if (known.buffers == buffers && known.scalars == scalars) {
      interface = known;
      return nullptr;
    }
  if (!executable.interfaces.reserve(executable.interfaces.size() + 1))
    return outOfMemory(sizeof(Interface), "kernels");
  interface = {buffers, scalars, VK_NULL_HANDLE, VK_NULL_HANDLE};
  HONE_TRY(createInterface(interface));
  (void)executable.interfaces.push(interface); // there is room
  return nullptr;
}

hone_status_t ExecutableBuilder::createPipeline(const format::SpirvKernel &record, const Interface &interface,
                                                const char *name, VkPipeline &pipeline) {
  if (!executable.pipelines.reserve(executable.pipelines.size() + 1))
    return outOfMemory(sizeof(VkPipeline), "kernels");
  VkShaderModuleCreateInfo moduleInfo = {};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  moduleInfo.codeSize = record.codeSize;
  moduleInfo.pCode = image.code(record);
  VkShaderModule module = VK_NULL_HANDLE;
  HONE_VULKAN_TRY(device.api.CreateShaderModule(device.device, &moduleInfo, nullptr, &module), "read a kernel");
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  // Grids may be dispatched in parts.
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = format::kSpirvEntry;
  info.layout = interface.layout;
  VkResult result =
      device.api.CreateComputePipelines(device.device, device.pipelineCache, 1, &info, nullptr, &pipeline);
  device.api.DestroyShaderModule(device.device, module, nullptr);
  if (!result) {
    device.compiled.store(true, std::memory_order_relaxed);
    (void)executable.pipelines.push(pipeline); // there is room
    return nullptr;
  }
  char what[160];
  snprintf(what, sizeof(what), "compile kernel '%.128s'", name);
  return check(result, what);
}

hone_status_t ExecutableBuilder::add(const hal::KernelDescription &description) {
  const char *name = description.name;
  const format::SpirvKernel *record = image.find(name);
  if (!record)
    return makeStatus(HONE_MALFORMED, "kernel code: no kernel '%.128s' in it", name);
  if (record->bufferCount != description.buffers || record->scalarCount != description.scalars)
    return makeStatus(HONE_MALFORMED,
                      "kernel code: '%.128s' takes %u buffers and %u scalars, the module says %u and %u", name,
                      record->bufferCount, record->scalarCount, description.buffers, description.scalars);
  HONE_TRY(checkLimits(*record, name));
  HONE_TRY(checkShader(image.code(*record), *record, name, device.capabilities));
  if (!executable.kernels.reserve(executable.kernels.size() + 1))
    return outOfMemory(sizeof(Kernel), "kernels");
  Kernel kernel = {VK_NULL_HANDLE, {}, record->workgroupSize, record->codeOffset};
  HONE_TRY(findInterface(record->bufferCount, record->scalarCount, kernel.interface));
  for (const Kernel &other : executable.kernels)
    if (other.codeOffset == kernel.codeOffset && other.interface.layout == kernel.interface.layout)
      kernel.pipeline = other.pipeline;
  if (!kernel.pipeline)
    HONE_TRY(createPipeline(*record, kernel.interface, name, kernel.pipeline));
  (void)executable.kernels.push(kernel); // there is room
  return nullptr;
}

static hone_status_t fill(VulkanDevice &device, VulkanExecutable &executable, const uint8_t *code, size_t size,
                          const hal::KernelDescription *kernels, size_t count) {
  format::SpirvImage image;
  format::Error error;
  if (!format::openSpirvImage(code, size, image, error))
    return makeStatus(HONE_MALFORMED, "kernel code: %s", error.text);
  ExecutableBuilder builder(device, executable, image);
  for (size_t i = 0; i < count; ++i)
    if (hone_status_t status = builder.add(kernels[i]))
      return aboutKernel(status, i);
  return nullptr;
}

hone_status_t vulkan::executableCreate(hal::Device *base, const hal::ExecutableNeeds &needs, const uint8_t *code,
                                       size_t size, const hal::KernelDescription *kernels, size_t kernelCount,
                                       hal::Executable **outExecutable) {
  VulkanDevice &device = deviceOf(base);
  HONE_TRY(accepts(base, needs));
  auto *executable = make<VulkanExecutable>(device.allocator, device);
  if (!executable)
    return outOfMemory(sizeof(VulkanExecutable), "an executable");
  // A module's bytes may lie anywhere; SPIR-V is read as words.
  Array<uint8_t> aligned(device.allocator);
  hone_status_t status = nullptr;
  if (reinterpret_cast<uintptr_t>(code) % alignof(format::SpirvKernel)) {
    if (aligned.resize(size))
      code = static_cast<const uint8_t *>(memcpy(aligned.begin(), code, size));
    else
      status = outOfMemory(size, "kernel code");
  }
  if (!status)
    status = fill(device, *executable, code, size, kernels, kernelCount);
  if (status) {
    executableDestroy(base, executable);
    return status;
  }
  *outExecutable = executable;
  return nullptr;
}

void vulkan::executableDestroy(hal::Device *device, hal::Executable *executable) {
  destroy(device->allocator, static_cast<VulkanExecutable *>(executable));
}
