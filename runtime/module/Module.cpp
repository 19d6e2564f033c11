//===- Module.cpp - Loading .hone files -----------------------------------===//
//
// Verify the table, take of the programs the device runs the one that fits it
// best, load its code. When none runs, the error says for each what is missing.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Module.h"
#include "runtime/format/Plan.h"
#include "runtime/hal/Registry.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hone;

hone_module_s::~hone_module_s() {
  dropExecutables();
  if (ownConstants)
    device->table->bufferDestroy(device, ownConstants);
  if (tableCopy)
    allocator->release(allocator->self, tableCopy, tableCopySize, kCacheLine);
  if (mapped)
    munmap(const_cast<uint8_t *>(bytes), size);
  pthread_mutex_destroy(&mutex);
}

void hone_module_s::dropExecutables() {
  for (hal::Executable *&executable : executables) {
    if (executable)
      device->table->executableDestroy(device, executable);
    executable = nullptr;
  }
}

hone_status_t hone_module_s::openTable() {
  format::Error error;
  bool aligned = reinterpret_cast<uintptr_t>(bytes) % format::kAlignment == 0;
  if (aligned) {
    table = format::openModule(bytes, size, error);
  } else {
    format::FileHeader header;
    if (!format::verifyHeader(bytes, size, header, error))
      return makeStatus(HONE_MALFORMED, "%s", error.text);
    const uint8_t *source = bytes + header.tableOffset;
    if (format::checksum(source, header.tableSize) != header.tableChecksum)
      return makeStatus(HONE_MALFORMED, "the table's checksum does not match its bytes");
    tableCopy = static_cast<uint8_t *>(allocator->allocate(allocator->self, header.tableSize, kCacheLine));
    if (!tableCopy)
      return outOfMemory(header.tableSize, "the table");
    tableCopySize = header.tableSize;
    memcpy(tableCopy, source, header.tableSize);
    table = format::openTable(tableCopy, tableCopySize, size, error);
  }
  return table ? nullptr : makeStatus(HONE_MALFORMED, "%s", error.text);
}

hone_status_t hone_module_s::listNodes() {
  if (!nodeLists.resize(kernelCount()))
    return outOfMemory(kernelCount() * sizeof(NodeList), "kernels");
  for (size_t i = 0; i < kernelCount(); ++i) {
    const auto *names = table->kernels()->Get(i)->nodes();
    nodeLists[i] = {nodes.size(), names ? names->size() : 0};
    for (size_t n = 0; n < nodeLists[i].count; ++n)
      if (!nodes.push(names->Get(n)->c_str()))
        return outOfMemory(nodes.size() * sizeof(char *), "node names");
  }
  return nullptr;
}

hone_status_t hone_module_s::blame(hone_status_t status, uint32_t kernel) const {
  char text[512] = "";
  size_t used = 0;
  const NodeList &list = nodeLists[kernel];
  for (size_t i = 0; i < list.count && used < sizeof(text); ++i)
    used += snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "", nodes[list.first + i]);
  return withNode(status, text);
}

/// Which executables a program launches kernels of.
hone_status_t hone_module_s::markUsed(const format::Program &candidate, Array<uint8_t> &used) {
  size_t count = executables.size();
  used.clear();
  if (!used.resize(count))
    return outOfMemory(count, "executables");
  const int32_t *code = candidate.code()->data();
  size_t words = candidate.code()->size();
  for (size_t at = 0; at < words; at += format::instructionLength(code, words, at))
    if (code[at] == static_cast<int32_t>(format::Opcode::Launch))
      used[table->kernels()->Get(code[at + 1])->executable()] = 1;
  return nullptr;
}

hone_status_t hone_module_s::needsOf(size_t index, Array<const char *> &features, hal::ExecutableNeeds &needs) const {
  const format::Executable &executable = *table->executables()->Get(index);
  if (const auto *list = executable.features())
    for (const auto *feature : *list)
      if (!features.push(feature->c_str()))
        return outOfMemory(sizeof(char *), "features");
  needs = {executable.target()->c_str(), executable.format()->c_str(), features.begin(), features.size()};
  return nullptr;
}

hone_status_t hone_module_s::loadExecutable(size_t index) {
  const format::Segment &code = *table->executables()->Get(index)->code();
  Array<const char *> features(allocator);
  Array<hal::KernelDescription> descriptions(allocator);
  hal::ExecutableNeeds needs;
  HONE_TRY(needsOf(index, features, needs));
  format::Error error;
  if (!format::verifySegment(bytes, code, "kernel code", error))
    return makeStatus(HONE_MALFORMED, "%s", error.text);
  for (size_t i = 0; i < kernelCount(); ++i)
    if (table->kernels()->Get(i)->executable() == index) {
      const format::Kernel &kernel = *table->kernels()->Get(i);
      kernels[i].index = static_cast<uint32_t>(descriptions.size());
      if (!descriptions.push({kernel.name()->c_str(), kernel.buffers(), kernel.scalars(), kernel.workgroup_size(),
                              kernel.shared_bytes()}))
        return outOfMemory(sizeof(hal::KernelDescription), "kernels");
    }
  hone_status_t status =
      device->table->executableCreate(device, needs, bytes + code.offset(), code.size(), descriptions.begin(),
                                      descriptions.size(), &executables[index]);
  for (size_t i = 0; i < kernelCount(); ++i) {
    if (table->kernels()->Get(i)->executable() != index)
      continue;
    kernels[i].executable = executables[index];
    if (kernels[i].index == kernelAtFault(status))
      status = blame(status, static_cast<uint32_t>(i));
  }
  return status;
}

/// Why a program cannot run here, or how well it fits: as well as the worst of its executables. No code is loaded.
hone_status_t hone_module_s::judgeProgram(const format::Program &candidate, uint32_t &fit) {
  if (!hal::targetBelongsTo(candidate.target()->c_str(), device->table->name))
    return makeStatus(HONE_INCOMPATIBLE, "'%.64s' is not for this device", candidate.target()->c_str());
  Array<uint8_t> used(allocator);
  HONE_TRY(markUsed(candidate, used));
  fit = UINT32_MAX;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    Array<const char *> features(allocator);
    hal::ExecutableNeeds needs;
    HONE_TRY(needsOf(i, features, needs));
    const format::Segment &code = *table->executables()->Get(i)->code();
    HONE_TRY(device->table->accepts(device, needs));
    uint32_t own = device->table->fit(device, needs, bytes + code.offset(), code.size());
    if (own < fit)
      fit = own;
  }
  return nullptr;
}

hone_status_t hone_module_s::loadProgram(size_t index) {
  const format::Program &candidate = *table->programs()->Get(index);
  Array<uint8_t> used(allocator);
  HONE_TRY(markUsed(candidate, used));
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i])
      HONE_TRY(loadExecutable(i));
  program = &candidate;
  programIndex = index;
  return nullptr;
}

namespace {
/// A program in the choice; rejected ones have said why.
struct Candidate {
  bool open;
  uint32_t fit;
};

/// Sentences in a row, as many as there is room for.
class Reasons {
public:
  void add(const char *text) {
    if (used < sizeof(buffer))
      used += snprintf(buffer + used, sizeof(buffer) - used, "%s%s", used ? "; " : "", text);
  }
  /// Takes a status that is no other error than an incompatibility; leaves others to the caller.
  hone_status_t take(hone_status_t status) {
    if (hone_status_code(status) != HONE_INCOMPATIBLE)
      return status;
    add(hone_status_message(status));
    if (!*nodes)
      snprintf(nodes, sizeof(nodes), "%s", hone_status_node(status));
    hone_status_free(status);
    return nullptr;
  }
  const char *text() const { return buffer; }
  /// Of the first that named some.
  const char *nodesAtFault() const { return nodes; }

private:
  char buffer[800] = "", nodes[512] = "";
  size_t used = 0;
};
} // namespace

static const Candidate *bestOf(const Array<Candidate> &candidates) {
  const Candidate *best = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.open && (!best || candidate.fit > best->fit))
      best = &candidate;
  return best;
}

hone_status_t hone_module_s::chooseProgram(const char *target) {
  size_t count = table->executables() ? table->executables()->size() : 0;
  Array<Candidate> candidates(allocator);
  if (!executables.resize(count) || !kernels.resize(kernelCount()) || !candidates.resize(table->programs()->size()))
    return outOfMemory(count * sizeof(void *), "executables");
  Reasons reasons, all;
  bool asked = false;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const format::Program &candidate = *table->programs()->Get(i);
    all.add(candidate.target()->c_str());
    candidates[i] = {};
    if (target && !hal::targetBelongsTo(candidate.target()->c_str(), target))
      continue;
    asked = true;
    hone_status_t status = judgeProgram(candidate, candidates[i].fit);
    candidates[i].open = !status;
    if (status)
      HONE_TRY(reasons.take(status));
  }
  if (!asked)
    return makeStatus(HONE_INCOMPATIBLE, "the module has no program for '%.64s'; it has: %s", target, all.text());
  while (const Candidate *best = bestOf(candidates)) {
    size_t index = static_cast<size_t>(best - candidates.begin());
    hone_status_t status = loadProgram(index);
    if (!status)
      return nullptr;
    dropExecutables();
    HONE_TRY(reasons.take(status));
    candidates[index].open = false;
  }
  return withNode(makeStatus(HONE_INCOMPATIBLE, "the module has no program for this device (%s): %s",
                             device->table->name, reasons.text()),
                  reasons.nodesAtFault());
}

hone_status_t hone_module_s::load(const hone_module_options_t &options) {
  HONE_TRY(openTable());
  HONE_TRY(listNodes());
  HONE_TRY(chooseProgram(options.target));
  constantsMode = options.constants;
  format::Error error;
  if (options.verify_constants && table->constant_data() &&
      !format::verifySegment(bytes, *table->constant_data(), "constants", error))
    return makeStatus(HONE_MALFORMED, "%s", error.text);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

/// Takes a mapping over, also on failure.
static hone_status_t createModule(hone_device_t *device, const uint8_t *bytes, size_t size, bool mapped,
                                  const hone_module_options_t *given, hone_module_t **outModule) {
  hone_module_options_t options = {};
  if (given)
    memcpy(static_cast<void *>(&options), given,
           given->struct_size < sizeof(options) ? given->struct_size : sizeof(options));
  auto *module = make<hone_module_s>(device->impl->allocator, device->impl);
  if (!module) {
    if (mapped)
      munmap(const_cast<uint8_t *>(bytes), size);
    return outOfMemory(sizeof(hone_module_s), "a module");
  }
  module->bytes = bytes;
  module->size = size;
  module->mapped = mapped;
  if (hone_status_t status = module->load(options)) {
    hone_module_destroy(module);
    return status;
  }
  *outModule = module;
  return nullptr;
}

hone_status_t hone_module_load(hone_device_t *device, const void *bytes, size_t size,
                               const hone_module_options_t *options, hone_module_t **out_module) {
  if (!device || !out_module || (!bytes && size))
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_module_load: NULL");
  return createModule(device, static_cast<const uint8_t *>(bytes), size, false, options, out_module);
}

static hone_status_t mapFile(const char *path, const uint8_t *&bytes, size_t &size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return makeStatus(HONE_NOT_FOUND, "cannot open '%.512s': %s", path, strerror(errno));
  struct stat info;
  void *mapping = MAP_FAILED;
  hone_status_t status = nullptr;
  if (fstat(file, &info) || !S_ISREG(info.st_mode))
    status = makeStatus(HONE_INVALID_ARGUMENT, "'%.512s' is not a file", path);
  else if (info.st_size == 0)
    status = makeStatus(HONE_MALFORMED, "'%.512s' is empty", path);
  else
    mapping = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  if (!status && mapping == MAP_FAILED)
    status = makeStatus(HONE_OUT_OF_MEMORY, "cannot map '%.512s': %s", path, strerror(errno));
  close(file);
  if (status)
    return status;
  bytes = static_cast<const uint8_t *>(mapping);
  size = static_cast<size_t>(info.st_size);
  return nullptr;
}

hone_status_t hone_module_load_file(hone_device_t *device, const char *path, const hone_module_options_t *options,
                                    hone_module_t **out_module) {
  if (!device || !path || !out_module)
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_module_load_file: NULL");
  const uint8_t *bytes = nullptr;
  size_t size = 0;
  HONE_TRY(mapFile(path, bytes, size));
  hone_status_t status = createModule(device, bytes, size, true, options, out_module);
  if (!status)
    return nullptr;
  hone_status_t named = makeStatus(hone_status_code(status), "'%.512s': %s", path, hone_status_message(status));
  hone_status_free(status);
  return named;
}

void hone_module_destroy(hone_module_t *module) {
  if (module)
    destroy(module->allocator, module);
}
