//===- InterpreterMemory.cpp - Buffers, frames and work of programs -------===//
//
// A buffer register is a span. Spans are only ever narrowed, so that a span
// that was in range stays so; frames are released as a stack, and registers
// that point into a released frame still point into memory of the session.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"
#include "runtime/module/Interpreter.h"

using namespace hone;
using format::DType;
using format::Opcode;

/// More workgroups than any kernel has; keeps range arithmetic from overflow.
static constexpr int64_t kMaxGrid = int64_t(1) << 52;

hone_status_t Interpreter::use(size_t operand, const hal::Span *&span) {
  span = &buffer(operand);
  return span->buffer ? nullptr : fail(HONE_MALFORMED, "buffer b%d is used unset", code[at + operand]);
}

hone_status_t Interpreter::sizeOf(size_t operand, const char *what, uint64_t &size) {
  int64_t value = reg(operand);
  if (value < 0)
    return fail(HONE_MODEL_FAILURE, "%s is %lld", what, static_cast<long long>(value));
  size = static_cast<uint64_t>(value);
  return nullptr;
}

hone_status_t Interpreter::defineBuffer() {
  int32_t index = code[at + 2];
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::BufferInput: {
    InputState &input = session.inputs[index];
    buffer(1) = {input.buffer(), 0, input.bytes};
    return nullptr;
  }
  case Opcode::BufferConstant: {
    const format::Constant &constant = *session.module->table->constants()->Get(index);
    buffer(1) = {session.module->constants, constant.offset(), constant.size()};
    return nullptr;
  }
  case Opcode::BufferStatic: {
    int64_t offset = program.pool()->Get(index);
    int64_t size = program.pool()->Get(code[at + 3]);
    // A program whose arena is empty has empty ranges only; they need some
    // address.
    hal::Buffer *arena = session.staticArena ? session.staticArena : session.module->constants;
    buffer(1) = {arena, static_cast<uint64_t>(offset), static_cast<uint64_t>(size)};
    return nullptr;
  }
  case Opcode::BufferOutput: {
    uint64_t size;
    HONE_TRY(sizeOf(3, "the size of an output", size));
    HONE_TRY(session.placeOutput(index, size));
    buffer(1) = {session.outputs[index].buffer(), 0, size};
    return nullptr;
  }
  default: { // BufferMove
    const hal::Span *source;
    HONE_TRY(use(2, source));
    buffer(1) = *source;
    return nullptr;
  }
  }
}

hone_status_t Interpreter::viewBuffer() {
  const hal::Span *source;
  uint64_t offset, size;
  HONE_TRY(use(2, source));
  HONE_TRY(sizeOf(3, "the offset of a view", offset));
  HONE_TRY(sizeOf(4, "the size of a view", size));
  if (offset > source->size || size > source->size - offset)
    return fail(HONE_MALFORMED, "a view of %llu bytes at %llu leaves its %llu", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(offset), static_cast<unsigned long long>(source->size));
  buffer(1) = {source->buffer, source->offset + offset, size};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Bounds what a program without an end can take.
static constexpr size_t kMaxFrames = size_t(1) << 20;

/// Packs the buffers of a Reserve, or keeps the last packing when no size
/// changed.
hone_status_t Interpreter::packSite(ReserveSite &site) {
  PackedBuffer *packed = session.packed.begin() + site.first;
  bool same = site.packed;
  site.packed = false;
  uint64_t sum = 0;
  for (size_t i = 0; i < site.count; ++i) {
    size_t group = 2 + 4 * i;
    uint64_t size;
    HONE_TRY(sizeOf(group + 1, "the size of a buffer", size));
    if (!alignUp(size, format::kAlignment, size) || __builtin_add_overflow(sum, size, &sum) || sum > INT64_MAX)
      return fail(HONE_MODEL_FAILURE, "the buffers are too large");
    same &= packed[i].size == size;
    packed[i].size = size;
    packed[i].first = code[at + group + 2];
    packed[i].last = code[at + group + 3];
  }
  if (!same)
    site.packing = pack(packed, site.count, session.packScratch.begin());
  site.packed = true;
  return nullptr;
}

hone_status_t Interpreter::reserve() {
  size_t low = 0, high = session.sites.size();
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    (session.sites[middle].at <= at ? low : high) = middle;
  }
  ReserveSite &site = session.sites[low];
  // A loop whose carried values change their sizes leaves one open in every trip.
  if (session.frames.size() == kMaxFrames)
    return fail(HONE_MODEL_FAILURE, "%zu frames are open", kMaxFrames);
  HONE_TRY(packSite(site));
  hal::Span memory;
  Frame frame;
  HONE_TRY(session.arena.push(site.packing.total, memory, frame.mark));
  frame.lowerBound = site.packing.lowerBound;
  session.openLowerBound += frame.lowerBound;
  if (session.openLowerBound > session.dynamicLowerBound)
    session.dynamicLowerBound = session.openLowerBound;
  if (!session.frames.push(frame))
    return outOfMemory(sizeof(Frame), "a frame");
  for (size_t i = 0; i < site.count; ++i) {
    // The size asked for, not the padded one.
    uint64_t size = static_cast<uint64_t>(reg(2 + 4 * i + 1));
    const PackedBuffer &packed = session.packed[site.first + i];
    buffer(2 + 4 * i) = {memory.buffer, memory.offset + packed.offset, size};
  }
  return nullptr;
}

hone_status_t Interpreter::release() {
  if (session.frames.empty())
    return fail(HONE_MALFORMED, "there is no frame to release");
  const Frame &frame = session.frames.back();
  session.arena.pop(frame.mark);
  session.openLowerBound -= frame.lowerBound;
  session.frames.pop();
  return nullptr;
}

/// Doubles at least, so that the copies cost no more than what is written; the old memory stays for registers that
/// still point into it.
hone_status_t Interpreter::grow() {
  GrowingMemory &memory = session.growing[code[at + 2]];
  uint64_t size, capacity = memory.buffer ? memory.buffer->size : 0;
  HONE_TRY(sizeOf(3, "the size of a growing buffer", size));
  if (!memory.buffer || size > capacity) {
    hal::Buffer *larger = nullptr;
    uint64_t wanted = size / 2 > capacity ? size : capacity * 2;
    wanted = wanted < format::kAlignment ? format::kAlignment : wanted;
    if (!session.outgrown.reserve(session.outgrown.size() + 1))
      return outOfMemory(sizeof(hal::Buffer *), "growing memory");
    HONE_TRY(session.driver->bufferCreate(session.device, session.allocator, wanted, &larger));
    hal::Buffer *old = memory.buffer;
    memory.buffer = larger;
    if (old) {
      (void)session.outgrown.push(old);
      HONE_TRY(emitCopy({larger, 0, memory.used}, {old, 0, memory.used}));
    }
  }
  memory.used = size > memory.used ? size : memory.used;
  buffer(1) = {memory.buffer, 0, size};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

hone_status_t Interpreter::emit(hal::Command &command) {
  if (!recording) {
    const CommandObserver *observer = session.observer;
    if (observer)
      HONE_TRY(observer->before(observer->self, command));
    HONE_TRY(session.driver->submit(session.stream, command));
    if (session.synchronous)
      HONE_TRY(session.driver->wait(session.stream));
    return observer ? observer->after(observer->self, command) : nullptr;
  }
  if (command.kind == hal::CommandKind::Launch)
    HONE_TRY(session.driver->takes(session.device, command));
  Recorded entry = {command, session.spanPool.size(), session.scalarPool.size()};
  bool stored = session.commands.push(entry);
  for (uint32_t i = 0; stored && i < command.spanCount; ++i)
    stored = session.spanPool.push(command.spans[i]);
  for (uint32_t i = 0; stored && i < command.scalarCount; ++i)
    stored = session.scalarPool.push(command.scalars[i]);
  return stored ? nullptr : outOfMemory(sizeof(entry), "a recording");
}

/// Puts the kernel's name before a message.
static hone_status_t named(hone_status_t status, const char *kernel) {
  hone_status_t longer =
      makeStatus(hone_status_code(status), "kernel '%.128s': %s", kernel, hone_status_message(status));
  hone_status_free(status);
  return longer;
}

hone_status_t Interpreter::launch() {
  hal::Span spans[format::kMaxLaunchOperands];
  int64_t scalars[format::kMaxLaunchOperands];
  uint32_t kernel = static_cast<uint32_t>(code[at + 1]);
  int64_t grid = reg(2);
  if (grid < 0 || grid > kMaxGrid)
    return session.module->blame(fail(HONE_MODEL_FAILURE, "a launch of %lld workgroups", static_cast<long long>(grid)),
                                 kernel);
  if (!grid)
    return nullptr;
  uint32_t spanCount = static_cast<uint32_t>(code[at + 3]);
  for (uint32_t i = 0; i < spanCount; ++i) {
    const hal::Span *span;
    HONE_TRY(use(4 + i, span));
    spans[i] = *span;
  }
  uint32_t scalarCount = static_cast<uint32_t>(code[at + 4 + spanCount]);
  for (uint32_t i = 0; i < scalarCount; ++i)
    scalars[i] = reg(5 + spanCount + i);
  const KernelHandle &handle = session.module->kernels[kernel];
  hal::Command command = {
      hal::CommandKind::Launch, kernel, handle.executable, handle.index, grid, spans, spanCount, scalars, scalarCount};
  hone_status_t status = emit(command);
  if (!status)
    return nullptr;
  return session.module->blame(named(status, session.module->table->kernels()->Get(kernel)->name()->c_str()), kernel);
}

hone_status_t Interpreter::copy() {
  const hal::Span *target, *source;
  uint64_t size;
  HONE_TRY(use(1, target));
  HONE_TRY(use(2, source));
  HONE_TRY(sizeOf(3, "the size of a copy", size));
  if (size > target->size || size > source->size)
    return fail(HONE_MALFORMED, "a copy of %llu bytes leaves its buffers", static_cast<unsigned long long>(size));
  if (target->buffer->readOnly)
    return fail(HONE_MALFORMED, "a copy writes to an input or a constant");
  return emitCopy({target->buffer, target->offset, size}, {source->buffer, source->offset, size});
}

hone_status_t Interpreter::emitCopy(const hal::Span &target, const hal::Span &source) {
  if (!target.size)
    return nullptr;
  hal::Span spans[2] = {target, source};
  hal::Command command = {};
  command.kind = hal::CommandKind::Copy;
  command.tag = static_cast<uint32_t>(session.module->kernelCount());
  command.spans = spans;
  command.spanCount = 2;
  return emit(command);
}

hone_status_t Interpreter::fill() {
  const hal::Span *target;
  uint64_t size;
  int64_t byte = reg(2);
  HONE_TRY(use(1, target));
  HONE_TRY(sizeOf(3, "the size of a fill", size));
  if (size > target->size)
    return fail(HONE_MALFORMED, "a fill of %llu bytes leaves its buffer", static_cast<unsigned long long>(size));
  if (byte < 0 || byte > UINT8_MAX)
    return fail(HONE_MALFORMED, "a fill with %lld, which is no byte", static_cast<long long>(byte));
  if (target->buffer->readOnly)
    return fail(HONE_MALFORMED, "a fill writes to an input or a constant");
  if (!size)
    return nullptr;
  hal::Span span = {target->buffer, target->offset, size};
  hal::Command command = {};
  command.kind = hal::CommandKind::Fill;
  command.tag = static_cast<uint32_t>(session.module->kernelCount()) + 1;
  command.spans = &span;
  command.spanCount = 1;
  command.scalars = &byte;
  command.scalarCount = 1;
  return emit(command);
}

/// The span of one element; fails when it lies outside.
static bool elementOf(const hal::Span &span, int64_t index, size_t bytes, hal::Span &element) {
  uint64_t offset;
  if (index < 0 || __builtin_mul_overflow(static_cast<uint64_t>(index), bytes, &offset) || offset > span.size ||
      bytes > span.size - offset)
    return false;
  element = {span.buffer, span.offset + offset, bytes};
  return true;
}

static bool isSigned(DType type) { return type >= DType::I64 && type <= DType::I2; }

hone_status_t Interpreter::load() {
  const hal::Span *source;
  hal::Span element;
  HONE_TRY(use(2, source));
  auto type = static_cast<DType>(code[at + 4]);
  size_t bytes = format::elementSize(type);
  if (!elementOf(*source, reg(3), bytes, element))
    return fail(HONE_MALFORMED, "a load of element %lld leaves its buffer", static_cast<long long>(reg(3)));
  uint64_t bits = 0;
  HONE_TRY(session.driver->read(session.stream, element, &bits));
  unsigned shift = static_cast<unsigned>(64 - 8 * bytes);
  auto value = static_cast<int64_t>(bits << shift);
  if (isSigned(type))
    reg(1) = value >> shift;
  else if (type == DType::Bool)
    reg(1) = bits != 0;
  else if (bits > INT64_MAX)
    return fail(HONE_MODEL_FAILURE, "an unsigned element exceeds 2^63");
  else
    reg(1) = static_cast<int64_t>(bits);
  return nullptr;
}

hone_status_t Interpreter::store() {
  const hal::Span *target;
  hal::Span element;
  HONE_TRY(use(1, target));
  auto type = static_cast<DType>(code[at + 4]);
  if (!elementOf(*target, reg(2), format::elementSize(type), element))
    return fail(HONE_MALFORMED, "a store of element %lld leaves its buffer", static_cast<long long>(reg(2)));
  if (target->buffer->readOnly)
    return fail(HONE_MALFORMED, "a store writes to an input or a constant");
  int64_t value = type == DType::Bool ? reg(3) != 0 : reg(3);
  hal::Command command = {};
  command.kind = hal::CommandKind::Write;
  command.tag = static_cast<uint32_t>(session.module->kernelCount()) + 1;
  command.spans = &element;
  command.spanCount = 1;
  command.scalars = &value;
  command.scalarCount = 1;
  return emit(command);
}

hone_status_t Interpreter::outputDim() {
  OutputState &output = session.outputs[code[at + 1]];
  uint32_t dim = static_cast<uint32_t>(code[at + 2]);
  uint64_t size;
  HONE_TRY(sizeOf(3, "a dimension of an output", size));
  int64_t declared = session.module->table->outputs()->Get(code[at + 1])->dims()->Get(dim)->size();
  if (declared >= 0 && declared != static_cast<int64_t>(size))
    return fail(HONE_MALFORMED, "a dimension of %llu where the model has %lld", static_cast<unsigned long long>(size),
                static_cast<long long>(declared));
  output.shape[dim] = static_cast<int64_t>(size);
  return nullptr;
}
