//===- DeviceMemory.cpp - Memory that applications keep on a device -------===//
//
// A buffer of the driver, and a stream for each transfer: for what is copied
// once and used by many runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/hal/device.h"

using namespace hone;

struct hone_buffer_s {
  hal::Device *device;
  hal::Buffer *buffer;
};

hone_status_t hone_buffer_create(hone_device_t *device, size_t size, hone_buffer_t **out_buffer) {
  if (!device || !out_buffer)
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_buffer_create: NULL");
  hal::Device *impl = device->impl;
  if (!impl->unified && !impl->addressable)
    return makeStatus(HONE_INCOMPATIBLE, "%s: memory of the device has no addresses", impl->table->name);
  auto *buffer = make<hone_buffer_s>(impl->allocator);
  if (!buffer)
    return outOfMemory(sizeof(hone_buffer_s), "a buffer");
  buffer->device = impl;
  if (hone_status_t status = impl->table->bufferCreate(impl, impl->allocator, size, &buffer->buffer)) {
    destroy(impl->allocator, buffer);
    return status;
  }
  *out_buffer = buffer;
  return nullptr;
}

void hone_buffer_destroy(hone_buffer_t *buffer) {
  if (!buffer)
    return;
  hal::Device *device = buffer->device;
  device->table->bufferDestroy(device, buffer->buffer);
  destroy(device->allocator, buffer);
}

void *hone_buffer_data(const hone_buffer_t *buffer) {
  if (buffer->device->unified)
    return buffer->buffer->host;
  return reinterpret_cast<void *>(static_cast<uintptr_t>(buffer->buffer->address));
}

/// Runs transfer(driver, stream, span) on a stream of its own, and waits.
template <typename Transfer>
static hone_status_t transferred(const hone_buffer_t *buffer, size_t offset, size_t size, Transfer transfer) {
  const hal::DeviceTable &driver = *buffer->device->table;
  if (offset > buffer->buffer->size || size > buffer->buffer->size - offset)
    return makeStatus(HONE_INVALID_ARGUMENT, "%zu bytes at %zu leave a buffer of %llu", size, offset,
                      static_cast<unsigned long long>(buffer->buffer->size));
  hal::StreamOptions options = {buffer->device->allocator, 1, nullptr, nullptr};
  hal::Stream *stream = nullptr;
  HONE_TRY(driver.streamCreate(buffer->device, options, &stream));
  hone_status_t status = transfer(driver, stream, hal::Span{buffer->buffer, offset, size});
  if (!status)
    status = driver.wait(stream);
  driver.streamDestroy(buffer->device, stream);
  return status;
}

hone_status_t hone_buffer_write(hone_buffer_t *buffer, size_t offset, const void *source, size_t size) {
  if (!buffer || (!source && size))
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_buffer_write: NULL");
  return transferred(buffer, offset, size, [&](const hal::DeviceTable &driver, hal::Stream *stream, hal::Span span) {
    return driver.upload(stream, source, span);
  });
}

hone_status_t hone_buffer_read(const hone_buffer_t *buffer, size_t offset, void *target, size_t size) {
  if (!buffer || (!target && size))
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_buffer_read: NULL");
  return transferred(buffer, offset, size, [&](const hal::DeviceTable &driver, hal::Stream *stream, hal::Span span) {
    return driver.download(stream, span, target);
  });
}
