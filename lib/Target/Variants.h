//===- Variants.h - A backend's table of machines ---------------*- C++ -*-===//

#ifndef LIB_TARGET_VARIANTS_H
#define LIB_TARGET_VARIANTS_H

#include "llvm/ADT/StringExtras.h"

#include <string>
#include <vector>

namespace hone {

/// The names of the rows of a table.
template <typename Row, size_t N> std::vector<std::string> variantNames(const Row (&rows)[N]) {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.name.str());
  return names;
}

/// What a target string of `backend` can be: "cpu:avx2, cpu:avx512".
template <typename Row, size_t N> std::string listTargets(llvm::StringRef backend, const Row (&rows)[N]) {
  std::vector<std::string> targets = variantNames(rows);
  for (std::string &target : targets)
    target = (backend + ":" + target).str();
  return llvm::join(targets, ", ");
}

} // namespace hone

#endif // LIB_TARGET_VARIANTS_H
