//===- Executable.cpp - Kernels out of CUDA images ------------------------===//
//
// Loads the best form of every unit and finds the kernels by name.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Cuda.h"
#include "runtime/format/CudaImage.h"

#include <cstdio>

using namespace hone;
using namespace hone::cuda;
using namespace hone::hal;

namespace {
/// A unit as it was loaded, while its bytes are there.
struct Unit {
  Code code;
  const uint8_t *bytes;
  size_t size;
};

struct CudaExecutable : Executable {
  explicit CudaExecutable(const hone_allocator_t *allocator) : units(allocator), kernels(allocator) {}
  Array<Code> units;
  Array<Kernel> kernels;
};
} // namespace

const Kernel &cuda::kernelOf(const Executable *executable, uint32_t index) {
  return static_cast<const CudaExecutable *>(executable)->kernels[index];
}

/// "sm_90a, compute_80": the forms of a unit.
static void listForms(const format::CudaImage &image, uint32_t unit, char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  for (uint32_t i = 0; i < image.entryCount && used < size; ++i) {
    const format::CudaImageEntry &entry = image.entries[i];
    if (entry.unit != unit)
      continue;
    char suffix[2] = {static_cast<char>(entry.suffix), 0};
    used += snprintf(text + used, size - used, "%s%s_%u%s", used ? ", " : "",
                     entry.kind == format::CudaCodeKind::Cubin ? "sm" : "compute", entry.architecture, suffix);
  }
}

/// Whether the parts that a cubin's ELF headers name lie within it: the driver is told no size.
static bool isWhole(const uint8_t *code, size_t size) {
  constexpr size_t kHeader = 64, kSection = 64, kSegment = 56;
  auto word = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    memcpy(&value, code + at, bytes);
    return value;
  };
  auto holds = [&](uint64_t offset, uint64_t count, uint64_t each) {
    return offset <= size && count * each <= size - offset;
  };
  static constexpr uint8_t kElf64[5] = {0x7f, 'E', 'L', 'F', 2};
  if (size < kHeader || memcmp(code, kElf64, sizeof(kElf64)))
    return false;
  uint64_t segments = word(32, 8), segmentCount = word(56, 2), sections = word(40, 8), sectionCount = word(60, 2);
  if (!holds(segments, segmentCount, kSegment) || !holds(sections, sectionCount, kSection))
    return false;
  if ((segmentCount && word(54, 2) != kSegment) || (sectionCount && word(58, 2) != kSection))
    return false;
  for (uint64_t i = 0; i < segmentCount; ++i)
    if (!holds(word(segments + i * kSegment + 8, 8), 1, word(segments + i * kSegment + 32, 8)))
      return false;
  constexpr uint64_t kNoBits = 8;
  for (uint64_t i = 0; i < sectionCount; ++i) {
    size_t section = sections + i * kSection;
    if (word(section + 4, 4) != kNoBits && !holds(word(section + 24, 8), 1, word(section + 32, 8)))
      return false;
  }
  return true;
}

/// Whether a result of loading says that the code is for another device or driver, not that it is damaged.
static bool isMismatch(Result result) {
  return result == NoBinaryForDevice || result == InvalidPtx || result == UnsupportedPtx || result == NoPtxCompiler;
}

static hone_status_t loadUnit(const CudaDevice &device, const char *target, const format::CudaImage &image,
                              uint32_t unit, Unit &loaded) {
  const format::CudaImageEntry *entry = format::chooseCudaEntry(image, unit, device.major, device.minor);
  char text[160];
  if (!entry) {
    listForms(image, unit, text, sizeof(text));
    return makeStatus(HONE_INCOMPATIBLE, "'%.64s' is compiled for %s; the device has compute capability %u.%u", target,
                      text, device.major, device.minor);
  }
  if (entry->kind == format::CudaCodeKind::Cubin && !isWhole(image.bytes + entry->offset, entry->size))
    return makeStatus(HONE_MALFORMED, "'%.64s': the code of unit %u is damaged", target, unit);
  char log[400] = "";
  LoadOption options[2] = {ErrorLog, ErrorLogSize};
  void *values[2] = {log, reinterpret_cast<void *>(sizeof(log))};
  loaded = {nullptr, image.bytes + entry->offset, entry->size};
  Result result = device.api.codeLoad(&loaded.code, loaded.bytes, 2, options, values);
  if (!result)
    return nullptr;
  log[sizeof(log) - 1] = 0;
  if (result != InvalidImage && !isMismatch(result))
    return device.check(result, "load code");
  snprintf(text, sizeof(text), "%s", device.api.describe(result).text);
  return makeStatus(isMismatch(result) ? HONE_INCOMPATIBLE : HONE_MALFORMED,
                    "'%.64s': the driver refuses the code of unit %u: %s%s%s", target, unit, text, *log ? ": " : "",
                    log);
}

/// How the kernel is launched: as its description says, or with as many threads as it was compiled for.
static hone_status_t readyKernel(const CudaDevice &device, const KernelDescription &wanted, Kernel &kernel) {
  int threads = 0;
  HONE_TRY(device.check(device.api.functionGet(&threads, MaxThreads, kernel.function), "ask about a kernel"));
  if (wanted.workgroupSize > static_cast<uint32_t>(threads))
    return makeStatus(HONE_INCOMPATIBLE, "kernel '%.128s' has workgroups of %u threads; cuda:%u runs it with %d",
                      wanted.name, wanted.workgroupSize, device.number, threads);
  kernel.threads = wanted.workgroupSize ? wanted.workgroupSize : static_cast<uint32_t>(threads);
  kernel.sharedBytes = wanted.sharedBytes;
  if (!wanted.sharedBytes)
    return nullptr;
  return device.check(device.api.functionSet(kernel.function, MaxDynamicSharedBytes, int(wanted.sharedBytes)),
                      "reserve workgroup memory");
}

/// Whether `name` stands by itself in the machine code or the PTX of a unit: as a symbol has to.
static bool mentions(const Unit &unit, const char *name) {
  auto isWord = [](uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
  };
  size_t length = strlen(name);
  const uint8_t *end = unit.bytes + unit.size;
  for (const uint8_t *at = unit.bytes; at < end; ++at) {
    at = static_cast<const uint8_t *>(memmem(at, static_cast<size_t>(end - at), name, length));
    if (!at)
      return false;
    if ((at == unit.bytes || !isWord(at[-1])) && (at + length == end || !isWord(at[length])))
      return true;
  }
  return false;
}

/// Looks in the unit where the last kernel was first: kernels come in the order of the units. Only units that mention
/// the kernel are asked: a call that fails is for tools that watch them a mistake of the program.
static hone_status_t findKernel(const CudaDevice &device, const Array<Unit> &units, const KernelDescription &wanted,
                                size_t &unit, Kernel &kernel) {
  size_t count = *wanted.name ? units.size() : 0;
  for (size_t tried = 0; tried < count; ++tried, unit = unit + 1 == count ? 0 : unit + 1) {
    if (!mentions(units[unit], wanted.name))
      continue;
    Result result = device.api.codeFunction(&kernel.function, units[unit].code, wanted.name);
    if (!result)
      return readyKernel(device, wanted, kernel);
    if (result != NotFound)
      return device.check(result, "find a kernel");
  }
  return makeStatus(HONE_MALFORMED, "kernel code: no function '%.128s' in it", wanted.name);
}

/// Which kernel an error about a unit is about: the one that the compiler of the driver names, or the only one in it.
static hone_status_t blame(hone_status_t status, const Unit &unit, const KernelDescription *kernels, size_t count) {
  const char *message = hone_status_message(status);
  Unit text = {nullptr, reinterpret_cast<const uint8_t *>(message), strlen(message)};
  size_t inside = 0, last = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!*kernels[i].name || !unit.bytes || !mentions(unit, kernels[i].name))
      continue;
    if (mentions(text, kernels[i].name))
      return aboutKernel(status, i);
    ++inside;
    last = i;
  }
  return inside == 1 ? aboutKernel(status, last) : status;
}

static hone_status_t load(const CudaDevice &device, const char *target, const format::CudaImage &image,
                          const KernelDescription *kernels, size_t kernelCount, CudaExecutable &executable) {
  if (!executable.units.reserve(image.unitCount) || !executable.kernels.resize(kernelCount))
    return outOfMemory(kernelCount * sizeof(Kernel), "kernels");
  Array<Unit> units(device.allocator);
  if (!units.resize(image.unitCount))
    return outOfMemory(image.unitCount * sizeof(Unit), "kernels");
  Entered entered(device);
  for (uint32_t unit = 0; unit < image.unitCount; ++unit) {
    if (hone_status_t status = loadUnit(device, target, image, unit, units[unit]))
      return blame(status, units[unit], kernels, kernelCount);
    if (!executable.units.push(units[unit].code))
      return outOfMemory(sizeof(Code), "kernels");
  }
  size_t unit = 0;
  for (size_t i = 0; i < kernelCount; ++i)
    if (hone_status_t status = findKernel(device, units, kernels[i], unit, executable.kernels[i]))
      return aboutKernel(status, i);
  return nullptr;
}

/// Opens an image in place, or a copy of it when it came in bytes that are not aligned.
static hone_status_t openImage(const uint8_t *code, size_t size, Array<uint8_t> &aligned, format::CudaImage &image) {
  if (reinterpret_cast<uintptr_t>(code) % format::kAlignment) {
    if (!aligned.resize(size))
      return outOfMemory(size, "kernel code");
    memcpy(aligned.begin(), code, size);
    code = aligned.begin();
  }
  format::Error error;
  return format::openCudaImage(code, size, image, error) ? nullptr : makeStatus(HONE_MALFORMED, "%s", error.text);
}

/// By the worst unit: machine code before PTX, then the later architecture, then the one for this device alone.
uint32_t cuda::fit(Device *base, const ExecutableNeeds &, const uint8_t *code, size_t size) {
  const CudaDevice &device = deviceOf(base);
  Array<uint8_t> aligned(device.allocator);
  format::CudaImage image;
  if (hone_status_t status = openImage(code, size, aligned, image)) {
    hone_status_free(status);
    return 0;
  }
  uint32_t worst = UINT32_MAX;
  for (uint32_t unit = 0; unit < image.unitCount; ++unit) {
    const format::CudaImageEntry *entry = format::chooseCudaEntry(image, unit, device.major, device.minor);
    uint32_t machine = entry && entry->kind == format::CudaCodeKind::Cubin;
    uint32_t own = entry ? machine << 24 | (entry->architecture & 0xffff) << 1 | (entry->suffix != 0) : 0;
    worst = own < worst ? own : worst;
  }
  return worst;
}

hone_status_t cuda::executableCreate(Device *base, const ExecutableNeeds &needs, const uint8_t *code, size_t size,
                                     const KernelDescription *kernels, size_t kernelCount, Executable **outExecutable) {
  HONE_TRY(accepts(base, needs));
  const CudaDevice &device = deviceOf(base);
  Array<uint8_t> aligned(device.allocator);
  format::CudaImage image;
  HONE_TRY(openImage(code, size, aligned, image));
  auto *executable = make<CudaExecutable>(device.allocator, device.allocator);
  if (!executable)
    return outOfMemory(sizeof(CudaExecutable), "an executable");
  if (hone_status_t status = load(device, needs.target, image, kernels, kernelCount, *executable)) {
    executableDestroy(base, executable);
    return status;
  }
  *outExecutable = executable;
  return nullptr;
}

void cuda::executableDestroy(Device *base, Executable *executable) {
  if (!executable)
    return;
  const CudaDevice &device = deviceOf(base);
  Entered entered(device);
  auto *own = static_cast<CudaExecutable *>(executable);
  for (Code code : own->units)
    device.api.codeUnload(code);
  destroy(device.allocator, own);
}
