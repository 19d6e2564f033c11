//===- Api.h - The CUDA driver library, found at run time -*- C++ -*-===//
//
// Our own declarations of the part of the driver API that is used, under the
// names its library exports: nothing of CUDA is needed to build the runtime, and
// it starts where there is none. Numbers and layouts are CUDA's and frozen there.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_DRIVERS_CUDA_API_H
#define HONE_RUNTIME_DRIVERS_CUDA_API_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>

namespace hone::cuda {

/// What every function returns; those that are told apart have a name.
enum Result : int {
  Success = 0,
  InvalidValue = 1,
  NoMemory = 2,
  StubLibrary = 34,
  NewerDriverNeeded = 36,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForDevice = 209,
  UncorrectableMemory = 214,
  InvalidPtx = 218,
  NoPtxCompiler = 221,
  UnsupportedPtx = 222,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchTimeout = 702,
  Assertion = 710,
  HardwareStack = 714, // up to LaunchFailed: faults of kernels
  LaunchFailed = 719,
  SystemNotReady = 802,
};

using Ordinal = int;
using Address = unsigned long long;
using Context = struct ContextObject *;
using Code = struct CodeObject *;
using Function = struct FunctionObject *;
using Queue = struct QueueObject *;
using Event = struct EventObject *;
using Graph = struct GraphObject *;
using GraphNode = struct GraphNodeObject *;
using GraphExec = struct GraphExecObject *;

enum DeviceAttribute : int { MultiprocessorCount = 16, CapabilityMajor = 75, CapabilityMinor = 76 };
enum FunctionAttribute : int { MaxThreads = 0, MaxDynamicSharedBytes = 8 };
enum PointerAttribute : int { PointerMemoryType = 2 };
enum MemoryType : unsigned { HostMemory = 1, DeviceMemory = 2 };
enum LoadOption : int { ErrorLog = 5, ErrorLogSize = 6 };
inline constexpr unsigned kNonBlockingQueue = 1, kUntimedEvent = 2;

/// The last argument of a launch: the parameters as one block of bytes.
inline void *const kLaunchEnd = nullptr;
inline void *const kLaunchBytes = reinterpret_cast<void *>(1);
inline void *const kLaunchSize = reinterpret_cast<void *>(2);

struct KernelNode {
  Function function;
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  void **parameters;
  void **extra;
  void *kernel; ///< in place of `function`; null
  Context context;
};

struct CopySide {
  size_t x, y, z, level;
  MemoryType type;
  void *host;
  Address device;
  void *array, *reserved;
  size_t pitch, height;
};

struct CopyNode {
  CopySide source, target;
  size_t width, height, depth;
};

struct FillNode {
  Address target;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};

// X(member, exported name, parameters)
#define HONE_CUDA_FUNCTIONS(X)                                                                                         \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(driverVersion, "cuDriverGetVersion", (int *version))                                                               \
  X(errorName, "cuGetErrorName", (Result, const char **name))                                                          \
  X(errorText, "cuGetErrorString", (Result, const char **text))                                                        \
  X(deviceCount, "cuDeviceGetCount", (int *count))                                                                     \
  X(deviceGet, "cuDeviceGet", (Ordinal *, int ordinal))                                                                \
  X(deviceName, "cuDeviceGetName", (char *name, int size, Ordinal))                                                    \
  X(deviceMemory, "cuDeviceTotalMem_v2", (size_t *bytes, Ordinal))                                                     \
  X(deviceAttribute, "cuDeviceGetAttribute", (int *value, DeviceAttribute, Ordinal))                                   \
  X(contextRetain, "cuDevicePrimaryCtxRetain", (Context *, Ordinal))                                                   \
  X(contextRelease, "cuDevicePrimaryCtxRelease_v2", (Ordinal))                                                         \
  X(contextPush, "cuCtxPushCurrent_v2", (Context))                                                                     \
  X(contextPop, "cuCtxPopCurrent_v2", (Context *))                                                                     \
  X(memoryAllocate, "cuMemAlloc_v2", (Address *, size_t bytes))                                                        \
  X(memoryFree, "cuMemFree_v2", (Address))                                                                             \
  X(hostAllocate, "cuMemHostAlloc", (void **, size_t bytes, unsigned flags))                                           \
  X(hostFree, "cuMemFreeHost", (void *))                                                                               \
  X(pointerAttributes, "cuPointerGetAttributes", (unsigned count, PointerAttribute *, void **values, Address))         \
  X(copy, "cuMemcpyAsync", (Address target, Address source, size_t bytes, Queue))                                      \
  X(fill8, "cuMemsetD8Async", (Address, unsigned char, size_t count, Queue))                                           \
  X(fill16, "cuMemsetD16Async", (Address, unsigned short, size_t count, Queue))                                        \
  X(fill32, "cuMemsetD32Async", (Address, unsigned, size_t count, Queue))                                              \
  X(codeLoad, "cuModuleLoadDataEx", (Code *, const void *image, unsigned count, LoadOption *, void **values))          \
  X(codeUnload, "cuModuleUnload", (Code))                                                                              \
  X(codeFunction, "cuModuleGetFunction", (Function *, Code, const char *name))                                         \
  X(functionGet, "cuFuncGetAttribute", (int *value, FunctionAttribute, Function))                                      \
  X(functionSet, "cuFuncSetAttribute", (Function, FunctionAttribute, int value))                                       \
  X(launch, "cuLaunchKernel",                                                                                          \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,      \
     unsigned sharedBytes, Queue, void **parameters, void **extra))                                                    \
  X(queueCreate, "cuStreamCreate", (Queue *, unsigned flags))                                                          \
  X(queueDestroy, "cuStreamDestroy_v2", (Queue))                                                                       \
  X(queueWait, "cuStreamSynchronize", (Queue))                                                                         \
  X(eventCreate, "cuEventCreate", (Event *, unsigned flags))                                                           \
  X(eventDestroy, "cuEventDestroy_v2", (Event))                                                                        \
  X(eventRecord, "cuEventRecord", (Event, Queue))                                                                      \
  X(eventWait, "cuEventSynchronize", (Event))                                                                          \
  X(eventElapsed, "cuEventElapsedTime", (float *milliseconds, Event from, Event to))                                   \
  X(graphCreate, "cuGraphCreate", (Graph *, unsigned flags))                                                           \
  X(graphDestroy, "cuGraphDestroy", (Graph))                                                                           \
  X(graphAddKernel, "cuGraphAddKernelNode_v2",                                                                         \
    (GraphNode *, Graph, const GraphNode *after, size_t count, const KernelNode *))                                    \
  X(graphAddCopy, "cuGraphAddMemcpyNode",                                                                              \
    (GraphNode *, Graph, const GraphNode *after, size_t count, const CopyNode *, Context))                             \
  X(graphAddFill, "cuGraphAddMemsetNode",                                                                              \
    (GraphNode *, Graph, const GraphNode *after, size_t count, const FillNode *, Context))                             \
  X(graphAddEvent, "cuGraphAddEventRecordNode", (GraphNode *, Graph, const GraphNode *after, size_t count, Event))     \
  X(graphPrepare, "cuGraphInstantiateWithFlags", (GraphExec *, Graph, unsigned long long flags))                       \
  X(graphUpload, "cuGraphUpload", (GraphExec, Queue))                                                                  \
  X(graphLaunch, "cuGraphLaunch", (GraphExec, Queue))                                                                  \
  X(graphSetKernel, "cuGraphExecKernelNodeSetParams_v2", (GraphExec, GraphNode, const KernelNode *))                   \
  X(graphSetCopy, "cuGraphExecMemcpyNodeSetParams", (GraphExec, GraphNode, const CopyNode *, Context))                 \
  X(graphSetFill, "cuGraphExecMemsetNodeSetParams", (GraphExec, GraphNode, const FillNode *, Context))                 \
  X(graphExecDestroy, "cuGraphExecDestroy", (GraphExec))

/// The library's functions. One per device, so that nothing is global.
struct Api {
#define HONE_CUDA_MEMBER(member, name, parameters) Result(*member) parameters;
  HONE_CUDA_FUNCTIONS(HONE_CUDA_MEMBER)
#undef HONE_CUDA_MEMBER
  void *library = nullptr;

  /// Finds the library and starts the driver; HONE_NOT_FOUND where there is none.
  hone_status_t open();
  void close();

  /// The driver's words for a result, with its name.
  struct Words {
    char text[256];
  };
  Words describe(Result result) const;
};

} // namespace hone::cuda

#endif // HONE_RUNTIME_DRIVERS_CUDA_API_H
