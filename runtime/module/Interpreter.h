//===- Interpreter.h - Running a program -*- C++ -*-===//
//
// One pass over a program's code. The verifier has checked every index; what is
// checked here are values: overflow, sizes, unset buffers. Commands go to the
// device at once, or, when recording, into the session's lists.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_MODULE_INTERPRETER_H
#define HONE_RUNTIME_MODULE_INTERPRETER_H

#include "runtime/module/Session.h"

namespace hone {

class Interpreter {
public:
  Interpreter(hone_session_s &session, bool recording);

  hone_status_t run();

private:
  hone_status_t step();
  hone_status_t integer();
  hone_status_t arithmetic(int64_t a, int64_t b, int64_t &result);
  hone_status_t division(int64_t a, int64_t b, int64_t &result);
  hone_status_t control();
  hone_status_t defineBuffer();
  hone_status_t viewBuffer();
  hone_status_t reserve();
  hone_status_t packSite(ReserveSite &site);
  hone_status_t release();
  hone_status_t grow();
  hone_status_t launch();
  hone_status_t copy();
  hone_status_t fill();
  hone_status_t load();
  hone_status_t store();
  hone_status_t outputDim();

  /// Hands a command on; spans and scalars are copied when recording.
  hone_status_t emit(hal::Command &command);
  hone_status_t emitCopy(const hal::Span &target, const hal::Span &source);
  /// A message that says where in the program it happened.
  hone_status_t fail(hone_status_code_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));

  int64_t &reg(size_t operand) { return session.registers[code[at + operand]]; }
  hal::Span &buffer(size_t operand) { return session.buffers[code[at + operand]]; }
  /// The span of an operand, which must have been set.
  hone_status_t use(size_t operand, const hal::Span *&span);
  /// A register's value as a size.
  hone_status_t sizeOf(size_t operand, const char *what, uint64_t &size);

  hone_session_s &session;
  const format::Program &program;
  const int32_t *code;
  const size_t words;
  const bool recording;
  size_t at = 0, next = 0;
  bool ended = false;
};

} // namespace hone

#endif // HONE_RUNTIME_MODULE_INTERPRETER_H
