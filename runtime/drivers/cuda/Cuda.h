//===- Cuda.h - The driver of NVIDIA GPUs -*- C++ -*-===//
//
// Kernels are functions of cubins (or PTX, which the driver compiles), buffers
// are device memory, a recording is a graph. Shares the device's primary context
// with whatever else in the process uses CUDA, so that addresses are common.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_CUDA_H
#define HONE_RUNTIME_DRIVERS_CUDA_CUDA_H

#include "runtime/drivers/cuda/Api.h"
#include "runtime/hal/device.h"

namespace hone::cuda {

/// The driver's table.
const hal::DeviceTable &driver();

struct CudaDevice : hal::Device {
  Api api;
  uint32_t number; ///< as in "cuda:0"
  Ordinal ordinal;
  Context context;
  uint32_t major, minor; ///< compute capability
  uint64_t memoryBytes;

  /// What went wrong while `doing` something: "cuda:0: cannot <doing>: <the driver's words>". Null for success.
  hone_status_t check(Result result, const char *doing) const;
};

/// A kernel, ready to be launched.
struct Kernel {
  Function function;
  uint32_t threads; ///< per workgroup
  uint32_t sharedBytes;
};

inline CudaDevice &deviceOf(hal::Device *device) { return *static_cast<CudaDevice *>(device); }
inline Address addressOf(const hal::Span &span) { return span.buffer->address + span.offset; }

/// Makes the device's context the thread's while in scope. Every entry of the table opens one: threads of the
/// application come with any context or none.
class Entered {
public:
  explicit Entered(const CudaDevice &device) : api(device.api), pushed(!device.api.contextPush(device.context)) {}
  ~Entered() {
    Context popped;
    if (pushed)
      api.contextPop(&popped);
  }
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;

private:
  const Api &api;
  bool pushed;
};

// Device.cpp
hone_status_t accepts(hal::Device *device, const hal::ExecutableNeeds &needs);

// Executable.cpp
uint32_t fit(hal::Device *device, const hal::ExecutableNeeds &needs, const uint8_t *code, size_t size);
hone_status_t executableCreate(hal::Device *device, const hal::ExecutableNeeds &needs, const uint8_t *code, size_t size,
                               const hal::KernelDescription *kernels, size_t kernelCount,
                               hal::Executable **outExecutable);
void executableDestroy(hal::Device *device, hal::Executable *executable);
const Kernel &kernelOf(const hal::Executable *executable, uint32_t index);

// Stream.cpp
hone_status_t streamCreate(hal::Device *device, const hal::StreamOptions &options, hal::Stream **outStream);
void streamDestroy(hal::Device *device, hal::Stream *stream);
hone_status_t submit(hal::Stream *stream, const hal::Command &command);
hone_status_t upload(hal::Stream *stream, const void *source, const hal::Span &target);
hone_status_t download(hal::Stream *stream, const hal::Span &source, void *target);
hone_status_t read(hal::Stream *stream, const hal::Span &source, void *target);
hone_status_t wait(hal::Stream *stream);
void parallel(hal::Stream *stream, size_t count, void (*body)(void *, size_t), void *context);

// Recording.cpp
hone_status_t record(hal::Stream *stream, const hal::Command *commands, size_t count, hal::Recording **recording);
hone_status_t replay(hal::Stream *stream, hal::Recording *recording);
void recordingDestroy(hal::Stream *stream, hal::Recording *recording);

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_CUDA_H
