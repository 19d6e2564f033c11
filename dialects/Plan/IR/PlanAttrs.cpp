//===- PlanAttrs.cpp - Parsing, printing, verifying attributes ------------===//

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::plan;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

bool hone::plan::isElementType(Type type) { return elementBytes(type) != 0; }

int64_t hone::plan::elementBytes(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (integer.isSigned() || (width == 1 && !integer.isSignless()))
      return 0;
    return llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u}, width) ? llvm::divideCeil(width, 8) : 0;
  }
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
          Float8E5M2FNUZType, Float8E8M0FNUType, Float4E2M1FNType>(type))
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return 0;
}

std::optional<int64_t> hone::plan::staticBytes(ShapedType type) {
  int64_t bytes = elementBytes(type.getElementType());
  if (!type.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

//===----------------------------------------------------------------------===//
// DimAttr
//===----------------------------------------------------------------------===//

DimAttr DimAttr::get(MLIRContext *context, int64_t size) {
  return get(context, size, StringAttr::get(context, ""), 0, kUnbounded);
}

DimAttr DimAttr::get(MLIRContext *context, StringRef symbol, int64_t min, int64_t max) {
  return get(context, kRunTime, StringAttr::get(context, symbol), min, max);
}

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t size, StringAttr symbol,
                              int64_t min, int64_t max) {
  if (size < kRunTime)
    return emitError() << "extent " << size << " is negative";
  if (size != kRunTime && (min != 0 || max != kUnbounded))
    return emitError() << "a static extent has no range";
  if (min < 0 || max < min)
    return emitError() << "range " << min << " to " << max << " is empty or negative";
  return success();
}

DimAttr DimAttr::parseBare(AsmParser &parser) {
  MLIRContext *context = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  auto error = [&] { return parser.emitError(loc); };
  int64_t size = kRunTime, min = 0, max = kUnbounded;
  std::string symbol;
  auto fixed = [&] {
    return size == kRunTime ? (error() << "extent -1 is negative", DimAttr())
                            : getChecked(error, context, size, StringAttr::get(context, symbol), min, max);
  };
  OptionalParseResult number = parser.parseOptionalInteger(size);
  if (number.has_value())
    return failed(*number) ? DimAttr() : fixed();
  if (failed(parser.parseOptionalQuestion())) {
    if (parser.parseString(&symbol))
      return {};
    if (succeeded(parser.parseOptionalEqual()))
      return parser.parseInteger(size) ? DimAttr() : fixed();
  }
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    if (parser.parseInteger(min) || parser.parseKeyword("to"))
      return {};
    if (failed(parser.parseOptionalQuestion()) && parser.parseInteger(max))
      return {};
  }
  return getChecked(error, context, kRunTime, StringAttr::get(context, symbol), min, max);
}

void DimAttr::printBare(AsmPrinter &printer) const {
  if (isStatic()) {
    if (!getSymbol().empty()) {
      printer.printString(getSymbol().getValue());
      printer << " = ";
    }
    printer << getSize();
    return;
  }
  if (getSymbol().empty())
    printer << "?";
  else
    printer.printString(getSymbol().getValue());
  if (getMin() == 0 && getMax() == kUnbounded)
    return;
  printer << " in " << getMin() << " to ";
  if (getMax() == kUnbounded)
    printer << "?";
  else
    printer << getMax();
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DimAttr dim = parseBare(parser);
  if (!dim || parser.parseGreater())
    return {};
  return dim;
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBare(printer);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// TensorAttr
//===----------------------------------------------------------------------===//

TensorAttr TensorAttr::get(MLIRContext *context, StringRef name, Type elementType, ArrayRef<DimAttr> dims) {
  return get(context, StringAttr::get(context, name), elementType, dims);
}

LogicalResult TensorAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, Type elementType,
                                 ArrayRef<DimAttr> dims) {
  if (!isElementType(elementType))
    return emitError() << elementType << " is no element type of inputs and outputs";
  return success();
}

Attribute TensorAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  Type elementType;
  SmallVector<DimAttr> dims;
  auto parseDim = [&]() -> ParseResult {
    dims.push_back(DimAttr::parseBare(parser));
    return success(dims.back() != nullptr);
  };
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), parser.getBuilder().getStringAttr(name),
                    elementType, ArrayRef<DimAttr>(dims));
}

void TensorAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getName().getValue());
  printer << ", " << getElementType() << ", [";
  llvm::interleaveComma(getDims(), printer, [&](DimAttr dim) { dim.printBare(printer); });
  printer << "]>";
}
