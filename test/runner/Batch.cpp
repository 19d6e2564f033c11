//===- Batch.cpp - Jobs and replies as files ------------------------------===//

#include "test/runner/Batch.h"
#include "test/runner/JobRunner.h"
#include "tools/hone-run/Files.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using namespace hone::runner;
namespace fs = std::filesystem;

static std::string replyPath(const std::string &job) { return fs::path(job).replace_extension("reply").string(); }

static bool writeReply(const std::string &job, const Reply &reply) {
  std::vector<uint8_t> bytes = encode(reply);
  std::string error;
  if (tools::writeFile(replyPath(job), bytes.data(), bytes.size(), error))
    return true;
  fprintf(stderr, "module-runner: error: %s\n", error.c_str());
  return false;
}

/// The jobs without a reply, in order.
static bool listJobs(const std::string &folder, std::vector<std::string> &jobs) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() == ".job" && !fs::exists(replyPath(entry->path().string()), ignored))
      jobs.push_back(entry->path().string());
  }
  if (error)
    fprintf(stderr, "module-runner: error: cannot read '%s': %s\n", folder.c_str(), error.message().c_str());
  std::sort(jobs.begin(), jobs.end());
  return !error;
}

/// What the child says of a job that is done: that it goes on, or that it ends because the device is lost.
enum class Done : char { Next, Last };

/// The child: one byte to the pipe for every job that is done.
[[noreturn]] static void work(const BatchOptions &options, const std::vector<std::string> &jobs, size_t first,
                              int done) {
  JobRunner runner(options.device, options.synchronous);
  for (size_t i = first; i < jobs.size(); ++i) {
    std::vector<uint8_t> bytes;
    Job job;
    Reply reply;
    if (!tools::readFile(jobs[i], bytes, reply.error) || !decode(bytes, job))
      reply.error = "the job cannot be read";
    else
      reply = runner.run(job);
    Done word = runner.hasLostDevice() ? Done::Last : Done::Next;
    if (!writeReply(jobs[i], reply) || write(done, &word, 1) != 1)
      _exit(1);
    if (word == Done::Last)
      break;
  }
  _exit(0);
}

/// Waits until the child has done a job; false when it died or took too long, with the reason.
static bool waitForJob(int done, pid_t child, int limitSeconds, Done &word, Reply &reply) {
  pollfd polled = {done, POLLIN, 0};
  int ready = poll(&polled, 1, limitSeconds * 1000);
  if (ready > 0 && read(done, &word, 1) == 1)
    return true;
  reply.crashed = true;
  if (!ready) {
    reply.error = "took longer than " + std::to_string(limitSeconds) + " s";
    kill(child, SIGKILL);
  }
  int code = 0;
  waitpid(child, &code, 0);
  if (reply.error.empty())
    reply.error = WIFSIGNALED(code) ? strsignal(WTERMSIG(code)) : "exit code " + std::to_string(WEXITSTATUS(code));
  return false;
}

int runner::runBatch(const BatchOptions &options) {
  std::vector<std::string> jobs;
  if (!listJobs(options.folder, jobs))
    return 1;
  size_t crashed = 0;
  for (size_t next = 0; next < jobs.size();) {
    int pipes[2];
    if (pipe(pipes))
      return 1;
    fflush(nullptr);
    pid_t child = fork();
    if (child < 0)
      return 1;
    if (!child) {
      close(pipes[0]);
      work(options, jobs, next, pipes[1]);
    }
    close(pipes[1]);
    Reply reply;
    bool alive = true;
    Done word = Done::Next;
    for (; alive && word == Done::Next && next < jobs.size(); next += alive)
      alive = waitForJob(pipes[0], child, options.limitSeconds, word, reply);
    close(pipes[0]);
    if (alive) {
      waitpid(child, nullptr, 0);
    } else {
      if (!writeReply(jobs[next], reply))
        return 1;
      ++next;
      ++crashed;
    }
  }
  printf("%zu jobs, %zu of them crashed\n", jobs.size(), crashed);
  return 0;
}
