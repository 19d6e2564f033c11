//===- PlanPrinter.cpp - Programs as text ---------------------------------===//
//
// For `inspect` and for messages; reads the instruction table alone.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"

#include <cstdarg>
#include <cstdio>

using namespace hone::format;

namespace {
/// snprintf into what is left; counts what would have been written.
class Writer {
public:
  Writer(char *text, size_t size) : text(text), size(size) {}
  void print(const char *format, ...) __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(length < size ? text + length : nullptr, length < size ? size - length : 0, format, arguments);
    va_end(arguments);
    length += n > 0 ? n : 0;
  }
  int result() const { return static_cast<int>(length); }

private:
  char *text;
  size_t size, length = 0;
};
} // namespace

static void printOperand(Writer &out, const Module &module, const Program &program, char kind, int32_t word) {
  switch (kind) {
  case 'w':
  case 'r':
    return out.print("r%d", word);
  case 'd':
  case 'b':
    return out.print("b%d", word);
  case 'p':
    return out.print("%lld", static_cast<long long>(program.pool()->Get(word)));
  case 'j':
    return out.print("@%d", word);
  case 'i':
    return out.print("'%.64s'", module.inputs()->Get(word)->name()->c_str());
  case 'o':
    return out.print("'%.64s'", module.outputs()->Get(word)->name()->c_str());
  case 'g':
  case 'c':
    return out.print("#%d", word);
  case 'k':
    return out.print("%.128s", module.kernels()->Get(word)->name()->c_str());
  case 'm':
    return out.print("\"%.128s\"", program.messages()->Get(word)->c_str());
  case 't':
    return out.print("%s", dtypeName(static_cast<DType>(word)));
  }
  out.print("%d", word);
}

int hone::format::printInstruction(const Module &module, const Program &program, size_t at, char *text, size_t size) {
  Writer out(text, size);
  const int32_t *code = program.code()->data();
  const InstructionInfo *info = instructionInfo(code[at]);
  out.print("%zu: %s", at, info->name);
  const int32_t *operand = code + at + 1;
  const char *separator = " ";
  for (const char *kind = info->operands; *kind; ++kind) {
    out.print("%s", separator);
    separator = ", ";
    if (*kind == 'B' || *kind == 'S') {
      int32_t n = *operand++;
      out.print("[");
      for (int32_t i = 0; i < n; ++i)
        out.print("%s%c%d", i ? ", " : "", *kind == 'B' ? 'b' : 'r', *operand++);
      out.print("]");
    } else if (*kind == 'V') {
      int32_t n = *operand++;
      for (int32_t i = 0; i < n; ++i, operand += 4)
        out.print("%sb%d: r%d bytes in %d..%d", i ? ", " : "", operand[0], operand[1], operand[2], operand[3]);
    } else {
      printOperand(out, module, program, *kind, *operand++);
    }
  }
  return out.result();
}
