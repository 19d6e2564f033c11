//===- Interpreter.cpp - Control flow and integers of programs ------------===//
//
// Memory and work are in InterpreterMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Interpreter.h"
#include "runtime/format/Plan.h"

#include <cstdarg>
#include <cstdio>

using namespace hone;
using format::Opcode;

Interpreter::Interpreter(hone_session_s &session, bool recording)
    : session(session), program(*session.module->program), code(program.code()->data()), words(program.code()->size()),
      recording(recording) {}

hone_status_t Interpreter::fail(hone_status_code_t status, const char *format, ...) {
  char text[600], where[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  format::printInstruction(*session.module->table, program, at, where, sizeof(where));
  return makeStatus(status, "%s (in the plan at %s)", text, where);
}

hone_status_t Interpreter::run() {
  for (int64_t &value : session.registers)
    value = 0;
  for (hal::Span &span : session.buffers)
    span = {};
  session.arena.reset();
  session.frames.clear();
  session.openLowerBound = 0;
  session.resetGrowing();
  session.forgetOutputs();
  if (recording) {
    session.commands.clear();
    session.spanPool.clear();
    session.scalarPool.clear();
  }
  uint64_t steps = session.stepLimit ? session.stepLimit : UINT64_MAX;
  hone_status_t status = nullptr;
  while (!ended && !status) {
    next = at + format::instructionLength(code, words, at);
    if (!steps--) {
      status = fail(HONE_MODEL_FAILURE, "the step limit is reached");
      break;
    }
    status = step();
    at = next;
  }
  session.arena.reset();
  session.frames.clear();
  return status;
}

hone_status_t Interpreter::step() {
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::End:
  case Opcode::Jump:
  case Opcode::JumpIfZero:
  case Opcode::Check:
    return control();
  case Opcode::BufferInput:
  case Opcode::BufferConstant:
  case Opcode::BufferStatic:
  case Opcode::BufferOutput:
  case Opcode::BufferMove:
    return defineBuffer();
  case Opcode::BufferView:
    return viewBuffer();
  case Opcode::Reserve:
    return reserve();
  case Opcode::Release:
    return release();
  case Opcode::Grow:
    return grow();
  case Opcode::Launch:
    return launch();
  case Opcode::Copy:
    return copy();
  case Opcode::Fill:
    return fill();
  case Opcode::Load:
    return load();
  case Opcode::Store:
    return store();
  case Opcode::OutputDim:
    return outputDim();
  default:
    return integer();
  }
}

hone_status_t Interpreter::control() {
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::Jump:
    next = static_cast<size_t>(code[at + 1]);
    return nullptr;
  case Opcode::JumpIfZero:
    if (!reg(1))
      next = static_cast<size_t>(code[at + 2]);
    return nullptr;
  case Opcode::Check:
    // The compiler's words, which name the node.
    return reg(1) ? nullptr : makeStatus(HONE_MODEL_FAILURE, "%.900s", program.messages()->Get(code[at + 2])->c_str());
  default:
    ended = true;
    return nullptr;
  }
}

hone_status_t Interpreter::integer() {
  int64_t result = 0;
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::Const:
    result = program.pool()->Get(code[at + 2]);
    break;
  case Opcode::Move:
    result = reg(2);
    break;
  case Opcode::Select:
    result = reg(2) ? reg(3) : reg(4);
    break;
  case Opcode::InputDim:
    result = session.inputs[code[at + 2]].shape[code[at + 3]];
    break;
  default:
    HONE_TRY(arithmetic(reg(2), reg(3), result));
    break;
  }
  reg(1) = result;
  return nullptr;
}

hone_status_t Interpreter::arithmetic(int64_t a, int64_t b, int64_t &result) {
  bool overflow = false;
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Opcode::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Opcode::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Opcode::MinS:
    result = a < b ? a : b;
    break;
  case Opcode::MaxS:
    result = a > b ? a : b;
    break;
  case Opcode::And:
    result = a & b;
    break;
  case Opcode::Or:
    result = a | b;
    break;
  case Opcode::Xor:
    result = a ^ b;
    break;
  case Opcode::CmpEq:
    result = a == b;
    break;
  case Opcode::CmpNe:
    result = a != b;
    break;
  case Opcode::CmpLt:
    result = a < b;
    break;
  case Opcode::CmpLe:
    result = a <= b;
    break;
  default:
    return division(a, b, result);
  }
  if (overflow)
    return fail(HONE_MODEL_FAILURE, "sizes of %lld and %lld overflow", static_cast<long long>(a),
                static_cast<long long>(b));
  return nullptr;
}

hone_status_t Interpreter::division(int64_t a, int64_t b, int64_t &result) {
  if (!b)
    return fail(HONE_MODEL_FAILURE, "a size is divided by zero");
  if (a == INT64_MIN && b == -1)
    return fail(HONE_MODEL_FAILURE, "a size overflows");
  int64_t quotient = a / b, rest = a % b;
  switch (static_cast<Opcode>(code[at])) {
  case Opcode::DivS:
    result = quotient;
    break;
  case Opcode::RemS:
    result = rest;
    break;
  case Opcode::FloorDivS:
    result = quotient - (rest && (rest < 0) != (b < 0));
    break;
  default: // CeilDivS
    result = quotient + (rest && (rest < 0) == (b < 0));
    break;
  }
  return nullptr;
}
