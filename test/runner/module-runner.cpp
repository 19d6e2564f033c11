//===- module-runner.cpp - Runs modules for programs that compile them ----===//
//
// One process for many modules. Jobs come from a pipe, or lie as files in a folder; the second form survives jobs that
// crash or hang, and serves machines that cannot be reached while it runs.
//
//===----------------------------------------------------------------------===//

#include "test/runner/Batch.h"
#include "test/runner/JobRunner.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace hone::runner;

static const char kUsage[] = "usage: module-runner [--device=cpu] [--batch=FOLDER [--limit=SECONDS] [--synchronous]]\n"
                             "Reads jobs from standard input and writes replies to standard output, or makes\n"
                             "NAME.reply of every NAME.job below FOLDER. See test/runner/Protocol.h.\n";

/// Jobs from the pipe until it closes.
static int serve(const std::string &device) {
  // Whatever prints to stdout meanwhile must not end between replies.
  int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  JobRunner runner(device);
  std::vector<uint8_t> bytes;
  while (receiveMessage(STDIN_FILENO, bytes)) {
    Job job;
    if (!decode(bytes, job)) {
      fputs("module-runner: error: a message is no job\n", stderr);
      return 1;
    }
    if (!sendMessage(out, encode(runner.run(job))))
      return 1;
  }
  return 0;
}

int main(int count, char **words) {
  std::string device = "cpu";
  BatchOptions batch;
  for (int i = 1; i < count; ++i) {
    const char *word = words[i];
    if (!strncmp(word, "--device=", 9))
      device = word + 9;
    else if (!strncmp(word, "--batch=", 8))
      batch.folder = word + 8;
    else if (!strncmp(word, "--limit=", 8) && atoi(word + 8) > 0)
      batch.limitSeconds = atoi(word + 8);
    else if (!strcmp(word, "--synchronous"))
      batch.synchronous = true;
    else
      return fputs(kUsage, stderr), 2;
  }
  batch.device = device;
  return batch.folder.empty() ? serve(device) : runBatch(batch);
}
