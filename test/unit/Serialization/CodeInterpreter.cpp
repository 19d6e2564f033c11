//===- CodeInterpreter.cpp - Executes serialized instructions -------------===//

#include "test/unit/Serialization/Machine.h"

#include "runtime/format/Plan.h"

using namespace hone;
using namespace hone::test;
using format::Opcode;

namespace {

class CodeInterpreter {
public:
  CodeInterpreter(const format::Module &module, const format::Program &program, const uint8_t *file,
                  const RunInputs &inputs)
      : module(module), program(program), file(file), inputs(inputs), code(program.code()->data()),
        registers(program.registers(), 0), buffers(program.buffers()), arena(heap.get(program.static_bytes(), 0xEE)) {}

  RunResult run() {
    while (result.error.empty() && op() != Opcode::End && ++steps < 10'000'000)
      step();
    for (auto [index, bytes] : outputs)
      result.outputs[index].assign(bytes.data, bytes.data + bytes.size);
    result.openFrames = frames.size();
    return std::move(result);
  }

private:
  struct Frame {
    std::vector<Bytes> blocks;
  };

  Opcode op() const { return static_cast<Opcode>(code[at]); }
  int32_t word(int n) const { return code[at + 1 + n]; }
  int64_t &r(int n) { return registers[word(n)]; }
  Bytes &b(int n) { return buffers[word(n)]; }
  int64_t p(int n) const { return program.pool()->Get(word(n)); }

  void step();
  bool stepInteger();
  void stepBuffer();
  void reserve();
  void launch();

  const format::Module &module;
  const format::Program &program;
  const uint8_t *file;
  const RunInputs &inputs;
  const int32_t *code;
  std::vector<int64_t> registers;
  std::vector<Bytes> buffers;
  Heap heap;
  Bytes arena;
  std::vector<Frame> frames;
  std::map<int32_t, Bytes> growing;
  std::map<int64_t, Bytes> outputs;
  RunResult result;
  size_t at = 0, steps = 0;
};

} // namespace

void CodeInterpreter::step() {
  size_t next = at + format::instructionLength(code, program.code()->size(), at);
  switch (op()) {
  case Opcode::Jump:
    at = word(0);
    return;
  case Opcode::JumpIfZero:
    at = r(0) ? next : word(1);
    return;
  case Opcode::Check:
    if (!r(0))
      result.error = program.messages()->Get(word(1))->str();
    break;
  default:
    if (!stepInteger())
      stepBuffer();
  }
  at = next;
}

bool CodeInterpreter::stepInteger() {
  switch (op()) {
  case Opcode::Const:
    return r(0) = p(1), true;
  case Opcode::Move:
    return r(0) = r(1), true;
  case Opcode::Add:
    return r(0) = r(1) + r(2), true;
  case Opcode::Sub:
    return r(0) = r(1) - r(2), true;
  case Opcode::Mul:
    return r(0) = r(1) * r(2), true;
  case Opcode::RemS:
    return r(0) = r(1) % r(2), true;
  case Opcode::MaxS:
    return r(0) = std::max(r(1), r(2)), true;
  case Opcode::And:
    return r(0) = r(1) & r(2), true;
  case Opcode::Xor:
    return r(0) = r(1) ^ r(2), true;
  case Opcode::CmpEq:
    return r(0) = r(1) == r(2), true;
  case Opcode::CmpNe:
    return r(0) = r(1) != r(2), true;
  case Opcode::CmpLt:
    return r(0) = r(1) < r(2), true;
  case Opcode::CmpLe:
    return r(0) = r(1) <= r(2), true;
  case Opcode::Select:
    return r(0) = r(1) ? r(2) : r(3), true;
  case Opcode::InputDim:
    return r(0) = inputs.dims[word(1)][word(2)], true;
  case Opcode::OutputDim:
    return result.dims[{word(0), word(1)}] = r(2), true;
  default:
    return false;
  }
}

/// First fit among those of the frame that are alive together.
void CodeInterpreter::reserve() {
  struct Placed {
    int64_t offset, size;
    int32_t first, last;
  };
  int64_t end = 0;
  std::vector<Placed> placed;
  for (int32_t i = 0; i < word(0); ++i) {
    int64_t size = r(2 + 4 * i);
    if (size < 0) {
      result.error = "negative size";
      return;
    }
    Placed now{0, size, word(3 + 4 * i), word(4 + 4 * i)};
    for (bool moved = true; moved;) {
      moved = false;
      for (const Placed &other : placed)
        if (now.first <= other.last && other.first <= now.last && now.offset < other.offset + other.size &&
            other.offset < now.offset + now.size) {
          now.offset = other.offset + other.size;
          moved = true;
        }
    }
    placed.push_back(now);
    end = std::max(end, now.offset + size);
  }
  Bytes block = heap.get(end, 0xEE);
  frames.push_back({{block}});
  for (int32_t i = 0; i < word(0); ++i)
    b(1 + 4 * i) = {block.data + placed[i].offset, placed[i].size};
}

void CodeInterpreter::launch() {
  const format::Kernel *kernel = module.kernels()->Get(word(0));
  std::vector<Bytes> ranges;
  std::vector<int64_t> scalars;
  int32_t count = word(2);
  for (int32_t i = 0; i < count; ++i)
    ranges.push_back(b(3 + i));
  for (int32_t i = 0; i < word(3 + count); ++i)
    scalars.push_back(r(4 + count + i));
  runKernel(kernel->name()->str(), ranges, scalars);
}

void CodeInterpreter::stepBuffer() {
  switch (op()) {
  case Opcode::BufferInput: {
    const auto &bytes = inputs.buffers[word(1)];
    b(0) = {const_cast<uint8_t *>(bytes.data()), int64_t(bytes.size())};
    return;
  }
  case Opcode::BufferConstant: {
    const format::Constant *constant = module.constants()->Get(word(1));
    b(0) = {const_cast<uint8_t *>(file) + module.constant_data()->offset() + constant->offset(),
            int64_t(constant->size())};
    return;
  }
  case Opcode::BufferStatic:
    b(0) = {arena.data + p(1), p(2)};
    return;
  case Opcode::BufferOutput:
    outputs[word(1)] = b(0) = heap.get(r(2), 0xAB);
    return;
  case Opcode::BufferView:
    b(0) = {b(1).data + r(2), r(3)};
    return;
  case Opcode::BufferMove:
    b(0) = b(1);
    return;
  case Opcode::Reserve:
    return reserve();
  case Opcode::Release:
    if (frames.empty()) {
      result.error = "release without frame";
      return;
    }
    for (Bytes block : frames.back().blocks)
      std::memset(block.data, 0xDD, block.size);
    frames.pop_back();
    return;
  case Opcode::Grow: {
    Bytes &memory = growing[word(1)], larger = heap.get(r(2), 0xEE);
    if (memory.size)
      std::memcpy(larger.data, memory.data, std::min(memory.size, larger.size));
    memory = b(0) = larger;
    return;
  }
  case Opcode::Launch:
    return launch();
  case Opcode::Copy:
    std::memmove(b(0).data, b(1).data, r(2));
    return;
  case Opcode::Fill:
    std::memset(b(0).data, r(1), r(2));
    return;
  case Opcode::Load:
    r(0) = b(1).data[r(2)];
    return;
  case Opcode::Store:
    b(0).data[r(1)] = r(2);
    return;
  default:
    result.error = "unknown instruction";
  }
}

RunResult hone::test::runCode(const format::Module &module, const format::Program &program, const uint8_t *file,
                              const RunInputs &inputs) {
  return CodeInterpreter(module, program, file, inputs).run();
}
