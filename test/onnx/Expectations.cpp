//===- Expectations.cpp - Which cases are known to fail, and why ----------===//

#include "test/onnx/Expectations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hone::conformance;

llvm::Expected<Expectations> Expectations::read(llvm::StringRef path) {
  Expectations result;
  if (path.empty() || !llvm::sys::fs::exists(path))
    return result;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + path);
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/false); !line.is_at_end(); ++line) {
    Entry &entry = result.entries.emplace_back();
    entry.line = line->str();
    llvm::StringRef text = line->trim();
    if (text.empty() || text.starts_with("#"))
      continue;
    auto [pattern, reason] = text.split(" : ");
    auto [cases, kept] = pattern.split(" keeps ");
    entry.pattern = cases.trim().str();
    entry.kept = kept.trim().str();
    entry.reason = reason.trim().str();
    auto glob = llvm::GlobPattern::create(entry.pattern);
    if (!glob || entry.reason.empty()) {
      if (!glob)
        llvm::consumeError(glob.takeError());
      return llvm::createStringError(llvm::inconvertibleErrorCode(), path + ":" + llvm::Twine(line.line_number()) +
                                                                         ": expected 'SUITE/CASE : reason', got '" +
                                                                         text + "'");
    }
    entry.glob = std::move(*glob);
  }
  return result;
}

const std::string *Expectations::reasonFor(llvm::StringRef fullName) const {
  for (const Entry &entry : entries)
    if (entry.expectsFailure() && entry.glob.match(fullName))
      return &entry.reason;
  return nullptr;
}

std::vector<std::string> Expectations::inputsKept(llvm::StringRef fullName) const {
  std::vector<std::string> inputs;
  for (const Entry &entry : entries)
    if (!entry.kept.empty() && entry.glob.match(fullName))
      inputs.push_back(entry.kept);
  return inputs;
}

std::string Expectations::updated(const llvm::StringMap<std::string> &failures,
                                  const llvm::StringMap<char> &seen) const {
  std::string text;
  for (const Entry &entry : entries) {
    bool keep = !entry.expectsFailure();
    bool matchedAny = false;
    // A glob goes as soon as one of its cases passes: its other cases are
    // listed one by one below.
    bool allFail = true;
    if (!keep) {
      for (const auto &name : seen) {
        if (!entry.glob.match(name.getKey()))
          continue;
        matchedAny = true;
        allFail &= failures.contains(name.getKey());
      }
      keep = !matchedAny || allFail;
    }
    if (keep)
      text += entry.line + "\n";
  }
  std::vector<std::string> added;
  for (const auto &failure : failures) {
    bool covered = llvm::any_of(entries, [&](const Entry &entry) {
      if (!entry.expectsFailure() || !entry.glob.match(failure.getKey()))
        return false;
      return llvm::all_of(
          seen, [&](const auto &name) { return !entry.glob.match(name.getKey()) || failures.contains(name.getKey()); });
    });
    if (covered)
      continue;
    const std::string *old = reasonFor(failure.getKey());
    added.push_back((failure.getKey() + " : " + (old ? *old : failure.getValue()) + "\n").str());
  }
  llvm::sort(added);
  for (const std::string &line : added)
    text += line;
  return text;
}
