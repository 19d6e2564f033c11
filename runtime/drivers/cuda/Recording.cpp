//===- Recording.cpp - Recordings as CUDA graphs --------------------------===//
//
// A recording becomes a graph when that pays: at once when the stream's first
// is made, later ones when they are replayed a second time, because inputs whose
// sizes change with every run would make a graph for one launch each. Until then
// its commands are issued one by one. Where the application's memory is bound,
// only the nodes that see it are changed between launches.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Commands.h"
#include "runtime/drivers/cuda/Stream.h"

using namespace hone;
using namespace hone::cuda;
using namespace hone::hal;

namespace {
/// An operand whose address changes from run to run.
struct Bound {
  uint32_t command;
  const Span *span;
  Address address; ///< in the graph
};
} // namespace

namespace hone::cuda {

struct CudaRecording : hal::Recording {
  explicit CudaRecording(const hone_allocator_t *allocator)
      : commands(allocator), spans(allocator), scalars(allocator), nodes(allocator), firstNodes(allocator),
        bound(allocator), events(allocator), intervals(allocator) {}

  // Copies of what was recorded.
  Array<Command> commands;
  Array<Span> spans;
  Array<int64_t> scalars;
  Buffer *scratch = nullptr;
  /// Replays since it was recorded, and with which of them it becomes a graph.
  uint32_t replays = 0, buildAt = 0;

  Graph graph = nullptr;
  GraphExec ready = nullptr; ///< null while commands are issued one by one
  Array<GraphNode> nodes;
  Array<uint32_t> firstNodes; ///< by command
  Array<Bound> bound;
  Array<Event> events; ///< when commands are timed: one, then one around each
  Array<Interval> intervals;
};

} // namespace hone::cuda

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static void dropGraph(const Api &api, CudaRecording &recording) {
  if (recording.ready)
    api.graphExecDestroy(recording.ready);
  if (recording.graph)
    api.graphDestroy(recording.graph);
  recording.ready = nullptr;
  recording.graph = nullptr;
}

static CopyNode copyNode(const Move &move) {
  CopyNode node = {};
  node.source.type = node.target.type = DeviceMemory;
  node.source.device = move.source;
  node.target.device = move.target;
  node.width = node.source.pitch = node.target.pitch = move.count;
  node.height = node.depth = node.source.height = node.target.height = 1;
  return node;
}

static FillNode fillNode(const Move &move) { return {move.target, 0, move.value, move.elementSize, move.count, 1}; }

namespace {
/// Appends nodes to a recording's graph, each after the one before.
class Builder {
public:
  Builder(const CudaDevice &device, CudaRecording &recording) : device(device), api(device.api), recording(recording) {}

  hone_status_t build(bool timed);

private:
  hone_status_t add(const Command &command);
  hone_status_t addEvent(Event event) {
    GraphNode node = nullptr;
    return chain(api.graphAddEvent(&node, recording.graph, &last, last != nullptr, event), node);
  }
  hone_status_t chain(Result result, GraphNode node) {
    last = node;
    return device.check(result, "build a graph");
  }

  const CudaDevice &device;
  const Api &api;
  CudaRecording &recording;
  GraphNode last = nullptr;
};
} // namespace

hone_status_t Builder::add(const Command &command) {
  Graph graph = recording.graph;
  GraphNode node = nullptr;
  auto keep = [&](Result result) -> hone_status_t {
    if (!result && !recording.nodes.push(node))
      return outOfMemory(sizeof(node), "a recording");
    return chain(result, node);
  };
  if (command.kind == CommandKind::Launch) {
    if (command.grid <= 0)
      return nullptr;
    HONE_TRY(checkLaunch(device, command));
    LaunchCall call(command);
    return keep(api.graphAddKernel(&node, graph, &last, last != nullptr, &call.node));
  }
  for (const Move &move : Moves(command, recording.scratch)) {
    if (move.isFill) {
      FillNode fill = fillNode(move);
      HONE_TRY(keep(api.graphAddFill(&node, graph, &last, last != nullptr, &fill, device.context)));
    } else {
      CopyNode copy = copyNode(move);
      HONE_TRY(keep(api.graphAddCopy(&node, graph, &last, last != nullptr, &copy, device.context)));
    }
  }
  return nullptr;
}

hone_status_t Builder::build(bool timed) {
  recording.nodes.clear();
  recording.firstNodes.clear();
  if (!recording.firstNodes.resize(recording.commands.size()))
    return outOfMemory(recording.commands.size() * sizeof(uint32_t), "a recording");
  HONE_TRY(device.check(api.graphCreate(&recording.graph, 0), "build a graph"));
  if (timed) {
    HONE_TRY(addEvent(recording.events[0]));
    HONE_TRY(addEvent(recording.events[1]));
  }
  for (size_t i = 0; i < recording.commands.size(); ++i) {
    recording.firstNodes[i] = static_cast<uint32_t>(recording.nodes.size());
    HONE_TRY(add(recording.commands[i]));
    if (timed)
      HONE_TRY(addEvent(recording.intervals[i].end));
  }
  for (Bound &bound : recording.bound)
    bound.address = addressOf(*bound.span);
  return device.check(api.graphPrepare(&recording.ready, recording.graph, 0), "build a graph");
}

/// Events for the times of every command, one between each two, and one before for the time of nothing.
static hone_status_t createEvents(const CudaDevice &device, CudaRecording &recording) {
  size_t count = recording.commands.size();
  if (!recording.events.reserve(count + 2) || !recording.intervals.resize(count))
    return outOfMemory(count * sizeof(Interval), "timers");
  while (recording.events.size() < count + 2) {
    Event event = nullptr;
    HONE_TRY(device.check(device.api.eventCreate(&event, 0), "create an event"));
    if (!recording.events.push(event))
      return outOfMemory(sizeof(event), "timers");
  }
  for (size_t i = 0; i < count; ++i)
    recording.intervals[i] = {recording.commands[i].tag, recording.events[i + 1], recording.events[i + 2]};
  return nullptr;
}

static hone_status_t buildGraph(CudaStream &stream, CudaRecording &recording) {
  const CudaDevice &device = stream.device;
  if (recording.commands.empty())
    return nullptr;
  bool timed = stream.timing.isOn();
  if (timed)
    HONE_TRY(createEvents(device, recording));
  if (hone_status_t status = Builder(device, recording).build(timed)) {
    dropGraph(device.api, recording);
    return status;
  }
  // Otherwise the first launch would do it.
  return device.check(device.api.graphUpload(recording.ready, stream.queue), "build a graph");
}

/// Gives the nodes of a command the addresses that are bound now.
static hone_status_t rebind(const CudaDevice &device, CudaRecording &recording, uint32_t index) {
  const Api &api = device.api;
  const Command &command = recording.commands[index];
  const GraphNode *node = recording.nodes.begin() + recording.firstNodes[index];
  if (command.kind == CommandKind::Launch) {
    if (command.grid <= 0)
      return nullptr;
    LaunchCall call(command);
    return device.check(api.graphSetKernel(recording.ready, *node, &call.node), "bind memory");
  }
  for (const Move &move : Moves(command, recording.scratch)) {
    FillNode fill = fillNode(move);
    CopyNode copy = copyNode(move);
    HONE_TRY(device.check(move.isFill ? api.graphSetFill(recording.ready, *node, &fill, device.context)
                                      : api.graphSetCopy(recording.ready, *node, &copy, device.context),
                          "bind memory"));
    ++node;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

static bool copyCommands(const Command *commands, size_t count, CudaRecording &recording) {
  size_t spans = 0, scalars = 0;
  for (size_t i = 0; i < count; ++i) {
    spans += commands[i].spanCount;
    scalars += commands[i].scalarCount;
  }
  // No array grows below: commands and bound operands point into them.
  if (!recording.commands.reserve(count) || !recording.spans.reserve(spans) || !recording.scalars.reserve(scalars))
    return false;
  for (size_t i = 0; i < count; ++i) {
    Command command = commands[i];
    command.spans = recording.spans.end();
    command.scalars = recording.scalars.end();
    for (uint32_t s = 0; s < command.spanCount; ++s) {
      const Span &span = commands[i].spans[s];
      if (!recording.spans.push(span) ||
          (span.buffer->external && !recording.bound.push({static_cast<uint32_t>(i), &recording.spans.back(), 0})))
        return false;
    }
    for (uint32_t s = 0; s < command.scalarCount; ++s)
      if (!recording.scalars.push(commands[i].scalars[s]))
        return false;
    if (!recording.commands.push(command))
      return false;
  }
  return true;
}

static CudaRecording &recordingOf(Recording *recording) { return *static_cast<CudaRecording *>(recording); }

hone_status_t cuda::record(Stream *base, const Command *commands, size_t count, Recording **slot) {
  CudaStream &stream = streamOf(base);
  Entered entered(stream.device);
  bool first = !*slot;
  if (first)
    *slot = make<CudaRecording>(stream.allocator, stream.allocator);
  if (!*slot)
    return outOfMemory(sizeof(CudaRecording), "a recording");
  CudaRecording &recording = recordingOf(*slot);
  if (stream.timed == &recording)
    HONE_TRY(settle(stream));
  dropGraph(stream.device.api, recording);
  recording.commands.clear();
  recording.spans.clear();
  recording.scalars.clear();
  recording.bound.clear();
  recording.replays = 0;
  uint64_t scratch = 0;
  for (size_t i = 0; i < count; ++i)
    scratch = Moves::scratchBytes(commands[i]) > scratch ? Moves::scratchBytes(commands[i]) : scratch;
  HONE_TRY(growScratch(stream, scratch, recording.scratch));
  if (!copyCommands(commands, count, recording)) {
    recording.commands.clear();
    recording.bound.clear();
    return outOfMemory(count * sizeof(Command), "a recording");
  }
  recording.buildAt = first ? 0 : 2;
  // A graph takes no copies to addresses that are not known yet.
  for (const Bound &bound : recording.bound)
    if (!bound.span->buffer->address && !recording.buildAt)
      recording.buildAt = 1;
  return recording.buildAt ? nullptr : buildGraph(stream, recording);
}

static hone_status_t replayCommands(CudaStream &stream, CudaRecording &recording) {
  for (const Command &command : recording.commands) {
    if (stream.timing.isOn())
      HONE_TRY(stream.timing.begin(command.tag));
    HONE_TRY(issue(stream, command, recording.scratch));
    if (stream.timing.isOn())
      HONE_TRY(stream.timing.end());
  }
  return nullptr;
}

hone_status_t cuda::replay(Stream *base, Recording *replayed) {
  CudaStream &stream = streamOf(base);
  CudaRecording &recording = recordingOf(replayed);
  const CudaDevice &device = stream.device;
  Entered entered(device);
  // The events of a graph tell of its last launch only.
  if (stream.timed)
    HONE_TRY(settle(stream));
  if (!recording.ready && ++recording.replays >= recording.buildAt)
    HONE_TRY(buildGraph(stream, recording));
  if (!recording.ready)
    return replayCommands(stream, recording);
  uint32_t rebound = UINT32_MAX;
  for (Bound &bound : recording.bound) {
    Address address = addressOf(*bound.span);
    if (address == bound.address)
      continue;
    if (bound.command != rebound)
      HONE_TRY(rebind(device, recording, bound.command));
    rebound = bound.command;
    bound.address = address;
  }
  HONE_TRY(device.check(device.api.graphLaunch(recording.ready, stream.queue), "launch a graph"));
  if (stream.timing.isOn())
    stream.timed = &recording;
  return nullptr;
}

hone_status_t cuda::collectTimes(CudaStream &stream, const CudaRecording &recording) {
  Interval nothing = {0, recording.events[0], recording.events[1]};
  return stream.timing.collect(nothing, recording.intervals.begin(), recording.intervals.size());
}

void cuda::recordingDestroy(Stream *base, Recording *destroyed) {
  if (!destroyed)
    return;
  CudaStream &stream = streamOf(base);
  CudaRecording &recording = recordingOf(destroyed);
  const CudaDevice &device = stream.device;
  Entered entered(device);
  device.api.queueWait(stream.queue);
  if (stream.timed == &recording)
    stream.timed = nullptr;
  dropGraph(device.api, recording);
  for (Event event : recording.events)
    device.api.eventDestroy(event);
  if (recording.scratch)
    device.table->bufferDestroy(&stream.device, recording.scratch);
  destroy(stream.allocator, &recording);
}
