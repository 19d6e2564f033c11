//===- DiskCache.h - Results that outlive the process -----------*- C++ -*-===//
//
// For steps that take long and always give the same bytes for the same input. A cache never fails: what
// it cannot read is not there, what it cannot write is lost.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SUPPORT_DISKCACHE_H
#define LIB_SUPPORT_DISKCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace hone {

/// A folder of results by the hash of what they were made from: `hone/` in the user's cache folder
/// (XDG_CACHE_HOME, else ~/.cache), or HONE_CACHE_DIR, which switches caching off where it is set but
/// empty. The least recently used results go when there is more than a gigabyte.
class DiskCache {
public:
  DiskCache();

  /// A key: the hash of all `parts`, whose borders count.
  static std::string key(llvm::ArrayRef<llvm::StringRef> parts);

  /// What was stored under `key`, whole and unharmed. May be called by several threads, as `insert` may.
  std::optional<std::vector<char>> find(llvm::StringRef key) const;
  void insert(llvm::StringRef key, llvm::ArrayRef<char> bytes) const;

  /// Removes what is too much. Looks once in a while only.
  void prune() const;

private:
  std::string fileOf(llvm::StringRef key) const;

  std::string folder; ///< empty: no caching
};

} // namespace hone

#endif // LIB_SUPPORT_DISKCACHE_H
