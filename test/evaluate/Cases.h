//===- Cases.h - Functions and what they should compute ---------*- C++ -*-===//
//
// A text of graph functions. In its comments:
//
//   // TARGETS: reference, cpu:avx2, vulkan          where they are evaluated; "cuda" means every cuda:*
//   // FOR T in f32, f16                             the section once for each, with $T replaced
//   // EVAL @f([1, 2], random[2]) -> [3, nan]        arguments, and results
//   // EVAL within 2 ulp @f(random[33])              without results the reference interpreter says them
//
// `within N ulp` and `within X` (times the largest magnitude of the result) are how far floats may be off; without it
// an op's row in Elementwise.def says so. An argument with the attribute {graph.constant} is a constant of the compiled
// function. An EVAL goes on in the next comment after a ',', '(' or '->'. Sections are
// separated by `// -----`.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_EVALUATE_CASES_H
#define TEST_EVALUATE_CASES_H

#include "test/evaluate/Values.h"

#include "llvm/Support/Error.h"

namespace hone::evaluate {

/// How far floats may be off.
struct Bound {
  std::optional<double> ulps;
  double relative = 0; ///< to the largest magnitude of the result
};

struct Case {
  unsigned line = 0;
  std::string function;
  Bound bound;
  std::vector<TextValue> arguments, results; ///< no results: the reference's
};

/// A module of functions and their cases.
struct Section {
  std::string text;  ///< behind as many line breaks as there are lines before it
  std::string types; ///< "T = f32", for messages
  std::vector<Case> cases;
};

struct File {
  std::string path;
  std::vector<std::string> targets;
  std::vector<Section> sections;
};

llvm::Expected<File> readFile(llvm::StringRef path);

} // namespace hone::evaluate

#endif // TEST_EVALUATE_CASES_H
