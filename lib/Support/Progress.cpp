//===- Progress.cpp - What long work is doing -----------------------------===//

#include "lib/Support/Progress.h"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace hone;
using llvm::StringRef;

/// Counts change faster than anybody reads.
static constexpr std::chrono::milliseconds kInterval(100);
/// Return to the first column and erase what is there.
static constexpr char kErase[] = "\r\x1b[K";

ProgressLine::ProgressLine(int fd) : fd(fd) {
  const char *kind = getenv("TERM");
  isTerminal = isatty(fd) && kind && StringRef(kind) != "dumb";
}

void ProgressLine::write(StringRef text) {
  while (!text.empty()) {
    ssize_t count = ::write(fd, text.data(), text.size());
    // Whoever closed the terminal does not read it.
    if (count <= 0)
      return;
    text = text.drop_front(static_cast<size_t>(count));
  }
}

void ProgressLine::show(StringRef what, size_t done, size_t total) {
  if (!isTerminal)
    return;
  auto now = std::chrono::steady_clock::now();
  if (isShown && what == last && now - when < kInterval && done != total)
    return;
  when = now;
  last = what.str();
  std::string text = last;
  if (total)
    text += " " + std::to_string(done) + "/" + std::to_string(total);
  // A line that wraps would stay.
  winsize size{};
  size_t columns = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
  if (text.size() >= columns)
    text.resize(columns - 1);
  write(kErase + text);
  isShown = true;
}

void ProgressLine::clear() {
  if (isShown)
    write(kErase);
  isShown = false;
}
