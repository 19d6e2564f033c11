//===- Workers.h - Running cases in processes that may die ------*- C++ -*-===//
//
// Cases run in forked workers, several at a time; each worker takes one case
// after the other. A case that crashes or takes too long costs its worker,
// which is replaced, and is reported with what it said last.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_ONNX_WORKERS_H
#define TEST_ONNX_WORKERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace hone::conformance {

enum class Status : char {
  Pass = 'p',
  CompileError = 'c', ///< the compiler refused the model
  RunError = 'r',     ///< the module could not be loaded or run
  Mismatch = 'm',     ///< the values are wrong
  Crash = 'x',
  Timeout = 't',
};

/// In a word.
llvm::StringRef statusName(Status status);

struct Outcome {
  Status status = Status::Crash;
  std::string reason; ///< one line; empty when passed
  double seconds = 0;
  bool endsWorker = false; ///< the process can run no further case
};

struct Job {
  unsigned id;
  double limitSeconds;
};

/// Runs `work(job.id)` for every job in `numWorkers` processes and calls
/// `done` in this process as results come in.
void runJobs(llvm::ArrayRef<Job> jobs, unsigned numWorkers, llvm::function_ref<Outcome(unsigned)> work,
             llvm::function_ref<void(unsigned, const Outcome &)> done);

} // namespace hone::conformance

#endif // TEST_ONNX_WORKERS_H
