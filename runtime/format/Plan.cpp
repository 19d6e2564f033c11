//===- Plan.cpp - Instruction table and verifier of programs --------------===//
//
// After this verifier has passed a program, the interpreter reads operands
// without checking them: every index is in range and every jump lands on an
// instruction. What depends on values (sizes, unset buffers) is checked there.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"

#include <cstdlib>
#include <cstring>

using namespace hone::format;

static constexpr InstructionInfo kTable[] = {
    {"end", ""},            // 0
    {"const", "wp"},        // 1
    {"move", "wr"},         // 2
    {"add", "wrr"},         // 3
    {"sub", "wrr"},         // 4
    {"mul", "wrr"},         // 5
    {"divs", "wrr"},        // 6
    {"rems", "wrr"},        // 7
    {"floordivs", "wrr"},   // 8
    {"ceildivs", "wrr"},    // 9
    {"mins", "wrr"},        // 10
    {"maxs", "wrr"},        // 11
    {"and", "wrr"},         // 12
    {"or", "wrr"},          // 13
    {"xor", "wrr"},         // 14
    {"cmpeq", "wrr"},       // 15
    {"cmpne", "wrr"},       // 16
    {"cmplt", "wrr"},       // 17
    {"cmple", "wrr"},       // 18
    {"select", "wrrr"},     // 19
    {"input_dim", "wix"},   // 20
    {"jump", "j"},          // 21
    {"jump_if_zero", "rj"}, // 22
    {"check", "rm"},        // 23
    {nullptr, nullptr},     // 24
    {nullptr, nullptr},     // 25
    {nullptr, nullptr},     // 26
    {nullptr, nullptr},     // 27
    {nullptr, nullptr},     // 28
    {nullptr, nullptr},     // 29
    {nullptr, nullptr},     // 30
    {nullptr, nullptr},     // 31
    {"input", "di"},        // 32
    {"constant", "dc"},     // 33
    {"static", "dpp"},      // 34
    {"output", "dor"},      // 35
    {"view", "dbrr"},       // 36
    {"move_buffer", "db"},  // 37
    {"reserve", "V"},       // 38
    {"release", ""},        // 39
    {"grow", "dgr"},        // 40
    {nullptr, nullptr},     // 41
    {nullptr, nullptr},     // 42
    {nullptr, nullptr},     // 43
    {nullptr, nullptr},     // 44
    {nullptr, nullptr},     // 45
    {nullptr, nullptr},     // 46
    {nullptr, nullptr},     // 47
    {"launch", "krBS"},     // 48
    {"copy", "bbr"},        // 49
    {"fill", "brr"},        // 50
    {"load", "wbrt"},       // 51
    {"store", "brrt"},      // 52
    {"output_dim", "oxr"},  // 53
};
static_assert(sizeof(kTable) / sizeof(kTable[0]) == static_cast<size_t>(Opcode::MAX) + 1, "one row an opcode");

const InstructionInfo *hone::format::instructionInfo(int32_t opcode) {
  if (opcode < 0 || opcode > static_cast<int32_t>(Opcode::MAX) || !kTable[opcode].name)
    return nullptr;
  return &kTable[opcode];
}

size_t hone::format::instructionLength(const int32_t *code, size_t size, size_t at) {
  const InstructionInfo *info = at < size ? instructionInfo(code[at]) : nullptr;
  if (!info)
    return 0;
  size_t end = at + 1;
  for (const char *kind = info->operands; *kind; ++kind) {
    if (end >= size)
      return 0;
    size_t words = 1;
    if (*kind == 'B' || *kind == 'S' || *kind == 'V') {
      if (code[end] < 0)
        return 0;
      words += static_cast<size_t>(code[end]) * (*kind == 'V' ? 4 : 1);
    }
    if (words > size - end)
      return 0;
    end += words;
  }
  return end - at;
}

namespace {

/// One bit a word of the code: set where an instruction starts.
class Boundaries {
public:
  explicit Boundaries(size_t size) : bits(static_cast<uint8_t *>(calloc(size / 8 + 1, 1))) {}
  ~Boundaries() { free(bits); }
  Boundaries(const Boundaries &) = delete;
  Boundaries &operator=(const Boundaries &) = delete;

  bool valid() const { return bits; }
  void set(size_t at) { bits[at / 8] |= 1u << (at % 8); }
  bool has(size_t at) const { return bits[at / 8] >> (at % 8) & 1; }

private:
  uint8_t *bits;
};

class ProgramVerifier {
public:
  ProgramVerifier(const Module &module, const Program &program, size_t index, Error &error)
      : module(module), program(program), index(index), error(error), code(program.code()->data()),
        size(program.code()->size()), boundaries(size) {}

  bool verify();

private:
  bool verifyShape();
  bool verifyInstruction(size_t at);
  bool verifyOperand(size_t at, char kind, const int32_t *operand);
  bool verifyLaunch(size_t at);
  bool verifyStatic(size_t at);
  bool verifyReserve(size_t at);

  bool fail(size_t at, const char *what, int64_t value) {
    return error.set("program %zu ('%.64s'), word %zu (%s): %s (%lld)", index, program.target()->c_str(), at,
                     instructionInfo(code[at]) ? instructionInfo(code[at])->name : "unknown", what,
                     static_cast<long long>(value));
  }

  template <typename T> static size_t count(const T *vector) { return vector ? vector->size() : 0; }

  const Module &module;
  const Program &program;
  size_t index;
  Error &error;
  const int32_t *code;
  size_t size;
  Boundaries boundaries;
};

} // namespace

/// The rules on the program as a whole, and the instruction boundaries.
bool ProgramVerifier::verifyShape() {
  const char *target = program.target()->c_str();
  if (!size)
    return error.set("program %zu ('%.64s') is empty", index, target);
  // A register is named by at least one word, which bounds what a session
  // allocates for them by the size of the file.
  if (program.registers() > size || program.buffers() > size || program.growing() > size)
    return error.set("program %zu ('%.64s') declares more registers than it "
                     "has words",
                     index, target);
  if (count(program.pool()) && reinterpret_cast<uintptr_t>(program.pool()->Data()) % alignof(int64_t))
    return error.set("program %zu ('%.64s'): the pool is not aligned in the table", index, target);
  if (program.static_bytes() > INT64_MAX)
    return error.set("program %zu ('%.64s'): the arena's size is negative", index, target);
  size_t last = 0;
  for (size_t at = 0; at < size;) {
    size_t length = instructionLength(code, size, at);
    if (!length)
      return fail(at, "no instruction, or one cut off", code[at]);
    boundaries.set(at);
    last = at;
    at += length;
  }
  if (code[last] != static_cast<int32_t>(Opcode::End) && code[last] != static_cast<int32_t>(Opcode::Jump))
    return fail(last, "the last instruction runs off the end", code[last]);
  return true;
}

bool ProgramVerifier::verify() {
  if (!boundaries.valid())
    return error.set("out of memory");
  if (!verifyShape())
    return false;
  for (size_t at = 0; at < size; at += instructionLength(code, size, at))
    if (!verifyInstruction(at))
      return false;
  return true;
}

bool ProgramVerifier::verifyInstruction(size_t at) {
  Opcode opcode = static_cast<Opcode>(code[at]);
  if (program.replayable() &&
      (opcode == Opcode::Jump || opcode == Opcode::JumpIfZero || opcode == Opcode::Load || opcode == Opcode::Grow))
    return fail(at, "a replayable program may not contain it", code[at]);
  const int32_t *operand = code + at + 1;
  for (const char *kind = instructionInfo(code[at])->operands; *kind; ++kind) {
    if (*kind == 'B' || *kind == 'S') {
      int32_t n = *operand++;
      for (int32_t i = 0; i < n; ++i, ++operand)
        if (!verifyOperand(at, *kind == 'B' ? 'b' : 'r', operand))
          return false;
      continue;
    }
    if (*kind == 'V') {
      int32_t n = *operand++;
      for (int32_t i = 0; i < n; ++i, operand += 4)
        if (!verifyOperand(at, 'd', operand) || !verifyOperand(at, 'r', operand + 1))
          return false;
      continue;
    }
    if (!verifyOperand(at, *kind, operand++))
      return false;
  }
  switch (opcode) {
  case Opcode::Launch:
    return verifyLaunch(at);
  case Opcode::BufferStatic:
    return verifyStatic(at);
  case Opcode::Reserve:
    return verifyReserve(at);
  default:
    return true;
  }
}

bool ProgramVerifier::verifyOperand(size_t at, char kind, const int32_t *operand) {
  int64_t value = *operand;
  auto below = [&](size_t limit, const char *what) {
    return value >= 0 && static_cast<uint64_t>(value) < limit ? true : fail(at, what, value);
  };
  switch (kind) {
  case 'w':
  case 'r':
    return below(program.registers(), "no such register");
  case 'd':
  case 'b':
    return below(program.buffers(), "no such buffer");
  case 'g':
    return below(program.growing(), "no such growing memory");
  case 'p':
    return below(count(program.pool()), "no such pool entry");
  case 'j':
    return below(size, "jump out of the code") &&
           (boundaries.has(value) || fail(at, "jump into an instruction", value));
  case 'i':
    return below(count(module.inputs()), "no such input");
  case 'o':
    return below(count(module.outputs()), "no such output");
  case 'x': {
    // The word before names the input or output.
    bool output = code[at] == static_cast<int32_t>(Opcode::OutputDim);
    const auto *tensors = output ? module.outputs() : module.inputs();
    return below(count(tensors->Get(operand[-1])->dims()), "no such dimension");
  }
  case 'c':
    return below(count(module.constants()), "no such constant");
  case 'k':
    return below(count(module.kernels()), "no such kernel");
  case 'm':
    return below(count(program.messages()), "no such message");
  case 't':
    return isIntegerType(static_cast<DType>(value)) && value <= UINT8_MAX ? true : fail(at, "no integer type", value);
  }
  return fail(at, "operand of unknown kind", kind);
}

bool ProgramVerifier::verifyLaunch(size_t at) {
  const Kernel *kernel = module.kernels()->Get(code[at + 1]);
  uint32_t buffers = code[at + 3];
  uint32_t scalars = code[at + 4 + buffers];
  if (buffers != kernel->buffers())
    return fail(at, "the kernel takes another number of buffers", buffers);
  if (scalars != kernel->scalars())
    return fail(at, "the kernel takes another number of scalars", scalars);
  return true;
}

bool ProgramVerifier::verifyStatic(size_t at) {
  int64_t offset = program.pool()->Get(code[at + 2]);
  int64_t bytes = program.pool()->Get(code[at + 3]);
  uint64_t arena = program.static_bytes();
  if (offset < 0 || static_cast<uint64_t>(offset) > arena)
    return fail(at, "the offset lies outside the arena", offset);
  if (bytes < 0 || static_cast<uint64_t>(bytes) > arena - offset)
    return fail(at, "the range ends outside the arena", bytes);
  return true;
}

bool ProgramVerifier::verifyReserve(size_t at) {
  for (int32_t i = 0; i < code[at + 1]; ++i) {
    const int32_t *group = code + at + 2 + 4 * i;
    if (group[2] < 0 || group[3] < group[2])
      return fail(at, "a lifetime ends before it starts", group[3]);
  }
  return true;
}

bool hone::format::verifyProgram(const Module &module, size_t index, Error &error) {
  const Program &program = *module.programs()->Get(index);
  if (!program.code())
    return error.set("program %zu ('%.64s') has no code", index, program.target()->c_str());
  return ProgramVerifier(module, program, index, error).verify();
}
