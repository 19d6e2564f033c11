//===- CrashHandler.h - The last words of a program that dies ---*- C++ -*-===//
//
// A fatal signal is a mistake of ours: programs say so in one message, leave what helps to repeat it, and exit with
// the code of such mistakes.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SUPPORT_CRASHHANDLER_H
#define LIB_SUPPORT_CRASHHANDLER_H

#include <functional>
#include <string>

namespace hone {

/// While this lives, `rescue` is called when the process dies; it returns the path of what it wrote, or "". It runs in
/// the handler of the signal, on a stack of its own, and may fail: nothing but the path in the message depends on it.
class CrashRescue {
public:
  explicit CrashRescue(std::function<std::string()> rescue);
  ~CrashRescue();
  CrashRescue(const CrashRescue &) = delete;
  CrashRescue &operator=(const CrashRescue &) = delete;

  /// The innermost one.
  static CrashRescue *current();
  std::string run() const { return rescue(); }

private:
  std::function<std::string()> rescue;
  CrashRescue *outer;
};

/// For a program's main: fatal signals end it with `exitCode` after the rescue and one message.
void installCrashHandler(int exitCode);

} // namespace hone

#endif // LIB_SUPPORT_CRASHHANDLER_H
