//===- Files.cpp - Reading and writing files safely -----------------------===//

#include "lib/Support/Files.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

LogicalResult hone::writeFile(StringRef path, llvm::function_ref<LogicalResult(llvm::raw_ostream &)> write,
                              std::string &error) {
  auto fail = [&](const std::string &reason) {
    error = ("cannot write '" + path + "': " + reason).str();
    return failure();
  };
  if (path == "-")
    return write(llvm::outs());
  auto temporary =
      llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp", llvm::sys::fs::all_read | llvm::sys::fs::all_write);
  if (!temporary)
    return fail(llvm::toString(temporary.takeError()));
  llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
  bool written = succeeded(write(os));
  os.flush();
  std::error_code streamError = os.error();
  os.clear_error();
  if (!written || streamError) {
    llvm::consumeError(temporary->discard());
    if (streamError)
      return fail(streamError.message());
    return failure();
  }
  if (llvm::Error renamed = temporary->keep(path))
    return fail(llvm::toString(std::move(renamed)));
  return success();
}
