//===- Workers.cpp - Running cases in processes that may die --------------===//

#include "test/onnx/Workers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone::conformance;
using Clock = std::chrono::steady_clock;

llvm::StringRef hone::conformance::statusName(Status status) {
  switch (status) {
  case Status::Pass:
    return "pass";
  case Status::CompileError:
    return "compile";
  case Status::RunError:
    return "run";
  case Status::Mismatch:
    return "mismatch";
  case Status::Crash:
    return "crash";
  case Status::Timeout:
    return "timeout";
  }
  llvm_unreachable("every status has a name");
}

namespace {

/// Fresh processes from time to time keep one case's leftovers from the rest.
constexpr unsigned jobsPerWorker = 200;

struct Worker {
  pid_t pid = -1;
  int toChild = -1, fromChild = -1;
  FILE *stderrFile = nullptr;
  unsigned served = 0;
  const Job *job = nullptr; ///< null while idle
  Clock::time_point started;
  std::string received;

  double secondsInJob() const { return std::chrono::duration<double>(Clock::now() - started).count(); }
};

} // namespace

static bool writeAll(int fd, const void *data, size_t size) {
  const char *at = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = write(fd, at, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    at += written;
    size -= written;
  }
  return true;
}

static bool readAll(int fd, void *data, size_t size) {
  char *at = static_cast<char *>(data);
  while (size > 0) {
    ssize_t got = read(fd, at, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    size -= got;
  }
  return true;
}

/// Stands before the line of a worker's last result.
constexpr char lastMark = '!';

/// The child: job numbers in, one line per result out, until the pipe closes.
[[noreturn]] static void serve(int in, int out, llvm::function_ref<Outcome(unsigned)> work) {
  unsigned id;
  while (readAll(in, &id, sizeof id)) {
    Outcome outcome = work(id);
    std::string line(outcome.endsWorker ? 1 : 0, lastMark);
    line += static_cast<char>(outcome.status);
    for (char c : outcome.reason)
      line += c == '\n' || c == '\r' ? ' ' : c;
    line += '\n';
    if (!writeAll(out, line.data(), line.size()) || outcome.endsWorker)
      break;
  }
  _exit(0);
}

static void start(Worker &worker, llvm::ArrayRef<Worker> others, llvm::function_ref<Outcome(unsigned)> work) {
  int down[2], up[2];
  worker.stderrFile = std::tmpfile();
  if (pipe(down) || pipe(up) || !worker.stderrFile)
    llvm::report_fatal_error("cannot start a worker");
  std::fflush(nullptr);
  worker.pid = fork();
  if (worker.pid < 0)
    llvm::report_fatal_error("cannot start a worker");
  if (worker.pid == 0) {
    // Another worker's pipe held open here would hide that worker's end.
    for (const Worker &other : others)
      for (int fd : {other.toChild, other.fromChild})
        if (fd >= 0)
          close(fd);
    close(down[1]);
    close(up[0]);
    dup2(fileno(worker.stderrFile), STDERR_FILENO);
    dup2(fileno(worker.stderrFile), STDOUT_FILENO);
    rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    serve(down[0], up[1], work);
  }
  close(down[0]);
  close(up[1]);
  worker.toChild = down[1];
  worker.fromChild = up[0];
  worker.served = 0;
  worker.received.clear();
}

static void stop(Worker &worker, bool force) {
  if (worker.pid < 0)
    return;
  close(worker.toChild);
  if (force)
    kill(worker.pid, SIGKILL);
  close(worker.fromChild);
  waitpid(worker.pid, nullptr, 0);
  std::fclose(worker.stderrFile);
  worker = Worker();
}

/// The line that says most about a death: an assertion, a sanitizer's summary, LLVM's fatal error; else the first of
/// our own functions on the stack; else the last line.
static std::string lastWords(FILE *file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  while (size_t got = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, got);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    for (llvm::StringRef sign : {"Assertion", "LLVM ERROR", "SUMMARY:", "UNREACHABLE", "terminate called"})
      if (line.contains(sign))
        return line.trim().str();
  for (llvm::StringRef line : lines)
    if (line.trim().starts_with("#") && line.contains("hone::") && !line.contains("hone::conformance"))
      return "in " + line.substr(line.find("0x")).split(' ').second.split(" (").first.str();
  return lines.empty() ? "" : lines.back().trim().str();
}

static Outcome death(Worker &worker) {
  Outcome outcome;
  int code = 0;
  waitpid(worker.pid, &code, 0);
  outcome.reason =
      WIFSIGNALED(code) ? std::string(strsignal(WTERMSIG(code))) : "exit code " + std::to_string(WEXITSTATUS(code));
  if (std::string words = lastWords(worker.stderrFile); !words.empty())
    outcome.reason += ": " + words;
  close(worker.toChild);
  close(worker.fromChild);
  std::fclose(worker.stderrFile);
  worker = Worker();
  return outcome;
}

/// Reads what a worker sent. True when its job is over, with the outcome.
static bool receive(Worker &worker, Outcome &outcome) {
  char buffer[4096];
  ssize_t got = read(worker.fromChild, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR)
    return false;
  double seconds = worker.secondsInJob();
  if (got <= 0) {
    outcome = death(worker);
    outcome.seconds = seconds;
    return true;
  }
  worker.received.append(buffer, got);
  llvm::StringRef line(worker.received);
  if (!line.ends_with("\n"))
    return false;
  outcome.endsWorker = line.consume_front(llvm::StringRef(&lastMark, 1));
  outcome.status = static_cast<Status>(line[0]);
  outcome.reason = line.drop_front().trim().str();
  outcome.seconds = seconds;
  if (outcome.endsWorker) {
    stop(worker, /*force=*/false);
  } else {
    worker.received.clear();
    worker.job = nullptr;
  }
  return true;
}

/// Gives every idle worker a job; false when no job runs any more.
static bool assign(llvm::MutableArrayRef<Worker> workers, llvm::ArrayRef<Job> &pending,
                   llvm::function_ref<Outcome(unsigned)> work) {
  bool running = false;
  for (Worker &worker : workers) {
    if (!worker.job && !pending.empty()) {
      if (worker.served >= jobsPerWorker)
        stop(worker, /*force=*/false);
      if (worker.pid < 0)
        start(worker, workers, work);
      worker.job = &pending.front();
      worker.started = Clock::now();
      ++worker.served;
      pending = pending.drop_front();
      // A worker that died meanwhile is noticed when its pipe is read.
      (void)writeAll(worker.toChild, &worker.job->id, sizeof worker.job->id);
    }
    running |= worker.job != nullptr;
  }
  return running;
}

void hone::conformance::runJobs(llvm::ArrayRef<Job> jobs, unsigned numWorkers,
                                llvm::function_ref<Outcome(unsigned)> work,
                                llvm::function_ref<void(unsigned, const Outcome &)> done) {
  signal(SIGPIPE, SIG_IGN);
  std::vector<Worker> workers(numWorkers);
  while (assign(workers, jobs, work)) {
    llvm::SmallVector<pollfd> polled;
    llvm::SmallVector<Worker *> busy;
    double wait = 3600;
    for (Worker &worker : workers) {
      if (!worker.job)
        continue;
      polled.push_back({worker.fromChild, POLLIN, 0});
      busy.push_back(&worker);
      wait = std::min(wait, worker.job->limitSeconds - worker.secondsInJob());
    }
    poll(polled.data(), polled.size(), std::max(1, int(wait * 1000) + 1));
    for (size_t i = 0; i < busy.size(); ++i) {
      Worker &worker = *busy[i];
      const Job job = *worker.job;
      Outcome outcome;
      if (polled[i].revents) {
        if (receive(worker, outcome))
          done(job.id, outcome);
      } else if (worker.secondsInJob() > job.limitSeconds) {
        outcome.status = Status::Timeout;
        outcome.seconds = worker.secondsInJob();
        outcome.reason = "took longer than " + std::to_string(int(job.limitSeconds)) + " s";
        stop(worker, /*force=*/true);
        done(job.id, outcome);
      }
    }
  }
  for (Worker &worker : workers)
    stop(worker, /*force=*/false);
}
