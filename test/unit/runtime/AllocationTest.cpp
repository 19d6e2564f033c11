//===- AllocationTest.cpp - A run allocates nothing -----------------------===//
//
// Counts three ways: the session's allocator, operator new, and (by the linker's
// --wrap) every call of the runtime to malloc and mmap.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <sys/mman.h>

using namespace hone;
using namespace hone::test;

static std::atomic<size_t> calls{0};

extern "C" {
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__real_mmap(void *, size_t, int, int, int, off_t);

void *__wrap_malloc(size_t size) {
  ++calls;
  return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  ++calls;
  return __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  ++calls;
  return __real_realloc(memory, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  ++calls;
  return __real_posix_memalign(memory, alignment, size);
}
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  ++calls;
  return __real_mmap(address, size, protection, flags, file, offset);
}
}

// The thread sanitizer brings its own, and does not let them be replaced.
#if !__has_feature(thread_sanitizer)
void *operator new(size_t size) {
  ++calls;
  void *memory = __real_malloc(size ? size : 1);
  if (!memory)
    abort();
  return memory;
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
#endif

namespace {
struct Counting {
  hone_allocator_t allocator = {this,
                                [](void *self, size_t size, size_t alignment) -> void * {
                                  auto *counting = static_cast<Counting *>(self);
                                  ++counting->allocated;
                                  counting->live += size;
                                  if (counting->allocated > counting->limit)
                                    return counting->live -= size, nullptr;
                                  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
                                },
                                [](void *self, void *memory, size_t size, size_t) {
                                  static_cast<Counting *>(self)->live -= size;
                                  free(memory);
                                }};
  size_t allocated = 0, live = 0, limit = SIZE_MAX;
};

struct Buffers {
  std::vector<float> a = std::vector<float>(64, 1), b = a, y = a;
  Status run(Session &session, int64_t n, bool own) {
    hone_tensor_t inputs[2] = {tensor(a.data(), {n}), tensor(b.data(), {n})};
    hone_tensor_t output = own ? hone_tensor_t{} : tensor(y.data(), {n});
    return session.run(inputs, 2, &output, 1);
  }
};
} // namespace

TEST(Allocation, WrapperCounts) {
  size_t before = calls;
  Loaded loaded(addScaleAdd(40, true));
  EXPECT_GT(calls, before + 5);
}

TEST(Allocation, NoneInStaticRuns) {
  for (bool replayable : {true, false}) {
    Counting counting;
    Loaded loaded(addScaleAdd(40, replayable));
    hone_session_options_t options = Session::options();
    options.allocator = &counting.allocator;
    Session session = loaded.session(&options);
    Buffers buffers;
    size_t before = calls, counted = counting.allocated;
    EXPECT_GT(counted, 0u);
    // Even the first run.
    ASSERT_TRUE(buffers.run(session, 40, false).ok());
    EXPECT_EQ(calls, before);
    EXPECT_EQ(counting.allocated, counted);
    ASSERT_TRUE(buffers.run(session, 40, true).ok());
    before = calls;
    counted = counting.allocated;
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(buffers.run(session, 40, i % 2).ok());
    EXPECT_EQ(calls, before);
    EXPECT_EQ(counting.allocated, counted);
    EXPECT_EQ(session.memory().allocation_count, counted - 1);
  }
}

TEST(Allocation, NoneOnceDimensionsWereSeen) {
  for (bool replayable : {true, false})
    for (uint32_t threads : {1, 3}) {
      Counting counting;
      Loaded loaded(addScaleAdd(-1, replayable));
      hone_session_options_t options = Session::options();
      options.allocator = &counting.allocator;
      options.threads = threads;
      Session session = loaded.session(&options);
      Buffers buffers;
      for (int64_t n : {5, 64, 33})
        ASSERT_TRUE(buffers.run(session, n, true).ok());
      size_t before = calls, counted = counting.allocated;
      for (int i = 0; i < 5; ++i)
        for (int64_t n : {33, 64, 5, 5})
          ASSERT_TRUE(buffers.run(session, n, i % 2).ok());
      EXPECT_EQ(calls, before);
      EXPECT_EQ(counting.allocated, counted);
    }
}

TEST(Allocation, EverythingIsReleased) {
  Counting counting;
  {
    auto device = Device::create("cpu", &counting.allocator);
    ASSERT_TRUE(device.ok());
    AlignedBytes bytes(addScaleAdd(-1, true).build());
    auto module = Module::load(*device, bytes.data(), bytes.size());
    ASSERT_TRUE(module.ok()) << module.message();
    auto session = Session::create(*module, 2);
    ASSERT_TRUE(session.ok());
    Buffers buffers;
    ASSERT_TRUE(buffers.run(*session, 50, true).ok());
    EXPECT_GT(counting.live, 0u);
  }
  EXPECT_EQ(counting.live, 0u);
}

TEST(Allocation, FailingAllocatorGivesErrors) {
  std::vector<uint8_t> file = addScaleAdd(-1, true).build();
  bool finished = false;
  for (size_t limit = 0; !finished && limit < 500; ++limit) {
    Counting counting;
    counting.limit = limit;
    {
      AlignedBytes bytes(file, 8);
      auto device = Device::create("cpu", &counting.allocator);
      if (!device.ok()) {
        EXPECT_EQ(device.code(), HONE_OUT_OF_MEMORY);
        continue;
      }
      auto module = Module::load(*device, bytes.data(), bytes.size());
      if (!module.ok()) {
        EXPECT_EQ(module.code(), HONE_OUT_OF_MEMORY) << module.message();
        continue;
      }
      auto session = Session::create(*module, 2);
      if (!session.ok()) {
        EXPECT_EQ(session.code(), HONE_OUT_OF_MEMORY) << session.message();
        continue;
      }
      Buffers buffers;
      Status status = buffers.run(*session, 50, true);
      if (!status.ok()) {
        EXPECT_EQ(status.code(), HONE_OUT_OF_MEMORY) << status.message();
        counting.limit = SIZE_MAX;
        EXPECT_TRUE(buffers.run(*session, 50, true).ok());
      } else {
        finished = true;
      }
    }
    EXPECT_EQ(counting.live, 0u);
  }
  EXPECT_TRUE(finished);
}
