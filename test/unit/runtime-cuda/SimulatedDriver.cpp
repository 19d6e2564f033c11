//===- SimulatedDriver.cpp - libcuda.so.1 without a GPU -------------------===//
//
// Strict where the real driver is lenient or merely slow: work is done only when
// somebody waits for it, device addresses are none of the processor's, memory
// holds garbage, pageable memory is refused. "Cubins" are ELF images for this
// processor with kernels in the CPU driver's form.
//
//===----------------------------------------------------------------------===//

#include "SimulatedDriver.h"
#include "runtime/drivers/cuda/Api.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace hone::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// What is added to host addresses: the processor faults on them.
constexpr Address kBias = Address(1) << 62;

using HostKernel = void (*)(uint8_t *const *buffers, const int64_t *scalars, int64_t begin, int64_t end);

} // namespace

namespace hone::cuda {
struct ContextObject {
  int users = 0;
};
struct CodeObject {
  void *library;
  int file; ///< open as long as the library: a second one under its path would be taken for it
};
struct FunctionObject {
  HostKernel kernel;
  CodeObject *code;
  int threads; ///< of a workgroup
};
struct QueueObject {
  std::deque<std::function<Result()>> work;
  size_t done = 0, given = 0;
};
struct EventObject {
  QueueObject *queue = nullptr;
  size_t position = 0;
  std::chrono::steady_clock::time_point time;
  bool timed = false, recorded = false;
};
struct GraphNodeObject {
  size_t index;
  std::function<Result()> work;
};
struct GraphObject {
  std::vector<std::unique_ptr<GraphNodeObject>> nodes;
};
struct GraphExecObject {
  std::vector<std::function<Result()>> nodes;
};
} // namespace hone::cuda

namespace {

struct State {
  std::recursive_mutex mutex;
  int devices = 1, major = 9, minor = 0;
  ContextObject context;
  std::map<Address, size_t> allocations, pinned;
  std::set<Queue> queues;
  std::map<std::pair<CodeObject *, std::string>, std::unique_ptr<FunctionObject>> functions;
  SimulatedCounts counts = {};
  size_t failAt = 0, faultAt = 0;
  int failWith = 0;
  std::string failFunction;
  Result lasting = Success;
};

State &state() {
  static State theState;
  return theState;
}

thread_local std::vector<Context> contexts;

/// Held by every call; says whether the call fails at once.
class Call {
public:
  Call(const char *name, bool needsContext) : lock(state().mutex) {
    State &s = state();
    ++s.counts.calls;
    if (s.failAt && --s.failAt == 0)
      result = static_cast<Result>(s.failWith);
    else if (s.failFunction == name) {
      s.failFunction.clear();
      result = static_cast<Result>(s.failWith);
    } else if (s.lasting)
      result = s.lasting;
    else if (needsContext && contexts.empty())
      result = static_cast<Result>(201);
  }
  Result result = Success;

private:
  std::lock_guard<std::recursive_mutex> lock;
};

#define BEGIN(name)                                                                                                    \
  Call call(name, true);                                                                                               \
  if (call.result)                                                                                                     \
  return call.result
#define BEGIN_WITHOUT_CONTEXT(name)                                                                                    \
  Call call(name, false);                                                                                              \
  if (call.result)                                                                                                     \
  return call.result

bool contains(const std::map<Address, size_t> &blocks, Address address, size_t size) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return false;
  auto [start, bytes] = *--after;
  return address - start <= bytes && size <= bytes - (address - start);
}

/// The processor's view of a device or pinned address; null for others.
uint8_t *translate(Address address, size_t size) {
  State &s = state();
  if (contains(s.allocations, address, size))
    return reinterpret_cast<uint8_t *>(address - kBias);
  if (contains(s.pinned, address, size))
    return reinterpret_cast<uint8_t *>(address);
  return nullptr;
}

Result launchNow(const FunctionObject &function, std::vector<uint64_t> words, unsigned grid) {
  State &s = state();
  ++s.counts.launches;
  if (s.faultAt && --s.faultAt == 0)
    return s.lasting = IllegalAddress;
  // Buffers come first: the words that are addresses.
  size_t buffers = 0;
  while (buffers < words.size()) {
    uint8_t *host = translate(words[buffers], 0);
    if (!host && words[buffers] >= kBias && words[buffers] < 2 * kBias)
      return s.lasting = IllegalAddress;
    if (!host)
      break;
    words[buffers++] = reinterpret_cast<uint64_t>(host);
  }
  function.kernel(reinterpret_cast<uint8_t *const *>(words.data()),
                  reinterpret_cast<const int64_t *>(words.data() + buffers), 0, grid);
  return Success;
}

/// The work of a launch; null when its arguments are bad.
std::function<Result()> makeLaunch(Function function, unsigned grid, unsigned threads, void **extra) {
  if (!function || !grid || grid > INT32_MAX || threads != unsigned(function->threads) || !extra ||
      extra[0] != kLaunchBytes || extra[2] != kLaunchSize || extra[4] != kLaunchEnd)
    return {};
  size_t size = *static_cast<size_t *>(extra[3]);
  auto *begin = static_cast<uint64_t *>(extra[1]);
  std::vector<uint64_t> words(begin, begin + size / 8);
  return [function, words, grid] { return launchNow(*function, words, grid); };
}

std::function<Result()> makeCopy(Address target, Address source, size_t size) {
  if (!translate(target, size) || !translate(source, size))
    return {};
  return [=] {
    uint8_t *to = translate(target, size), *from = translate(source, size);
    if (!to || !from)
      return state().lasting = IllegalAddress;
    // As undefined as the real one: backwards.
    for (size_t i = size; i-- > 0;)
      to[i] = from[i];
    return Success;
  };
}

std::function<Result()> makeFill(Address target, unsigned value, size_t elementSize, size_t count) {
  if (target % elementSize || !translate(target, count * elementSize))
    return {};
  return [=] {
    uint8_t *to = translate(target, count * elementSize);
    if (!to)
      return state().lasting = IllegalAddress;
    for (size_t i = 0; i < count; ++i)
      memcpy(to + i * elementSize, &value, elementSize);
    return Success;
  };
}

Result enqueue(Queue queue, std::function<Result()> work) {
  if (!work)
    return InvalidValue;
  queue->work.push_back(std::move(work));
  ++queue->given;
  return Success;
}

Result drain(Queue queue, size_t until) {
  while (queue->done < until && !queue->work.empty()) {
    auto work = std::move(queue->work.front());
    queue->work.pop_front();
    ++queue->done;
    if (Result result = work())
      return result;
  }
  return state().lasting;
}

/// What frees memory or code waits for everything.
void drainAll() {
  for (Queue queue : state().queues)
    drain(queue, queue->given);
}

} // namespace

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

EXPORT void simulatedReset() {
  State &s = state();
  s.devices = 1, s.major = 9, s.minor = 0;
  s.failAt = s.faultAt = 0;
  s.failFunction.clear();
  s.lasting = Success;
}
EXPORT void simulatedSetDevices(int count, int major, int minor) {
  state().devices = count, state().major = major, state().minor = minor;
}
EXPORT void simulatedFailCall(size_t call, int result) { state().failAt = call, state().failWith = result; }
EXPORT void simulatedFailFunction(const char *name, int result) {
  state().failFunction = name, state().failWith = result;
}
EXPORT void simulatedFault(size_t launch) { state().faultAt = launch; }
EXPORT SimulatedCounts simulatedCounts() {
  SimulatedCounts counts = state().counts;
  counts.contexts = state().context.users;
  counts.allocations = state().allocations.size();
  counts.pinned = state().pinned.size();
  return counts;
}

//===----------------------------------------------------------------------===//
// Driver, devices, contexts
//===----------------------------------------------------------------------===//

EXPORT Result cuInit(unsigned) {
  BEGIN_WITHOUT_CONTEXT("cuInit");
  return state().devices ? Success : NoDevice;
}
EXPORT Result cuDriverGetVersion(int *version) {
  BEGIN_WITHOUT_CONTEXT("cuDriverGetVersion");
  return *version = 13000, Success;
}
EXPORT Result cuGetErrorName(Result, const char **name) { return *name = "CUDA_ERROR_SIMULATED", Success; }
EXPORT Result cuGetErrorString(Result result, const char **text) {
  *text = result == IllegalAddress ? "an illegal memory access was encountered" : "a simulated error";
  return Success;
}
EXPORT Result cuDeviceGetCount(int *count) {
  BEGIN_WITHOUT_CONTEXT("cuDeviceGetCount");
  return *count = state().devices, Success;
}
EXPORT Result cuDeviceGet(Ordinal *device, int ordinal) {
  BEGIN_WITHOUT_CONTEXT("cuDeviceGet");
  return *device = ordinal, Success;
}
EXPORT Result cuDeviceGetName(char *name, int size, Ordinal) {
  BEGIN_WITHOUT_CONTEXT("cuDeviceGetName");
  return snprintf(name, size, "Simulated GPU"), Success;
}
EXPORT Result cuDeviceTotalMem_v2(size_t *bytes, Ordinal) {
  BEGIN_WITHOUT_CONTEXT("cuDeviceTotalMem_v2");
  return *bytes = size_t(8) << 30, Success;
}
EXPORT Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Ordinal) {
  BEGIN_WITHOUT_CONTEXT("cuDeviceGetAttribute");
  *value = attribute == CapabilityMajor ? state().major : attribute == CapabilityMinor ? state().minor : 4;
  return Success;
}
EXPORT Result cuDevicePrimaryCtxRetain(Context *context, Ordinal) {
  BEGIN_WITHOUT_CONTEXT("cuDevicePrimaryCtxRetain");
  ++state().context.users;
  return *context = &state().context, Success;
}
EXPORT Result cuDevicePrimaryCtxRelease_v2(Ordinal) { return --state().context.users, Success; }
EXPORT Result cuCtxPushCurrent_v2(Context context) { return contexts.push_back(context), Success; }
EXPORT Result cuCtxPopCurrent_v2(Context *context) {
  if (contexts.empty())
    return InvalidValue;
  *context = contexts.back();
  return contexts.pop_back(), Success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

EXPORT Result cuMemAlloc_v2(Address *address, size_t size) {
  BEGIN("cuMemAlloc_v2");
  void *memory = size ? aligned_alloc(256, (size + 255) / 256 * 256) : nullptr;
  if (!memory)
    return size ? NoMemory : InvalidValue;
  memset(memory, 0xcd, size);
  *address = reinterpret_cast<Address>(memory) + kBias;
  state().allocations[*address] = size;
  ++state().counts.allocationsMade;
  return Success;
}
EXPORT Result cuMemFree_v2(Address address) {
  std::lock_guard lock(state().mutex);
  drainAll();
  if (!state().allocations.erase(address))
    return InvalidValue;
  return free(reinterpret_cast<void *>(address - kBias)), Success;
}
EXPORT Result cuMemHostAlloc(void **memory, size_t size, unsigned) {
  BEGIN("cuMemHostAlloc");
  *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  state().pinned[reinterpret_cast<Address>(*memory)] = size;
  ++state().counts.allocationsMade;
  return Success;
}
EXPORT Result cuMemFreeHost(void *memory) {
  std::lock_guard lock(state().mutex);
  drainAll();
  if (!state().pinned.erase(reinterpret_cast<Address>(memory)))
    return InvalidValue;
  return free(memory), Success;
}
EXPORT Result cuPointerGetAttributes(unsigned, PointerAttribute *, void **values, Address address) {
  BEGIN("cuPointerGetAttributes");
  unsigned type = contains(state().allocations, address, 0) ? DeviceMemory
                  : contains(state().pinned, address, 0)    ? HostMemory
                                                            : 0;
  return *static_cast<unsigned *>(*values) = type, Success;
}
EXPORT Result cuMemcpyAsync(Address target, Address source, size_t size, Queue queue) {
  BEGIN("cuMemcpyAsync");
  return enqueue(queue, makeCopy(target, source, size));
}
EXPORT Result cuMemsetD8Async(Address target, unsigned char value, size_t count, Queue queue) {
  BEGIN("cuMemsetD8Async");
  return enqueue(queue, makeFill(target, value, 1, count));
}
EXPORT Result cuMemsetD16Async(Address target, unsigned short value, size_t count, Queue queue) {
  BEGIN("cuMemsetD16Async");
  return enqueue(queue, makeFill(target, value, 2, count));
}
EXPORT Result cuMemsetD32Async(Address target, unsigned value, size_t count, Queue queue) {
  BEGIN("cuMemsetD32Async");
  return enqueue(queue, makeFill(target, value, 4, count));
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

EXPORT Result cuModuleLoadDataEx(Code *code, const void *image, unsigned count, LoadOption *options, void **values) {
  BEGIN("cuModuleLoadDataEx");
  auto *bytes = static_cast<const uint8_t *>(image);
  if (memcmp(bytes,
             "\x7f"
             "ELF",
             4)) {
    // PTX: nothing here compiles it.
    snprintf(static_cast<char *>(values[0]), 32, "line 1: no compiler");
    return UnsupportedPtx;
  }
  uint64_t sections;
  uint16_t sectionCount;
  memcpy(&sections, bytes + 40, 8);
  memcpy(&sectionCount, bytes + 60, 2);
  size_t size = sections + sectionCount * 64;
  int file = memfd_create("simulated-cubin", MFD_CLOEXEC);
  bool written = write(file, bytes, size) == static_cast<ssize_t>(size);
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) {
    close(file);
    return InvalidImage;
  }
  *code = new CodeObject{library, file};
  ++state().counts.modules;
  return Success;
}
EXPORT Result cuModuleUnload(Code code) {
  std::lock_guard lock(state().mutex);
  drainAll();
  auto &functions = state().functions;
  for (auto at = functions.begin(); at != functions.end();)
    at = at->first.first == code ? functions.erase(at) : std::next(at);
  dlclose(code->library);
  close(code->file);
  delete code;
  --state().counts.modules;
  return Success;
}
EXPORT Result cuModuleGetFunction(Function *function, Code code, const char *name) {
  BEGIN("cuModuleGetFunction");
  void *symbol = dlsym(code->library, name);
  if (!symbol)
    return ++state().counts.functionsMissed, NotFound;
  auto &slot = state().functions[{code, name}];
  // Images say how many threads kernels are for, or do not care.
  auto *threads = static_cast<const int *>(dlsym(code->library, (std::string(name) + "_threads").c_str()));
  if (!slot) // asked again, it is the same one
    slot.reset(new FunctionObject{reinterpret_cast<HostKernel>(symbol), code, threads ? *threads : 64});
  return *function = slot.get(), Success;
}
EXPORT Result cuFuncGetAttribute(int *value, FunctionAttribute, Function function) {
  BEGIN("cuFuncGetAttribute");
  return *value = function->threads, Success;
}
EXPORT Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  BEGIN("cuFuncSetAttribute");
  return Success;
}
EXPORT Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned, Queue queue, void **, void **extra) {
  BEGIN("cuLaunchKernel");
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
    return InvalidValue;
  return enqueue(queue, makeLaunch(function, gridX, blockX, extra));
}

//===----------------------------------------------------------------------===//
// Queues and events
//===----------------------------------------------------------------------===//

EXPORT Result cuStreamCreate(Queue *queue, unsigned) {
  BEGIN("cuStreamCreate");
  ++state().counts.queues;
  *queue = new QueueObject;
  return state().queues.insert(*queue), Success;
}
EXPORT Result cuStreamDestroy_v2(Queue queue) {
  std::lock_guard lock(state().mutex);
  --state().counts.queues;
  state().queues.erase(queue);
  return delete queue, Success;
}
EXPORT Result cuStreamSynchronize(Queue queue) {
  BEGIN("cuStreamSynchronize");
  return drain(queue, queue->given);
}
EXPORT Result cuEventCreate(Event *event, unsigned flags) {
  BEGIN("cuEventCreate");
  ++state().counts.events;
  *event = new EventObject;
  return (*event)->timed = !(flags & kUntimedEvent), Success;
}
EXPORT Result cuEventDestroy_v2(Event event) {
  std::lock_guard lock(state().mutex);
  --state().counts.events;
  return delete event, Success;
}
static std::function<Result()> makeStamp(Event event) {
  return [event] {
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return Success;
  };
}
EXPORT Result cuEventRecord(Event event, Queue queue) {
  BEGIN("cuEventRecord");
  event->recorded = false;
  Result result = enqueue(queue, makeStamp(event));
  event->queue = queue;
  event->position = queue->given;
  return result;
}
EXPORT Result cuEventSynchronize(Event event) {
  BEGIN("cuEventSynchronize");
  return event->queue ? drain(event->queue, event->position) : Success;
}
EXPORT Result cuEventElapsedTime(float *milliseconds, Event from, Event to) {
  BEGIN("cuEventElapsedTime");
  if (!from->timed || !to->timed || !from->recorded || !to->recorded)
    return from->timed && to->timed ? NotReady : InvalidValue;
  *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return Success;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

EXPORT Result cuGraphCreate(Graph *graph, unsigned) {
  BEGIN("cuGraphCreate");
  ++state().counts.graphs;
  return *graph = new GraphObject, Success;
}
EXPORT Result cuGraphDestroy(Graph graph) {
  std::lock_guard lock(state().mutex);
  --state().counts.graphs;
  return delete graph, Success;
}

/// Nodes run in the order they were added, so each must be behind the one before.
static Result addNode(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                      std::function<Result()> work) {
  bool chained = graph->nodes.empty() ? !count : count == 1 && *after == graph->nodes.back().get();
  if (!chained || !work)
    return InvalidValue;
  graph->nodes.push_back(std::make_unique<GraphNodeObject>(GraphNodeObject{graph->nodes.size(), std::move(work)}));
  return *node = graph->nodes.back().get(), Success;
}
static std::function<Result()> makeLaunch(const KernelNode &node) {
  return makeLaunch(node.function, node.grid[0], node.block[0], node.extra);
}
static std::function<Result()> makeCopy(const CopyNode &node) {
  return makeCopy(node.target.device, node.source.device, node.width);
}
static std::function<Result()> makeFill(const FillNode &node) {
  return makeFill(node.target, node.value, node.elementSize, node.width);
}

EXPORT Result cuGraphAddKernelNode_v2(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                                      const KernelNode *parameters) {
  BEGIN("cuGraphAddKernelNode_v2");
  return addNode(node, graph, after, count, makeLaunch(*parameters));
}
EXPORT Result cuGraphAddMemcpyNode(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                                   const CopyNode *parameters, Context) {
  BEGIN("cuGraphAddMemcpyNode");
  return addNode(node, graph, after, count, makeCopy(*parameters));
}
EXPORT Result cuGraphAddMemsetNode(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                                   const FillNode *parameters, Context) {
  BEGIN("cuGraphAddMemsetNode");
  return addNode(node, graph, after, count, makeFill(*parameters));
}
EXPORT Result cuGraphAddEventRecordNode(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                                        Event event) {
  BEGIN("cuGraphAddEventRecordNode");
  return addNode(node, graph, after, count, makeStamp(event));
}
EXPORT Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, unsigned long long) {
  BEGIN("cuGraphInstantiateWithFlags");
  *exec = new GraphExecObject;
  for (auto &node : graph->nodes)
    (*exec)->nodes.push_back(node->work);
  ++state().counts.executables;
  ++state().counts.graphsBuilt;
  return Success;
}
EXPORT Result cuGraphUpload(GraphExec, Queue) {
  BEGIN("cuGraphUpload");
  return Success;
}
EXPORT Result cuGraphLaunch(GraphExec exec, Queue queue) {
  BEGIN("cuGraphLaunch");
  ++state().counts.graphLaunches;
  return enqueue(queue, [nodes = exec->nodes] {
    for (const auto &node : nodes)
      if (Result result = node())
        return result;
    return Success;
  });
}
static Result setNode(GraphExec exec, GraphNode node, std::function<Result()> work) {
  if (!work)
    return InvalidValue;
  ++state().counts.nodesChanged;
  return exec->nodes[node->index] = std::move(work), Success;
}
EXPORT Result cuGraphExecKernelNodeSetParams_v2(GraphExec exec, GraphNode node, const KernelNode *parameters) {
  BEGIN("cuGraphExecKernelNodeSetParams_v2");
  return setNode(exec, node, makeLaunch(*parameters));
}
EXPORT Result cuGraphExecMemcpyNodeSetParams(GraphExec exec, GraphNode node, const CopyNode *parameters, Context) {
  BEGIN("cuGraphExecMemcpyNodeSetParams");
  return setNode(exec, node, makeCopy(*parameters));
}
EXPORT Result cuGraphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const FillNode *parameters, Context) {
  BEGIN("cuGraphExecMemsetNodeSetParams");
  return setNode(exec, node, makeFill(*parameters));
}
EXPORT Result cuGraphExecDestroy(GraphExec exec) {
  std::lock_guard lock(state().mutex);
  --state().counts.executables;
  return delete exec, Success;
}
