//===- DiskCache.cpp - Results that outlive the process -------------------===//

#include "lib/Support/DiskCache.h"

#include "lib/Support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace hone;

static constexpr uint64_t kMaxBytes = 1ull << 30;
/// LLVM's pruning touches only files of this name.
static constexpr StringLiteral kPrefix = "llvmcache-";
/// Every file starts with the hash of the rest.
static constexpr size_t kHashBytes = 32;

using Hash = llvm::BLAKE3Result<kHashBytes>;

DiskCache::DiskCache() {
  if (auto chosen = llvm::sys::Process::GetEnv("HONE_CACHE_DIR")) {
    folder = *chosen;
    return;
  }
  SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return;
  llvm::sys::path::append(path, "hone");
  folder = path.str().str();
}

std::string DiskCache::key(ArrayRef<StringRef> parts) {
  llvm::BLAKE3 hash;
  for (StringRef part : parts) {
    uint64_t size = part.size();
    hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hash.update(part);
  }
  return llvm::toHex(hash.final<kHashBytes>(), /*LowerCase=*/true);
}

std::string DiskCache::fileOf(StringRef key) const {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, kPrefix + key);
  return path.str().str();
}

static Hash hashOf(ArrayRef<char> bytes) {
  llvm::BLAKE3 hash;
  hash.update(StringRef(bytes.data(), bytes.size()));
  return hash.final<kHashBytes>();
}

std::optional<std::vector<char>> DiskCache::find(StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  std::string path = fileOf(key);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer || (*buffer)->getBufferSize() < kHashBytes)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer();
  ArrayRef<char> content(bytes.data() + kHashBytes, bytes.size() - kHashBytes);
  Hash hash = hashOf(content);
  if (StringRef(reinterpret_cast<const char *>(hash.data()), kHashBytes) != bytes.take_front(kHashBytes))
    return std::nullopt;
  // Pruning goes by the time of the last access, which file systems record late or not at all.
  int descriptor;
  if (!llvm::sys::fs::openFileForWrite(path, descriptor, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_Append)) {
    (void)llvm::sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
    (void)llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }
  return content.vec();
}

void DiskCache::insert(StringRef key, ArrayRef<char> bytes) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return;
  Hash hash = hashOf(bytes);
  std::string error;
  (void)writeFile(
      fileOf(key),
      [&](raw_ostream &os) {
        os.write(reinterpret_cast<const char *>(hash.data()), kHashBytes);
        os.write(bytes.data(), bytes.size());
        return success();
      },
      error);
}

void DiskCache::prune() const {
  if (folder.empty())
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = kMaxBytes;
  policy.Expiration = std::chrono::hours(24 * 90);
  llvm::pruneCache(folder, policy);
}
