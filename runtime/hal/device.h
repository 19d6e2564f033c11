//===- device.h - What a driver must provide -*- C++ -*-===//
//
// The boundary between the runtime and one device API. The module's plan says
// which kernels run on which bytes; a driver holds memory, moves bytes and
// launches. It makes no decisions.
//
// A driver is one static table and every entry is set: a device that lacks an
// ability says HONE_INCOMPATIBLE, so that no caller tests for null. The suite
// in test/cts runs unchanged against every driver.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_HAL_DEVICE_H
#define HONE_RUNTIME_HAL_DEVICE_H

#include "runtime/base/Memory.h"
#include "runtime/base/Status.h"

namespace hone::hal {

struct DeviceTable;

/// First member of every driver's device. Used by many threads.
struct Device {
  const DeviceTable *table;
  const hone_allocator_t *allocator;
  /// Kernels read and write host memory: the session binds the caller's tensors
  /// in place, and `host` of every buffer is set.
  bool unified;
  /// Kernels reach memory by the addresses that the device's API gives out: the
  /// session binds the caller's device memory in place.
  bool addressable;
  char description[512];
};

/// First member of every driver's buffer. On unified and addressable devices
/// the session also makes its own, around memory it did not allocate.
struct Buffer {
  void *host; ///< null where the processor cannot reach the bytes
  uint64_t size;
  /// Where an addressable device sees the bytes.
  uint64_t address;
  /// `host` and `address` change from run to run: recordings read them when
  /// replayed.
  bool external;
  bool readOnly; ///< inputs and constants
};

/// A byte range of a buffer; how kernels see memory.
struct Span {
  Buffer *buffer;
  uint64_t offset, size;
};

// Drivers derive their own from these: types of one name would be one type to
// the linker, and a program has several drivers.

/// Loaded code; holds its kernels in the order their descriptions were given.
struct Executable {};
/// An order of work on the device; a session owns one.
struct Stream {};
/// Commands made ready for replay (on CUDA a graph).
struct Recording {};

enum class CommandKind : uint8_t { Launch, Copy, Fill, Write };

struct Command {
  CommandKind kind;
  uint32_t tag; ///< which timer it counts to
  // Launch: `grid` workgroups, numbered from 0.
  Executable *executable;
  uint32_t kernel; ///< position among the executable's kernels
  int64_t grid;
  /// Launch: the kernel's buffers. Copy: target, source, of equal size.
  /// Fill, Write: target.
  const Span *spans;
  uint32_t spanCount;
  /// Launch: the kernel's scalars. Fill: the byte. Write: up to 8 bytes, the
  /// low ones first, as many as the target has.
  const int64_t *scalars;
  uint32_t scalarCount;
};

struct Timer {
  uint64_t calls, nanoseconds;
};

struct StreamOptions {
  const hone_allocator_t *allocator;
  uint32_t threads;
  const hone_parallel_for_t *parallelFor; ///< null for own threads; copied
  Timer *timers;                          ///< null, or one a tag, which every command counts to
};

/// What an executable of the module needs.
struct ExecutableNeeds {
  const char *target, *format;
  const char *const *features;
  size_t featureCount;
};

/// A kernel of an executable.
struct KernelDescription {
  const char *name; ///< its symbol in the code
  uint32_t buffers, scalars;
  uint32_t workgroupSize; ///< threads of a workgroup; 0 on devices without
  uint32_t sharedBytes;   ///< memory of a workgroup that the launch provides
};

struct DeviceTable {
  /// As in hone_device_create, in targets, and the folder under drivers/.
  const char *name;

  hone_status_t (*create)(uint32_t ordinal, const hone_allocator_t *allocator, Device **outDevice);
  void (*destroy)(Device *);

  /// Null when code with these needs runs here; otherwise HONE_INCOMPATIBLE
  /// with a message that says what the device lacks.
  hone_status_t (*accepts)(Device *, const ExecutableNeeds &needs);
  /// How much of the device code that it accepts makes use of. Of several the
  /// one with the largest number is loaded first.
  uint32_t (*fit)(Device *, const ExecutableNeeds &needs, const uint8_t *code, size_t size);

  hone_status_t (*bufferCreate)(Device *, const hone_allocator_t *allocator, uint64_t size, Buffer **outBuffer);
  /// Work on the buffer must be complete; so it is with executables.
  void (*bufferDestroy)(Device *, Buffer *);

  /// Borrows the code and the descriptions for the call. An error about one of
  /// the kernels says which (`aboutKernel`).
  hone_status_t (*executableCreate)(Device *, const ExecutableNeeds &needs, const uint8_t *code, size_t size,
                                    const KernelDescription *kernels, size_t kernelCount, Executable **outExecutable);
  void (*executableDestroy)(Device *, Executable *);

  hone_status_t (*streamCreate)(Device *, const StreamOptions &options, Stream **outStream);
  /// Waits for the stream's work.
  void (*streamDestroy)(Device *, Stream *);

  /// Null when the device can do the launch; otherwise the error that `submit`
  /// and `record` end with. Asked before launches are recorded, while it is
  /// known whose they are.
  hone_status_t (*takes)(Device *, const Command &launch);

  // In order among themselves; complete at `wait`. Spans lie within their
  // buffers and nothing is allocated. `read` waits by itself.
  hone_status_t (*submit)(Stream *, const Command &command);
  hone_status_t (*upload)(Stream *, const void *source, const Span &target);
  hone_status_t (*download)(Stream *, const Span &source, void *target);
  hone_status_t (*read)(Stream *, const Span &source, void *target);
  hone_status_t (*wait)(Stream *);

  /// Makes commands ready for replay; `recording` is null or an earlier one of
  /// this stream, whose memory is used again. On failure it is left to be
  /// destroyed or recorded anew.
  hone_status_t (*record)(Stream *, const Command *commands, size_t count, Recording **recording);
  hone_status_t (*replay)(Stream *, Recording *);
  void (*recordingDestroy)(Stream *, Recording *);

  /// Runs body(context, i) for every i below `count` on the stream's threads:
  /// for the runtime's own large copies.
  void (*parallel)(Stream *, size_t count, void (*body)(void *, size_t), void *context);
};

} // namespace hone::hal

/// The C API's device is a driver's.
struct hone_device_s {
  hone::hal::Device *impl;
  hone_allocator_t allocator;
};

#endif // HONE_RUNTIME_HAL_DEVICE_H
