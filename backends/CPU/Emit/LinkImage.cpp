//===- LinkImage.cpp - One object to a shared object ----------------------===//

#include "backends/CPU/Emit/EmitImage.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace {

/// A temporary file that goes away with its object.
struct ScopedFile {
  SmallString<128> path;
  int descriptor = -1;

  std::error_code create(StringRef suffix) {
    return llvm::sys::fs::createTemporaryFile("hone", suffix, descriptor, path);
  }
  ~ScopedFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
};

} // namespace

/// The largest page a system of the architecture may have: no page may hold parts of two segments.
static const char *maxPageSize(const llvm::Triple &triple) {
  return triple.isAArch64() ? "max-page-size=65536" : "max-page-size=4096";
}

FailureOr<std::vector<char>> hone::cpu::linkImage(ArrayRef<char> object, const llvm::Triple &triple, Location loc) {
  ScopedFile input, output;
  if (std::error_code error = input.create("o"))
    return emitError(loc) << "cannot create a temporary file: " << error.message();
  if (std::error_code error = output.create("so"))
    return emitError(loc) << "cannot create a temporary file: " << error.message();
  llvm::sys::fs::closeFile(output.descriptor);
  {
    llvm::raw_fd_ostream os(input.descriptor, /*shouldClose=*/true);
    os.write(object.data(), object.size());
    os.close();
    if (os.has_error()) {
      std::error_code error = os.error();
      os.clear_error();
      return emitError(loc) << "cannot write a temporary file: " << error.message();
    }
  }
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-Bsymbolic",
                             "--build-id=none",
                             "--hash-style=gnu",
                             "-z",
                             "undefs",
                             "-z",
                             maxPageSize(triple),
                             "--strip-debug",
                             "-o",
                             output.path.c_str(),
                             input.path.c_str()};
  std::string messages;
  {
    // lld keeps its state in globals.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    llvm::raw_string_ostream os(messages);
    lld::Result result = lld::lldMain(arguments, os, os, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0 || !result.canRunAgain)
      return emitError(loc) << "linking the kernels failed: " << messages;
  }
  auto buffer = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc) << "cannot read the linked kernels: " << buffer.getError().message();
  return std::vector<char>((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
}
