//===- Expectations.h - Which cases are known to fail, and why --*- C++ -*-===//
//
// A text file per target. A line is `SUITE/CASE : reason`, where the case may
// be a glob; `#` opens a comment line. A listed case that passes fails the
// suite, so the list is never longer than the truth.
// `SUITE/CASE keeps INPUT : reason` expects no failure: where extents are made
// unknown, those of the input stay.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_ONNX_EXPECTATIONS_H
#define TEST_ONNX_EXPECTATIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <deque>
#include <string>
#include <vector>

namespace hone::conformance {

class Expectations {
public:
  Expectations() = default;
  // The globs point into the entries, which a move leaves in their place.
  Expectations(const Expectations &) = delete;
  Expectations(Expectations &&) = default;

  /// An empty path, or a file that does not exist, expects every case to pass.
  static llvm::Expected<Expectations> read(llvm::StringRef path);

  /// The reason why the case is expected to fail; null when it should pass.
  const std::string *reasonFor(llvm::StringRef fullName) const;

  /// The inputs of the case whose extents stay.
  std::vector<std::string> inputsKept(llvm::StringRef fullName) const;

  /// The file again, for the failures seen: entries that still hold keep their
  /// reason, entries without a failure among `seen` go, new failures come with
  /// `failures`' reason. Cases outside `seen` keep their entries.
  std::string updated(const llvm::StringMap<std::string> &failures, const llvm::StringMap<char> &seen) const;

private:
  struct Entry {
    std::string line;    ///< as in the file; comments and blank lines too
    std::string pattern; ///< empty for comments and blank lines
    std::string kept;    ///< the input whose extents stay; empty where a failure is expected
    std::string reason;
    bool expectsFailure() const { return !pattern.empty() && kept.empty(); }
    llvm::GlobPattern glob;
  };
  std::deque<Entry> entries;
};

} // namespace hone::conformance

#endif // TEST_ONNX_EXPECTATIONS_H
