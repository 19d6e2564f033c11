//===- PlanOpsGen.cpp - Generated op definitions --------------------------===//
//
// The directives of the assembly formats, and the generated code that uses
// them: alone in its file so that editing a verifier does not rebuild it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// `%size live [first, last], ...`
static ParseResult parseReservations(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &sizes,
                                     DenseI64ArrayAttr &first, DenseI64ArrayAttr &last) {
  SmallVector<int64_t> firsts, lasts;
  OpAsmParser::UnresolvedOperand size;
  OptionalParseResult more = parser.parseOptionalOperand(size);
  while (more.has_value()) {
    if (failed(*more) || parser.parseKeyword("live") || parser.parseLSquare() ||
        parser.parseInteger(firsts.emplace_back()) || parser.parseComma() ||
        parser.parseInteger(lasts.emplace_back()) || parser.parseRSquare())
      return failure();
    sizes.push_back(size);
    if (failed(parser.parseOptionalComma()))
      break;
    more = OptionalParseResult(parser.parseOperand(size));
  }
  first = parser.getBuilder().getDenseI64ArrayAttr(firsts);
  last = parser.getBuilder().getDenseI64ArrayAttr(lasts);
  return success();
}

static void printReservations(OpAsmPrinter &printer, Operation *, OperandRange sizes, DenseI64ArrayAttr first,
                              DenseI64ArrayAttr last) {
  for (auto [i, size] : llvm::enumerate(sizes))
    printer << (i ? ", " : "") << size << " live [" << first[i] << ", " << last[i] << "]";
}

/// `inplace [in -> out, ...]`, or nothing.
static ParseResult parseInplace(OpAsmParser &parser, DenseI64ArrayAttr &inplace) {
  SmallVector<int64_t> pairs;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseInteger(pairs.emplace_back()) || parser.parseArrow() ||
                   parser.parseInteger(pairs.emplace_back()));
  };
  if (succeeded(parser.parseOptionalKeyword("inplace")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  inplace = parser.getBuilder().getDenseI64ArrayAttr(pairs);
  return success();
}

static void printInplace(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr inplace) {
  if (inplace.empty())
    return;
  printer << "inplace [";
  for (int64_t i = 0; i + 1 < inplace.size(); i += 2)
    printer << (i ? ", " : "") << inplace[i] << " -> " << inplace[i + 1];
  printer << "]";
}

#define GET_OP_CLASSES
#include "dialects/Plan/IR/PlanOps.cpp.inc"
