//===- Constants.cpp - Where a module's constants live --------------------===//
//
// In place from the file, or copied once into memory the device reads fast: 2
// MB pages on the CPU, device memory elsewhere. Done by the first session, so
// that loading a module touches none of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Module.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace hone;

/// Below this, 2 MB pages have nothing to win.
static constexpr uint64_t kSmallConstants = uint64_t(1) << 20;
/// Bytes one task of the parallel copy moves.
static constexpr uint64_t kCopyBlock = uint64_t(4) << 20;

bool hone_module_s::wantsCopy(uint64_t count) const {
  // Kernels rely on the alignment of constants.
  if (reinterpret_cast<uintptr_t>(bytes) % format::kAlignment)
    return true;
  if (constantsMode != HONE_CONSTANTS_AUTO)
    return constantsMode == HONE_CONSTANTS_COPY;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t memory = pages > 0 && page > 0 ? uint64_t(pages) * page : 0;
  return count > kSmallConstants && count <= memory / 4;
}

namespace {
struct BlockCopy {
  uint8_t *target;
  const uint8_t *source;
  uint64_t size;
};
} // namespace

static void copyBlock(void *context, size_t index) {
  const auto &copy = *static_cast<BlockCopy *>(context);
  uint64_t begin = index * kCopyBlock;
  uint64_t size = copy.size - begin;
  memcpy(copy.target + begin, copy.source + begin, size < kCopyBlock ? size : kCopyBlock);
}

hone_status_t hone_module_s::copyConstants(hal::Stream *stream, const uint8_t *source, uint64_t count) {
  const hal::DeviceTable &driver = *device->table;
  hal::Buffer *buffer = nullptr;
  HONE_TRY(driver.bufferCreate(device, allocator, count, &buffer));
  hone_status_t status = nullptr;
  if (device->unified) {
    BlockCopy copy = {static_cast<uint8_t *>(buffer->host), source, count};
    driver.parallel(stream, (count + kCopyBlock - 1) / kCopyBlock, copyBlock, &copy);
  } else {
    status = driver.upload(stream, source, {buffer, 0, count});
    if (!status)
      status = driver.wait(stream);
  }
  if (status) {
    driver.bufferDestroy(device, buffer);
    return status;
  }
  buffer->readOnly = true;
  ownConstants = constants = buffer;
  // The file's pages are not needed again.
  if (mapped) {
    uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    uintptr_t begin = (reinterpret_cast<uintptr_t>(source) + page - 1) / page;
    uintptr_t end = (reinterpret_cast<uintptr_t>(source) + count) / page;
    if (end > begin)
      madvise(reinterpret_cast<void *>(begin * page), (end - begin) * page, MADV_DONTNEED);
  }
  return nullptr;
}

hone_status_t hone_module_s::prepareConstants(hal::Stream *stream) {
  const format::Segment *segment = table->constant_data();
  uint64_t count = segment ? segment->size() : 0;
  const uint8_t *source = bytes + (segment ? segment->offset() : 0);
  hone_status_t status = nullptr;
  pthread_mutex_lock(&mutex);
  if (!constants) {
    // Devices with memory of their own get a buffer of theirs even for nothing.
    if (!device->unified || (count && wantsCopy(count))) {
      status = copyConstants(stream, source, count);
      // A copy is an optimisation where the bytes can be used as they are.
      if (status && hone_status_code(status) == HONE_OUT_OF_MEMORY && device->unified &&
          constantsMode == HONE_CONSTANTS_AUTO && reinterpret_cast<uintptr_t>(bytes) % format::kAlignment == 0) {
        hone_status_free(status);
        status = nullptr;
      }
    }
    if (!status && !constants) {
      inPlace.host = const_cast<uint8_t *>(source);
      inPlace.size = count;
      inPlace.readOnly = true;
      constants = &inPlace;
    }
  }
  pthread_mutex_unlock(&mutex);
  return status;
}
