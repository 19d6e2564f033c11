//===- Plan.h - The instructions of a program -*- C++ -*-===//
//
// One row an instruction says what its operand words mean. The verifier, the
// interpreter's decoder and the disassembler read that table; nothing else
// knows instruction lengths.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_FORMAT_PLAN_H
#define HONE_RUNTIME_FORMAT_PLAN_H

#include "runtime/format/Format.h"

namespace hone::format {

/// Operand letters, one word each unless said otherwise:
///   w r  integer register written, read
///   d b  buffer register written, read
///   p    index into the pool        j  target of a jump, a word of the code
///   i o  input, output              x  dimension of the input or output before
///   c k  constant, kernel           m  message
///   g    growing memory
///   t    dtype of Load and Store
///   B S  a count, then as many b or r: the kernel's buffers and scalars
///   V    a count, then as many groups of d, r (size), first step, last step
struct InstructionInfo {
  const char *name;
  const char *operands;
};

/// Null when there is no such instruction.
const InstructionInfo *instructionInfo(int32_t opcode);

/// Words of the instruction at `at`, its opcode included; 0 when it is unknown
/// or does not fit into the code.
size_t instructionLength(const int32_t *code, size_t size, size_t at);

/// Checks every instruction of program `index` against the module.
bool verifyProgram(const Module &module, size_t index, Error &error);

/// Writes the instruction at `at` as text ("12: mul r3, r1, r2"); the program
/// must have been verified. Returns the length as snprintf does.
int printInstruction(const Module &module, const Program &program, size_t at, char *text, size_t size);

} // namespace hone::format

#endif // HONE_RUNTIME_FORMAT_PLAN_H
