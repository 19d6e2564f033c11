//===- Compare.cpp - Comparing outputs as ONNX's runner does --------------===//

#include "test/onnx/Compare.h"
#include "test/onnx/RunCase.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace hone::conformance;

/// How the bits of a float type are read; null for integers.
static const llvm::fltSemantics *floatSemantics(int32_t dataType) {
  switch (dataType) {
  case Float:
    return &llvm::APFloat::IEEEsingle();
  case Double:
    return &llvm::APFloat::IEEEdouble();
  case Float16:
    return &llvm::APFloat::IEEEhalf();
  case BFloat16:
    return &llvm::APFloat::BFloat();
  case Float8E4M3FN:
    return &llvm::APFloat::Float8E4M3FN();
  case Float8E4M3FNUZ:
    return &llvm::APFloat::Float8E4M3FNUZ();
  case Float8E5M2:
    return &llvm::APFloat::Float8E5M2();
  case Float8E5M2FNUZ:
    return &llvm::APFloat::Float8E5M2FNUZ();
  case Float4E2M1:
    return &llvm::APFloat::Float4E2M1FN();
  case Float8E8M0:
    return &llvm::APFloat::Float8E8M0FNU();
  default:
    return nullptr;
  }
}

/// The bits of element `i`, packed from the low end as in raw_data.
static uint64_t elementBits(const Value &value, int64_t i, unsigned bits) {
  if (bits < 8) {
    unsigned perByte = 8 / bits;
    return (value.bytes[i / perByte] >> (i % perByte * bits)) & ((1u << bits) - 1);
  }
  uint64_t result = 0;
  std::memcpy(&result, value.bytes.data() + i * (bits / 8), bits / 8);
  return result;
}

static double toDouble(uint64_t bits, unsigned width, const llvm::fltSemantics &semantics) {
  // The two types that hardware knows dominate the suite.
  if (&semantics == &llvm::APFloat::IEEEsingle())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (&semantics == &llvm::APFloat::IEEEdouble())
    return llvm::bit_cast<double>(bits);
  llvm::APFloat value(semantics, llvm::APInt(width, bits));
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

static std::string showInteger(uint64_t bits, unsigned width, bool isSigned) {
  llvm::SmallString<24> text;
  llvm::APInt(width, bits).toString(text, 10, isSigned);
  return text.str().str();
}

static bool close(double actual, double expected, double rtol, double atol) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected))
    return actual == expected;
  return std::fabs(actual - expected) <= atol + rtol * std::fabs(expected);
}

static std::string compareElements(const Value &actual, const Value &expected, double rtol, double atol) {
  DataTypeInfo info = dataTypeInfo(expected.dataType);
  int64_t count = expected.numElements();
  uint64_t needed = (static_cast<uint64_t>(count) * info.bits + 7) / 8;
  if (actual.bytes.size() < needed || expected.bytes.size() < needed)
    return llvm::formatv("holds {0} bytes where {1} are needed", std::min(actual.bytes.size(), expected.bytes.size()),
                         needed);
  const llvm::fltSemantics *semantics = floatSemantics(expected.dataType);
  bool isSigned = info.name.starts_with("i");
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t a = elementBits(actual, i, info.bits);
    uint64_t e = elementBits(expected, i, info.bits);
    if (a == e)
      continue;
    if (semantics && close(toDouble(a, info.bits, *semantics), toDouble(e, info.bits, *semantics), rtol, atol))
      continue;
    ++wrong;
    if (first < 0)
      first = i;
  }
  if (wrong == 0)
    return "";
  uint64_t a = elementBits(actual, first, info.bits);
  uint64_t e = elementBits(expected, first, info.bits);
  std::string got = semantics ? llvm::formatv("{0:e6}", toDouble(a, info.bits, *semantics)).str()
                              : showInteger(a, info.bits, isSigned);
  std::string wanted = semantics ? llvm::formatv("{0:e6}", toDouble(e, info.bits, *semantics)).str()
                                 : showInteger(e, info.bits, isSigned);
  return llvm::formatv("{0} of {1} elements differ, first #{2}: {3}, not {4}", wrong, count, first, got, wanted);
}

std::string hone::conformance::compareValues(const Value &actual, const Value &expected, double rtol, double atol) {
  if (actual.kind != expected.kind || actual.dataType != expected.dataType || actual.dims != expected.dims)
    return "is " + actual.describe() + ", not " + expected.describe();
  if (expected.kind == Value::Absent)
    return "";
  if (expected.kind == Value::Sequence) {
    if (actual.items.size() != expected.items.size())
      return "is " + actual.describe() + ", not " + expected.describe();
    for (size_t i = 0; i < expected.items.size(); ++i)
      if (std::string difference = compareValues(actual.items[i], expected.items[i], rtol, atol); !difference.empty())
        return llvm::formatv("item {0} {1}", i, difference);
    return "";
  }
  if (dataTypeInfo(expected.dataType).bits == 0)
    return actual.bytes == expected.bytes ? "" : "differs";
  if (expected.dataType == Complex64 || expected.dataType == Complex128) {
    // Real and imaginary parts are compared as a further dimension of two.
    Value a = actual, e = expected;
    for (Value *value : {&a, &e}) {
      value->dataType = expected.dataType == Complex64 ? Float : Double;
      value->dims.push_back(2);
    }
    return compareElements(a, e, rtol, atol);
  }
  if (expected.dataType == BFloat16)
    rtol = std::max(rtol, 0x1p-6);
  return compareElements(actual, expected, rtol, atol);
}

Outcome hone::conformance::compareOutputs(const Case &testCase, llvm::ArrayRef<Value> actual,
                                          llvm::ArrayRef<Value> expected) {
  if (actual.size() != expected.size())
    return {Status::Mismatch, llvm::formatv("{0} outputs, not {1}", actual.size(), expected.size())};
  for (const auto &[ours, theirs] : llvm::zip_equal(actual, expected)) {
    std::string difference = compareValues(ours, theirs, testCase.rtol, testCase.atol);
    if (!difference.empty())
      return {Status::Mismatch, "output '" + theirs.name + "' " + difference};
  }
  return {Status::Pass, ""};
}

std::string hone::conformance::firstLine(const Case &testCase, llvm::StringRef diagnostics) {
  llvm::SmallVector<llvm::StringRef> lines;
  diagnostics.split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty())
    return "failed without a word";
  // Warnings may come before what failed.
  const auto *error = llvm::find_if(lines, [](llvm::StringRef line) { return line.contains("error:"); });
  llvm::StringRef line = error == lines.end() ? lines.front() : *error;
  if (line.consume_front(testCase.modelPath()))
    line = line.ltrim(": ");
  return line.rtrim().str();
}
