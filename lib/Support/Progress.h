//===- Progress.h - What long work is doing ---------------------*- C++ -*-===//

#ifndef LIB_SUPPORT_PROGRESS_H
#define LIB_SUPPORT_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <functional>
#include <string>

namespace hone {

/// Told what is being done, and how much of it is: `total` is 0 where nobody knows.
using ProgressFn = std::function<void(llvm::StringRef what, size_t done, size_t total)>;

/// One line on a terminal, which is rewritten and at last cleared. Where the file is no terminal nothing is written.
class ProgressLine {
public:
  /// `fd`: an open file, standard error by default.
  explicit ProgressLine(int fd = 2);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void show(llvm::StringRef what, size_t done = 0, size_t total = 0);
  /// Before anything else is written to the terminal.
  void clear();

private:
  void write(llvm::StringRef text);

  int fd;
  bool isTerminal, isShown = false;
  std::string last; ///< what was shown
  std::chrono::steady_clock::time_point when;
};

} // namespace hone

#endif // LIB_SUPPORT_PROGRESS_H
