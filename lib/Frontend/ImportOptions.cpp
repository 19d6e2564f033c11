//===- ImportOptions.cpp - How a model is imported ------------------------===//

#include "lib/Frontend/ImportOptions.h"

using namespace llvm;

std::optional<hone::frontend::DimRange> hone::frontend::parseDimRange(StringRef text, std::string &error) {
  auto [name, value] = text.rsplit('=');
  auto [first, second] = value.split("..");
  DimRange range;
  range.name = name.str();
  bool isRange = value.contains("..");
  if (name.empty() || first.getAsInteger(10, range.min) || (isRange && second.getAsInteger(10, range.max))) {
    error = ("'" + text + "' is not NAME=N or NAME=MIN..MAX").str();
    return std::nullopt;
  }
  if (!isRange)
    range.max = range.min;
  if (range.min < 0 || range.max < range.min || range.max > INT32_MAX) {
    error = ("'" + text + "': extents are from 0 to " + Twine(INT32_MAX) + ", the smaller one first").str();
    return std::nullopt;
  }
  return range;
}
