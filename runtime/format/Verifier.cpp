//===- Verifier.cpp - What a file must satisfy before it is used ----------===//
//
// From the outside in: header, checksum of the table, FlatBuffers structure,
// then every index and range of ours. Programs are checked in Plan.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Plan.h"

#include <cstring>

using namespace hone::format;

namespace {

class ModuleVerifier {
public:
  ModuleVerifier(const Module &module, uint64_t fileSize, Error &error)
      : module(module), fileSize(fileSize), error(error) {}

  bool verify() {
    return verifyTensors(module.inputs(), "input") && verifyTensors(module.outputs(), "output") && verifyConstants() &&
           verifyExecutables() && verifyKernels() && verifyPrograms();
  }

private:
  using Tensors = flatbuffers::Vector<flatbuffers::Offset<Tensor>>;

  bool verifyTensors(const Tensors *tensors, const char *what);
  bool verifyDim(const Tensor &tensor, size_t index, const char *what);
  bool verifyRange(const Segment &segment, const char *what);
  bool verifyConstants();
  bool verifyExecutables();
  bool verifyKernels();
  bool verifyPrograms();

  const Module &module;
  uint64_t fileSize;
  Error &error;
};

} // namespace

bool ModuleVerifier::verifyDim(const Tensor &tensor, size_t index, const char *what) {
  const Dim &dim = *tensor.dims()->Get(index);
  const char *name = tensor.name()->c_str();
  if (dim.size() < -1)
    return error.set("%s '%.128s': dimension %zu is %lld", what, name, index, static_cast<long long>(dim.size()));
  if (dim.size() == -1 && (dim.min() < 0 || dim.max() < dim.min()))
    return error.set("%s '%.128s': the range of dimension %zu is empty", what, name, index);
  return true;
}

bool ModuleVerifier::verifyTensors(const Tensors *tensors, const char *what) {
  for (size_t i = 0, n = tensors ? tensors->size() : 0; i < n; ++i) {
    const Tensor &tensor = *tensors->Get(i);
    const char *name = tensor.name()->c_str();
    if (!elementSize(tensor.dtype()))
      return error.set("%s '%.128s' has the unknown type %d", what, name, static_cast<int>(tensor.dtype()));
    size_t rank = tensor.dims() ? tensor.dims()->size() : 0;
    if (rank > kMaxRank)
      return error.set("%s '%.128s' has rank %zu, more than %u", what, name, rank, kMaxRank);
    uint64_t bytes = elementSize(tensor.dtype());
    for (size_t d = 0; d < rank; ++d) {
      if (!verifyDim(tensor, d, what))
        return false;
      int64_t extent = tensor.dims()->Get(d)->size();
      if (extent > 0 && (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes) || bytes > INT64_MAX))
        return error.set("%s '%.128s' is too large", what, name);
    }
  }
  return true;
}

bool ModuleVerifier::verifyRange(const Segment &segment, const char *what) {
  // FlatBuffers checks the alignment of tables, not of the structs within.
  if (reinterpret_cast<uintptr_t>(&segment) % alignof(uint64_t))
    return error.set("the range of the %s is not aligned in the table", what);
  if (segment.offset() % kAlignment)
    return error.set("the %s is not aligned to %d bytes", what, static_cast<int>(kAlignment));
  if (segment.size() && segment.offset() < sizeof(FileHeader))
    return error.set("the %s overlaps the header", what);
  if (segment.offset() > fileSize || segment.size() > fileSize - segment.offset())
    return error.set("the %s lies outside the file", what);
  return true;
}

bool ModuleVerifier::verifyConstants() {
  const Segment *data = module.constant_data();
  if (data && !verifyRange(*data, "constants segment"))
    return false;
  uint64_t size = data ? data->size() : 0;
  const auto *constants = module.constants();
  if (constants && constants->size() && reinterpret_cast<uintptr_t>(constants->Data()) % alignof(uint64_t))
    return error.set("the constants are not aligned in the table");
  for (size_t i = 0, n = constants ? constants->size() : 0; i < n; ++i) {
    const Constant &constant = *constants->Get(i);
    if (constant.offset() % kAlignment)
      return error.set("constant %zu is not aligned to %d bytes", i, static_cast<int>(kAlignment));
    if (constant.offset() > size || constant.size() > size - constant.offset())
      return error.set("constant %zu lies outside its segment", i);
  }
  return true;
}

bool ModuleVerifier::verifyExecutables() {
  const auto *executables = module.executables();
  for (size_t i = 0, n = executables ? executables->size() : 0; i < n; ++i) {
    const Executable &executable = *executables->Get(i);
    if (!executable.code())
      return error.set("executable %zu ('%.64s') has no code", i, executable.target()->c_str());
    if (!verifyRange(*executable.code(), "code of an executable"))
      return false;
  }
  return true;
}

bool ModuleVerifier::verifyKernels() {
  size_t executables = module.executables() ? module.executables()->size() : 0;
  const auto *kernels = module.kernels();
  for (size_t i = 0, n = kernels ? kernels->size() : 0; i < n; ++i) {
    const Kernel &kernel = *kernels->Get(i);
    if (kernel.executable() >= executables)
      return error.set("kernel '%.128s' names executable %u of %zu", kernel.name()->c_str(), kernel.executable(),
                       executables);
    if (kernel.buffers() > kMaxLaunchOperands || kernel.scalars() > kMaxLaunchOperands)
      return error.set("kernel '%.128s' takes more than %u operands", kernel.name()->c_str(), kMaxLaunchOperands);
    if (kernel.workgroup_size() > kMaxWorkgroupSize)
      return error.set("kernel '%.128s' has workgroups of %u threads, more than %u", kernel.name()->c_str(),
                       kernel.workgroup_size(), kMaxWorkgroupSize);
    if (kernel.shared_bytes() > kMaxSharedBytes)
      return error.set("kernel '%.128s' needs %u bytes of shared memory, more than %u", kernel.name()->c_str(),
                       kernel.shared_bytes(), kMaxSharedBytes);
  }
  return true;
}

bool ModuleVerifier::verifyPrograms() {
  size_t n = module.programs() ? module.programs()->size() : 0;
  if (!n)
    return error.set("the module has no program");
  for (size_t i = 0; i < n; ++i)
    if (!verifyProgram(module, i, error))
      return false;
  return true;
}

bool hone::format::verifyHeader(const uint8_t *bytes, size_t size, FileHeader &header, Error &error) {
  if (size < sizeof(FileHeader))
    return error.set("not a .hone file: %zu bytes are less than its header", size);
  memcpy(&header, bytes, sizeof(header));
  if (memcmp(header.magic, kMagic, sizeof(kMagic)))
    return error.set("not a .hone file: the first bytes are others");
  if (header.version != kVersion)
    return error.set("the file has format version %u, this runtime reads %u", header.version, kVersion);
  if (header.flags)
    return error.set("the file has unknown flags 0x%x", header.flags);
  if (header.fileSize != size)
    return error.set("the file should have %llu bytes and has %zu", static_cast<unsigned long long>(header.fileSize),
                     size);
  if (header.tableOffset % kAlignment || header.tableOffset < sizeof(FileHeader) || header.tableOffset > size ||
      header.tableSize > size - header.tableOffset)
    return error.set("the table lies outside the file");
  if (header.tableSize < 16 || header.tableSize > INT32_MAX)
    return error.set("the table's size is impossible");
  return true;
}

const Module *hone::format::openTable(const uint8_t *table, size_t tableSize, uint64_t fileSize, Error &error) {
  flatbuffers::Verifier verifier(table, tableSize);
  if (!VerifyModuleBuffer(verifier)) {
    error.set("the table is damaged");
    return nullptr;
  }
  const Module *module = GetModule(table);
  return ModuleVerifier(*module, fileSize, error).verify() ? module : nullptr;
}

const Module *hone::format::openModule(const uint8_t *bytes, size_t size, Error &error) {
  FileHeader header;
  if (!verifyHeader(bytes, size, header, error))
    return nullptr;
  const uint8_t *table = bytes + header.tableOffset;
  if (checksum(table, header.tableSize) != header.tableChecksum) {
    error.set("the table's checksum does not match its bytes");
    return nullptr;
  }
  return openTable(table, header.tableSize, size, error);
}

bool hone::format::verifySegment(const uint8_t *bytes, const Segment &segment, const char *what, Error &error) {
  if (checksum(bytes + segment.offset(), segment.size()) != segment.checksum())
    return error.set("the checksum of the %s does not match its bytes", what);
  return true;
}
