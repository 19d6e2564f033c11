//===- Session.cpp - Creating sessions, recording, statistics -------------===//
//
// A program without jumps and loads is interpreted once for its input
// dimensions; what that leaves is a list of commands, which runs replay. Static
// programs are recorded here already, so that even their first run finds all
// memory in place.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Session.h"
#include "runtime/format/Plan.h"
#include "runtime/module/Interpreter.h"

using namespace hone;

static void *allocateCounted(void *self, size_t size, size_t alignment) {
  auto *counter = static_cast<CountingAllocator *>(self);
  counter->count.fetch_add(1, std::memory_order_relaxed);
  return counter->target.allocate(counter->target.self, size, alignment);
}

static void releaseCounted(void *self, void *memory, size_t size, size_t alignment) {
  auto *counter = static_cast<CountingAllocator *>(self);
  counter->target.release(counter->target.self, memory, size, alignment);
}

CountingAllocator::CountingAllocator(const hone_allocator_t *target)
    : facade{this, allocateCounted, releaseCounted}, target(*target) {}

hone_session_s::hone_session_s(hone_module_t *module, const hone_allocator_t *memory)
    : module(module), device(module->device), driver(module->device->table), counter(memory),
      allocator(&counter.facade), symbols(allocator), inputs(allocator), outputs(allocator), registers(allocator),
      buffers(allocator), arena(device, allocator), sites(allocator), packed(allocator), packScratch(allocator),
      frames(allocator), growing(allocator), outgrown(allocator), commands(allocator), spanPool(allocator),
      scalarPool(allocator), flatCommands(allocator), timers(allocator), namedInputs(allocator),
      namedOutputs(allocator), namedSeen(allocator) {}

hone_session_s::~hone_session_s() {
  // A session that could not be created may have work under way.
  if (stream)
    hone_status_free(driver->wait(stream));
  if (recording)
    driver->recordingDestroy(stream, recording);
  for (InputState &input : inputs)
    if (input.device)
      driver->bufferDestroy(device, input.device);
  for (OutputState &output : outputs) {
    if (output.device)
      driver->bufferDestroy(device, output.device);
    if (output.owned)
      allocator->release(allocator->self, output.owned, output.ownedSize, blockAlignment(output.ownedSize));
  }
  if (staticArena)
    driver->bufferDestroy(device, staticArena);
  resetGrowing();
  for (GrowingMemory &memory : growing)
    if (memory.buffer)
      driver->bufferDestroy(device, memory.buffer);
  if (stream)
    driver->streamDestroy(device, stream);
}

/// Room for every Reserve of the program. More frames are open at once only where a loop leaves them open.
hone_status_t hone_session_s::createSites() {
  const int32_t *code = module->program->code()->data();
  size_t words = module->program->code()->size();
  size_t most = 0;
  for (size_t at = 0; at < words; at += format::instructionLength(code, words, at)) {
    if (code[at] != static_cast<int32_t>(format::Opcode::Reserve))
      continue;
    size_t count = static_cast<size_t>(code[at + 1]);
    if (!sites.push({at, packed.size(), count, false, {}}) || !packed.resize(packed.size() + count))
      return outOfMemory(count * sizeof(PackedBuffer), "frames");
    most = count > most ? count : most;
  }
  if (!packScratch.resize(2 * most) || !frames.reserve(sites.size()))
    return outOfMemory(sites.size() * sizeof(Frame), "frames");
  return nullptr;
}

hone_status_t hone_session_s::createState() {
  const format::Program &program = *module->program;
  if (!registers.resize(program.registers()) || !buffers.resize(program.buffers()) ||
      !growing.resize(program.growing()))
    return outOfMemory(program.buffers() * sizeof(hal::Span), "registers");
  if (!namedInputs.resize(module->inputCount()) || !namedOutputs.resize(module->outputCount()) ||
      !namedSeen.resize(module->inputCount() + module->outputCount()))
    return outOfMemory(module->inputCount() * sizeof(hone_tensor_t), "bindings");
  if (program.static_bytes())
    HONE_TRY(driver->bufferCreate(device, allocator, program.static_bytes(), &staticArena));
  return createSites();
}

void hone_session_s::resetGrowing() {
  for (GrowingMemory &memory : growing)
    memory.used = 0;
  for (hal::Buffer *buffer : outgrown)
    driver->bufferDestroy(device, buffer);
  outgrown.clear();
}

bool hone_session_s::inputsAreStatic() const {
  for (size_t i = 0; i < module->inputCount(); ++i)
    if (const auto *dims = module->table->inputs()->Get(i)->dims())
      for (const format::Dim *dim : *dims)
        if (dim->size() < 0)
          return false;
  return true;
}

hone_status_t hone_session_s::create(const hone_session_options_t &options) {
  stepLimit = options.step_limit;
  synchronous = options.synchronous;
  // Two more than kernels: copies and fills.
  if (options.profile && !timers.resize(module->kernelCount() + 2))
    return outOfMemory(module->kernelCount() * sizeof(hal::Timer), "timers");
  hal::StreamOptions streamOptions = {allocator, options.threads, options.parallel_for,
                                      options.profile ? timers.begin() : nullptr};
  HONE_TRY(driver->streamCreate(device, streamOptions, &stream));
  HONE_TRY(module->prepareConstants(stream));
  HONE_TRY(createState());
  HONE_TRY(createBindings());
  if (!module->program->replayable() || synchronous || !inputsAreStatic())
    return nullptr;
  HONE_TRY(bindDims());
  return record();
}

/// Turns the recorded commands into what the driver replays.
hone_status_t hone_session_s::ready(hal::Recording *&slot) {
  flatCommands.clear();
  if (!flatCommands.reserve(commands.size()))
    return outOfMemory(commands.size() * sizeof(hal::Command), "a recording");
  for (Recorded &entry : commands) {
    entry.command.spans = spanPool.begin() + entry.spans;
    entry.command.scalars = scalarPool.begin() + entry.scalars;
    if (!flatCommands.push(entry.command))
      return outOfMemory(sizeof(hal::Command), "a recording");
  }
  return driver->record(stream, flatCommands.begin(), flatCommands.size(), &slot);
}

hone_status_t hone_session_s::record() {
  recorded = false;
  HONE_TRY(Interpreter(*this, /*recording=*/true).run());
  if (arena.fragmented()) {
    // The first pass found out the peak; the second records addresses in the
    // one chunk that holds it.
    HONE_TRY(arena.coalesce());
    HONE_TRY(Interpreter(*this, /*recording=*/true).run());
  }
  HONE_TRY(finishShapes());
  HONE_TRY(ready(recording));
  recorded = true;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

hone_status_t hone_session_create(hone_module_t *module, const hone_session_options_t *given,
                                  hone_session_t **out_session) {
  if (!module || !out_session)
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_session_create: NULL");
  hone_session_options_t options = {};
  if (given)
    memcpy(static_cast<void *>(&options), given,
           given->struct_size < sizeof(options) ? given->struct_size : sizeof(options));
  const hone_allocator_t *allocator = options.allocator ? options.allocator : module->allocator;
  auto *session = make<hone_session_s>(allocator, module, allocator);
  if (!session)
    return outOfMemory(sizeof(hone_session_s), "a session");
  if (hone_status_t status = session->create(options)) {
    hone_session_destroy(session);
    return status;
  }
  *out_session = session;
  return nullptr;
}

void hone_session_destroy(hone_session_t *session) {
  if (!session)
    return;
  hone_allocator_t allocator = session->counter.target;
  destroy(&allocator, session);
}

void hone_session_memory(const hone_session_t *session, hone_memory_info_t *out_info) {
  const format::Program &program = *session->module->program;
  const format::Segment *constants = session->module->table->constant_data();
  hone_memory_info_t info = {};
  info.arena_bytes = program.static_bytes() + session->arena.capacity();
  info.peak_bytes = program.static_bytes() + session->arena.peak();
  info.lower_bound_bytes = program.lower_bound() + session->dynamicLowerBound;
  for (const GrowingMemory &memory : session->growing) {
    uint64_t bytes = memory.buffer ? memory.buffer->size : 0;
    info.arena_bytes += bytes;
    info.peak_bytes += bytes;
    info.lower_bound_bytes += memory.used;
  }
  for (const OutputState &output : session->outputs)
    info.output_bytes += output.ownedSize;
  info.constant_bytes = constants ? constants->size() : 0;
  info.allocation_count = session->counter.count.load();
  *out_info = info;
}

size_t hone_session_profile(const hone_session_t *session, hone_profile_entry_t *out_entries, size_t capacity) {
  const hone_module_s &module = *session->module;
  size_t kernels = module.kernelCount(), found = 0;
  for (size_t i = 0; i < session->timers.size(); ++i) {
    const hal::Timer &timer = session->timers[i];
    if (!timer.calls)
      continue;
    hone_profile_entry_t entry = {};
    if (i < kernels) {
      entry.kernel = module.table->kernels()->Get(i)->name()->c_str();
      entry.nodes = module.nodes.begin() + module.nodeLists[i].first;
      entry.node_count = module.nodeLists[i].count;
    } else {
      entry.kernel = i == kernels ? "(copy)" : "(fill)";
    }
    entry.calls = timer.calls;
    entry.nanoseconds = timer.nanoseconds;
    if (found < capacity)
      out_entries[found] = entry;
    ++found;
  }
  return found;
}

void hone_session_profile_reset(hone_session_t *session) {
  for (hal::Timer &timer : session->timers)
    timer = {};
}
