//===- Module.h - A loaded .hone file -*- C++ -*-===//
//
// The verified table, the program chosen for the device, its code, and the
// constants, which the first session makes ready for all. Read-only after that:
// any number of sessions share it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_MODULE_MODULE_H
#define HONE_RUNTIME_MODULE_MODULE_H

#include "runtime/format/Format.h"
#include "runtime/hal/device.h"

#include <pthread.h>

namespace hone {

/// A kernel of the table where the device has it.
struct KernelHandle {
  hal::Executable *executable; ///< null: not used by the chosen program
  uint32_t index;              ///< within the executable
};

/// The ONNX nodes of a kernel as C strings, for profiles.
struct NodeList {
  size_t first, count;
};

} // namespace hone

struct hone_module_s {
  explicit hone_module_s(hone::hal::Device *device)
      : device(device), allocator(device->allocator), executables(allocator), kernels(allocator), nodes(allocator),
        nodeLists(allocator) {}
  ~hone_module_s();

  hone_status_t load(const hone_module_options_t &options);
  /// Makes the constants reachable for kernels; once, by the first session.
  hone_status_t prepareConstants(hone::hal::Stream *stream);

  size_t inputCount() const { return table->inputs() ? table->inputs()->size() : 0; }
  size_t outputCount() const { return table->outputs() ? table->outputs()->size() : 0; }
  size_t kernelCount() const { return table->kernels() ? table->kernels()->size() : 0; }
  /// Adds the nodes of a kernel to a status.
  hone_status_t blame(hone_status_t status, uint32_t kernel) const;

  hone::hal::Device *device;
  const hone_allocator_t *allocator;
  const uint8_t *bytes = nullptr;
  size_t size = 0;
  bool mapped = false; ///< `bytes` is a mapping of ours

  const hone::format::Module *table = nullptr;
  uint8_t *tableCopy = nullptr; ///< when the bytes were not aligned
  size_t tableCopySize = 0;
  const hone::format::Program *program = nullptr;
  size_t programIndex = 0;

  hone::Array<hone::hal::Executable *> executables;
  hone::Array<hone::KernelHandle> kernels;
  hone::Array<const char *> nodes;
  hone::Array<hone::NodeList> nodeLists;

  hone_constants_t constantsMode = HONE_CONSTANTS_AUTO;
  /// What plans name: either `ownConstants` or the file's bytes.
  hone::hal::Buffer *constants = nullptr;

private:
  hone_status_t openTable();
  hone_status_t chooseProgram(const char *target);
  hone_status_t judgeProgram(const hone::format::Program &candidate, uint32_t &fit);
  hone_status_t loadProgram(size_t index);
  hone_status_t markUsed(const hone::format::Program &candidate, hone::Array<uint8_t> &used);
  hone_status_t needsOf(size_t index, hone::Array<const char *> &features, hone::hal::ExecutableNeeds &needs) const;
  hone_status_t loadExecutable(size_t index);
  hone_status_t listNodes();
  void dropExecutables();
  bool wantsCopy(uint64_t bytes) const;
  hone_status_t copyConstants(hone::hal::Stream *stream, const uint8_t *source, uint64_t count);

  hone::hal::Buffer *ownConstants = nullptr;
  hone::hal::Buffer inPlace = {};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

#endif // HONE_RUNTIME_MODULE_MODULE_H
