//===- Devices.cpp - Which device a module is for -------------------------===//
//
// Without --device a module runs on the first device that its programs name and that this machine has.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"
#include "runtime/hal/Registry.h"
#include "tools/hone-run/Run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace hone;
using namespace hone::tools;

namespace {

struct FreeDeleter {
  void operator()(void *memory) const { free(memory); }
};

struct CloseFile {
  void operator()(FILE *file) const { fclose(file); }
};

/// Reads a part of the module, which is a file or lies in memory.
class Source {
public:
  explicit Source(const Request &request) : request(request) {
    if (!request.bytes)
      file.reset(fopen(request.modelPath.c_str(), "rb"));
  }
  bool read(uint64_t offset, void *to, size_t size) {
    if (file)
      return !fseek(file.get(), static_cast<long>(offset), SEEK_SET) && fread(to, 1, size, file.get()) == size;
    if (!request.bytes || offset > request.size || size > request.size - offset)
      return false;
    memcpy(to, request.bytes + offset, size);
    return true;
  }
  uint64_t size() {
    if (!file)
      return request.size;
    long end = fseek(file.get(), 0, SEEK_END) ? 0 : ftell(file.get());
    return end > 0 ? static_cast<uint64_t>(end) : 0;
  }

private:
  const Request &request;
  std::unique_ptr<FILE, CloseFile> file;
};

} // namespace

std::vector<std::string> hone::tools::devicesOf(const Request &request) {
  if (!request.device.empty())
    return {request.device};
  // What is wrong with a file is said when it is loaded.
  const std::vector<std::string> usual = {"cpu"};
  Source source(request);
  uint8_t first[sizeof(format::FileHeader)];
  format::FileHeader header;
  format::Error error;
  uint64_t size = source.size();
  if (size < sizeof(first) || !source.read(0, first, sizeof(first)) ||
      !format::verifyHeader(first, size, header, error))
    return usual;
  std::unique_ptr<uint8_t, FreeDeleter> table(
      static_cast<uint8_t *>(aligned_alloc(64, (header.tableSize + 63) / 64 * 64)));
  const format::Module *module = nullptr;
  if (table && source.read(header.tableOffset, table.get(), header.tableSize) &&
      format::checksum(table.get(), header.tableSize) == header.tableChecksum)
    module = format::openTable(table.get(), header.tableSize, size, error);
  if (!module)
    return usual;
  std::vector<std::string> devices;
  for (const format::Program *program : *module->programs()) {
    std::string target = program->target()->str(), device = target.substr(0, target.find(':'));
    bool asked = request.target.empty() || hal::targetBelongsTo(target.c_str(), request.target.c_str());
    if (asked && std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(device);
  }
  return devices.empty() ? usual : devices;
}
