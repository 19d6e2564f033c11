//===- ThreadPool.h - Threads of one session -*- C++ -*-===//
//
// Fork and join for short kernels: workers spin for some microseconds after
// each task, then sleep. A pool of one thread starts none. Owned by one stream,
// used by one thread at a time; same signature as the caller's parallel-for.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_BASE_THREADPOOL_H
#define HONE_RUNTIME_BASE_THREADPOOL_H

#include "runtime/base/Memory.h"

#include <atomic>
#include <pthread.h>

namespace hone {

class ThreadPool {
public:
  explicit ThreadPool(const hone_allocator_t *allocator) : workers(allocator) {}
  ~ThreadPool();

  /// Starts `threads` - 1 threads.
  hone_status_t start(uint32_t threads);

  /// Calls task(context, i) for every i below `count`, which is at most the
  /// number of threads; i = 0 on the calling thread.
  void run(size_t count, void (*task)(void *, size_t), void *context);

  /// `run` as a callback: the pool is `self`.
  static void runPool(void *self, size_t count, void (*task)(void *, size_t), void *context) {
    static_cast<ThreadPool *>(self)->run(count, task, context);
  }

private:
  struct Worker {
    ThreadPool *pool;
    size_t index;
    pthread_t thread;
  };

  static void *enter(void *worker);
  void work(size_t index);
  uint64_t waitForTicket(uint64_t seen);
  void waitForWorkers();

  // Each task is published as one word: a running number and how many threads
  // take part. The fields of a task are read by participants only, so that they
  // never change under a reader.
  static constexpr unsigned kCountBits = 16;
  alignas(kCacheLine) std::atomic<uint64_t> ticket{0};
  alignas(kCacheLine) std::atomic<uint32_t> pending{0};
  alignas(kCacheLine) std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> callerSleeps{false};
  void (*task)(void *, size_t) = nullptr;
  void *context = nullptr;

  Array<Worker> workers;
  size_t started = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  pthread_cond_t done = PTHREAD_COND_INITIALIZER;
};

/// Processors this process may run on.
uint32_t availableProcessors();

} // namespace hone

#endif // HONE_RUNTIME_BASE_THREADPOOL_H
