//===- ThreadPool.cpp - Threads of one session ----------------------------===//
//
// Memory order: the ticket and the counters use sequential consistency, which
// makes "publish, then look for sleepers" against "count as sleeper, then look
// at the ticket" safe; both are far from the kernels' inner loops.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/ThreadPool.h"
#include "runtime/base/Status.h"

#include <cerrno>
#include <sched.h>
#include <unistd.h>

using namespace hone;

/// Some 20 to 100 microseconds on current machines.
static constexpr int kSpins = 2000;
/// Kernels keep tiles on the stack, and not every C library gives threads much.
static constexpr size_t kStackSize = size_t(8) << 20;
/// Ticket value (with any running number) that ends the workers.
static constexpr uint64_t kStop = 0;

static void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

uint32_t hone::availableProcessors() {
#if defined(__linux__)
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof(set), &set))
    return static_cast<uint32_t>(CPU_COUNT(&set));
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<uint32_t>(n) : 1;
}

hone_status_t ThreadPool::start(uint32_t threads) {
  if (threads <= 1)
    return nullptr;
  if (threads >= (1u << kCountBits))
    return makeStatus(HONE_INVALID_ARGUMENT, "%u threads are too many", threads);
  // Workers keep pointers to their entries: the array must not grow later.
  if (!workers.resize(threads - 1))
    return outOfMemory(threads * sizeof(Worker), "threads");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  int error = 0;
  for (size_t i = 0; !error && i + 1 < threads; ++i) {
    workers[i].pool = this;
    workers[i].index = i + 1;
    error = pthread_create(&workers[i].thread, &attributes, enter, &workers[i]);
    started += !error;
  }
  pthread_attr_destroy(&attributes);
  if (!error)
    return nullptr;
  return makeStatus(HONE_OUT_OF_MEMORY, "cannot start thread %zu of %u: %s", started + 2, threads,
                    error == EAGAIN ? "the system's limit" : "refused");
}

ThreadPool::~ThreadPool() {
  if (started) {
    pthread_mutex_lock(&mutex);
    uint64_t number = (ticket.load() >> kCountBits) + 1;
    ticket.store(number << kCountBits | kStop);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&mutex);
  }
  for (size_t i = 0; i < started; ++i)
    pthread_join(workers[i].thread, nullptr);
  pthread_cond_destroy(&done);
  pthread_cond_destroy(&wake);
  pthread_mutex_destroy(&mutex);
}

void *ThreadPool::enter(void *argument) {
  auto *worker = static_cast<Worker *>(argument);
  worker->pool->work(worker->index);
  return nullptr;
}

uint64_t ThreadPool::waitForTicket(uint64_t seen) {
  for (int i = 0; i < kSpins; ++i) {
    uint64_t now = ticket.load();
    if (now != seen)
      return now;
    pauseBriefly();
  }
  pthread_mutex_lock(&mutex);
  sleepers.fetch_add(1);
  uint64_t now;
  while ((now = ticket.load()) == seen)
    pthread_cond_wait(&wake, &mutex);
  sleepers.fetch_sub(1);
  pthread_mutex_unlock(&mutex);
  return now;
}

void ThreadPool::work(size_t index) {
  uint64_t seen = 0;
  for (;;) {
    seen = waitForTicket(seen);
    uint64_t count = seen & ((uint64_t(1) << kCountBits) - 1);
    if (count == kStop)
      return;
    if (index >= count)
      continue;
    task(context, index);
    if (pending.fetch_sub(1) == 1 && callerSleeps.load()) {
      pthread_mutex_lock(&mutex);
      pthread_cond_signal(&done);
      pthread_mutex_unlock(&mutex);
    }
  }
}

void ThreadPool::waitForWorkers() {
  for (int i = 0; i < kSpins; ++i) {
    if (!pending.load())
      return;
    pauseBriefly();
  }
  pthread_mutex_lock(&mutex);
  callerSleeps.store(true);
  while (pending.load())
    pthread_cond_wait(&done, &mutex);
  callerSleeps.store(false);
  pthread_mutex_unlock(&mutex);
}

void ThreadPool::run(size_t count, void (*newTask)(void *, size_t), void *newContext) {
  if (count > started + 1)
    count = started + 1;
  if (count <= 1) {
    newTask(newContext, 0);
    return;
  }
  task = newTask;
  context = newContext;
  pending.store(static_cast<uint32_t>(count - 1));
  uint64_t number = (ticket.load() >> kCountBits) + 1;
  ticket.store(number << kCountBits | count);
  if (sleepers.load()) {
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&mutex);
  }
  newTask(newContext, 0);
  waitForWorkers();
}
