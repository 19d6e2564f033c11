//===- CrashHandler.cpp - The last words of a program that dies -----------===//

#include "lib/Support/CrashHandler.h"

#include "llvm/Support/Compiler.h"

#include <atomic>
#include <csignal>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

using namespace hone;

namespace {

/// The rescue prints IR, which recurses; pages that it does not touch cost nothing.
constexpr size_t kStackBytes = size_t{16} << 20;
/// A rescue may wait for a lock that the dead code holds.
constexpr unsigned kRescueSeconds = 20;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

CrashRescue *innermost = nullptr;
int crashExitCode = 1;
std::atomic<int> died{0};

void say(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void sayMistake(int signal) {
  say("hone: a mistake of the compiler: it died of ");
  const char *name = sigdescr_np(signal);
  say(name ? name : "a signal");
}

/// The rescue died too, or takes too long.
[[noreturn]] void giveUp() {
  sayMistake(died);
  say("\n");
  _exit(crashExitCode);
}

void onSignal(int signal) {
  int none = 0;
  if (signal == SIGALRM || !died.compare_exchange_strong(none, signal))
    giveUp();
  std::signal(SIGALRM, onSignal);
  alarm(kRescueSeconds);
  std::string path;
  if (CrashRescue *rescue = CrashRescue::current())
    path = rescue->run();
  alarm(0);
  sayMistake(signal);
  if (!path.empty()) {
    say("; the failing program is in '");
    say(path);
    say("' (try hone-opt --run-reproducer and hone-reduce on it)");
  }
  say("\n");
  _exit(crashExitCode);
}

} // namespace

CrashRescue::CrashRescue(std::function<std::string()> rescue) : rescue(std::move(rescue)), outer(innermost) {
  innermost = this;
}

CrashRescue::~CrashRescue() { innermost = outer; }

CrashRescue *CrashRescue::current() { return innermost; }

void hone::installCrashHandler(int exitCode) {
  // Sanitizers have handlers of their own, which tell more.
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD
  crashExitCode = exitCode;
  // A stack that overflowed leaves no room for a handler.
  void *stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack != MAP_FAILED) {
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = kStackBytes;
    sigaltstack(&alternate, nullptr);
  }
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals)
    sigaction(signal, &action, nullptr);
#else
  (void)exitCode;
#endif
}
