//===- Protocol.cpp - Modules and inputs to a runner, outputs back --------===//
//
// Little endian. A text and a list open with their length as u64.
//
//===----------------------------------------------------------------------===//

#include "test/runner/Protocol.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace hone;
using namespace hone::runner;
using tools::HostTensor;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are sent as they lie in memory");

/// No honest length is larger: a damaged one must not ask for all memory.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 32;

namespace {

class Writer {
public:
  std::vector<uint8_t> bytes;

  void number(uint64_t value) { append(&value, sizeof(value)); }
  void text(const std::string &value) {
    number(value.size());
    append(value.data(), value.size());
  }
  void blob(const std::vector<uint8_t> &value) {
    number(value.size());
    append(value.data(), value.size());
  }
  void tensors(const Tensors &list) {
    number(list.size());
    for (const HostTensor &tensor : list) {
      text(tensor.name);
      number(tensor.dtype);
      number(tensor.shape.size());
      for (int64_t extent : tensor.shape)
        number(static_cast<uint64_t>(extent));
      blob(tensor.data);
    }
  }
  void runs(const std::vector<Tensors> &list) {
    number(list.size());
    for (const Tensors &run : list)
      tensors(run);
  }

private:
  void append(const void *data, size_t size) {
    const auto *from = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), from, from + size);
  }
};

/// Takes values off the front; sticks to failure.
class Reader {
public:
  explicit Reader(const std::vector<uint8_t> &bytes) : at(bytes.data()), left(bytes.size()) {}

  bool finished() const { return !failed && !left; }

  uint64_t number() {
    uint64_t value = 0;
    take(&value, sizeof(value));
    return value;
  }
  std::string text() {
    std::string value(length(1), '\0');
    take(value.data(), value.size());
    return value;
  }
  std::vector<uint8_t> blob() {
    std::vector<uint8_t> value(length(1));
    take(value.data(), value.size());
    return value;
  }
  Tensors tensors() {
    Tensors list(length(32));
    for (HostTensor &tensor : list) {
      tensor.name = text();
      tensor.dtype = static_cast<hone_dtype_t>(number());
      tensor.shape.resize(length(8));
      for (int64_t &extent : tensor.shape)
        extent = static_cast<int64_t>(number());
      tensor.data = blob();
    }
    return list;
  }
  std::vector<Tensors> runs() {
    std::vector<Tensors> list(length(8));
    for (Tensors &run : list)
      run = tensors();
    return list;
  }

private:
  /// A count of things that take at least `each` bytes.
  size_t length(uint64_t each) {
    uint64_t count = number();
    failed |= count > left / each;
    return failed ? 0 : static_cast<size_t>(count);
  }
  void take(void *to, size_t size) {
    failed |= size > left;
    if (failed || !size)
      return;
    memcpy(to, at, size);
    at += size;
    left -= size;
  }

  const uint8_t *at;
  size_t left;
  bool failed = false;
};

} // namespace

std::vector<uint8_t> runner::encode(const Job &job) {
  Writer writer;
  writer.blob(job.module);
  writer.runs(job.runs);
  return std::move(writer.bytes);
}

std::vector<uint8_t> runner::encode(const Reply &reply) {
  Writer writer;
  writer.text(reply.error);
  writer.number(reply.crashed);
  writer.runs(reply.runs);
  return std::move(writer.bytes);
}

bool runner::decode(const std::vector<uint8_t> &bytes, Job &job) {
  Reader reader(bytes);
  job.module = reader.blob();
  job.runs = reader.runs();
  return reader.finished();
}

bool runner::decode(const std::vector<uint8_t> &bytes, Reply &reply) {
  Reader reader(bytes);
  reply.error = reader.text();
  reply.crashed = reader.number();
  reply.runs = reader.runs();
  return reader.finished();
}

template <typename Move, typename Byte> static bool moveAll(Move move, int descriptor, Byte *bytes, size_t size) {
  while (size) {
    ssize_t moved = move(descriptor, bytes, size);
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved <= 0)
      return false;
    bytes += moved;
    size -= static_cast<size_t>(moved);
  }
  return true;
}

bool runner::sendMessage(int descriptor, const std::vector<uint8_t> &bytes) {
  uint64_t size = bytes.size();
  return moveAll(write, descriptor, reinterpret_cast<const uint8_t *>(&size), sizeof(size)) &&
         moveAll(write, descriptor, bytes.data(), bytes.size());
}

bool runner::receiveMessage(int descriptor, std::vector<uint8_t> &bytes) {
  uint64_t size = 0;
  if (!moveAll(read, descriptor, reinterpret_cast<uint8_t *>(&size), sizeof(size)) || size > kMaxBytes)
    return false;
  bytes.resize(size);
  return moveAll(read, descriptor, bytes.data(), bytes.size());
}
