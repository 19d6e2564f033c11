//===- Memory.h - Allocators and arrays that may fail -*- C++ -*-===//
//
// All memory of the runtime comes through a hone_allocator_t. Array is the one
// container: trivially copyable elements, growth that returns false instead of
// throwing. make/destroy place objects in an allocator's memory.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_BASE_MEMORY_H
#define HONE_RUNTIME_BASE_MEMORY_H

#include "hone/runtime.h"

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace hone {

inline constexpr size_t kCacheLine = 64;
inline constexpr size_t kHugePage = size_t(2) << 20;

/// The C library's memory; blocks aligned to kHugePage are anonymous mappings
/// that ask for 2 MB pages.
const hone_allocator_t *defaultAllocator();

/// Alignment for a block of bytes that kernels will stream through.
inline size_t blockAlignment(size_t size) { return size >= kHugePage / 2 ? kHugePage : kCacheLine; }

/// Rounds up; false on overflow.
inline bool alignUp(uint64_t value, uint64_t alignment, uint64_t &result) {
  if (__builtin_add_overflow(value, alignment - 1, &result))
    return false;
  result &= ~(alignment - 1);
  return true;
}

template <typename T> class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  explicit Array(const hone_allocator_t *allocator) : allocator(allocator) {}
  ~Array() { release(); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  size_t size() const { return count; }
  bool empty() const { return !count; }
  T &operator[](size_t index) { return items[index]; }
  const T &operator[](size_t index) const { return items[index]; }
  T &back() { return items[count - 1]; }
  void clear() { count = 0; }
  void pop() { --count; }

  [[nodiscard]] bool reserve(size_t wanted) {
    if (wanted <= capacity)
      return true;
    size_t bytes;
    if (__builtin_mul_overflow(wanted, sizeof(T), &bytes))
      return false;
    auto *grown = static_cast<T *>(allocator->allocate(allocator->self, bytes, kCacheLine));
    if (!grown)
      return false;
    size_t kept = count;
    if (kept)
      memcpy(static_cast<void *>(grown), items, kept * sizeof(T));
    release();
    items = grown;
    capacity = wanted;
    count = kept;
    return true;
  }

  /// New elements are zero.
  [[nodiscard]] bool resize(size_t wanted) {
    if (!reserve(wanted))
      return false;
    if (wanted > count)
      memset(static_cast<void *>(items + count), 0, (wanted - count) * sizeof(T));
    count = wanted;
    return true;
  }

  [[nodiscard]] bool push(const T &item) {
    T copy = item;
    if (count == capacity && !reserve(capacity ? capacity * 2 : 8))
      return false;
    items[count++] = copy;
    return true;
  }

private:
  void release() {
    if (items)
      allocator->release(allocator->self, items, capacity * sizeof(T), kCacheLine);
    items = nullptr;
    count = capacity = 0;
  }

  const hone_allocator_t *allocator;
  T *items = nullptr;
  size_t count = 0, capacity = 0;
};

/// Null when there is no memory.
template <typename T, typename... Args> T *make(const hone_allocator_t *allocator, Args &&...args) {
  void *memory = allocator->allocate(allocator->self, sizeof(T), alignof(T) > 64 ? alignof(T) : kCacheLine);
  return memory ? new (memory) T(std::forward<Args>(args)...) : nullptr;
}

template <typename T> void destroy(const hone_allocator_t *allocator, T *object) {
  if (!object)
    return;
  object->~T();
  allocator->release(allocator->self, object, sizeof(T), alignof(T) > 64 ? alignof(T) : kCacheLine);
}

} // namespace hone

#endif // HONE_RUNTIME_BASE_MEMORY_H
