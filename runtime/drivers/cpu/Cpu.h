//===- Cpu.h - The driver of processors -*- C++ -*-===//
//
// Kernels are functions of an ELF image, buffers are host memory, a stream is
// the calling thread and its helpers. Work is done when `submit` returns.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CPU_CPU_H
#define HONE_RUNTIME_DRIVERS_CPU_CPU_H

#include "runtime/hal/device.h"

namespace hone::cpu {

/// What the compiler emits: computes workgroups [begin, end), never none.
using Kernel = void (*)(uint8_t *const *buffers, const int64_t *scalars, int64_t begin, int64_t end);

/// The driver's table.
const hal::DeviceTable &driver();

/// The function of a kernel.
Kernel kernelOf(const hal::Executable *executable, uint32_t index);

// Stream.cpp: the entries of the table that work on streams.
hone_status_t streamCreate(hal::Device *device, const hal::StreamOptions &options, hal::Stream **outStream);
void streamDestroy(hal::Device *device, hal::Stream *stream);
hone_status_t takes(hal::Device *device, const hal::Command &launch);
hone_status_t submit(hal::Stream *stream, const hal::Command &command);
hone_status_t upload(hal::Stream *stream, const void *source, const hal::Span &target);
hone_status_t download(hal::Stream *stream, const hal::Span &source, void *target);
hone_status_t wait(hal::Stream *stream);
hone_status_t record(hal::Stream *stream, const hal::Command *commands, size_t count, hal::Recording **recording);
hone_status_t replay(hal::Stream *stream, hal::Recording *recording);
void recordingDestroy(hal::Stream *stream, hal::Recording *recording);
void parallel(hal::Stream *stream, size_t count, void (*body)(void *, size_t), void *context);

} // namespace hone::cpu

#endif // HONE_RUNTIME_DRIVERS_CPU_CPU_H
