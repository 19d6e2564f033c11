//===- RemoteRunner.cpp - Runs jobs in another program --------------------===//

#include "test/runner/RemoteRunner.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone::runner;

static std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos)
      end = text.size();
    if (end > at)
      words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool RemoteRunner::start() {
  std::vector<std::string> words = splitWords(command);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int down[2], up[2];
  if (words.empty() || pipe2(down, O_CLOEXEC))
    return false;
  if (pipe2(up, O_CLOEXEC)) {
    close(down[0]);
    close(down[1]);
    return false;
  }
  pid = fork();
  if (pid == 0) {
    // A job that never ends must not outlive who started it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  toRunner = down[1];
  fromRunner = up[0];
  return pid > 0;
}

std::string RemoteRunner::stop() {
  if (pid < 0)
    return "cannot be started";
  close(toRunner);
  close(fromRunner);
  int code = 0;
  waitpid(pid, &code, 0);
  pid = -1;
  if (WIFSIGNALED(code))
    return strsignal(WTERMSIG(code));
  return "ended with " + std::to_string(WEXITSTATUS(code));
}

Reply RemoteRunner::run(const Job &job) {
  signal(SIGPIPE, SIG_IGN);
  Reply reply;
  std::vector<uint8_t> bytes;
  if ((pid >= 0 || start()) && sendMessage(toRunner, encode(job)) && receiveMessage(fromRunner, bytes) &&
      decode(bytes, reply))
    return reply;
  reply = {};
  reply.crashed = true;
  reply.error = "'" + command + "': " + stop();
  return reply;
}
