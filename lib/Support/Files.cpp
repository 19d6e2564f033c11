//===- Files.cpp - Reading and writing files safely -----------------------===//

#include "lib/Support/Files.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>

using namespace mlir;

/// The file that the links at `path` lead to, which need not be there.
static std::string throughLinks(std::string path) {
  std::error_code error;
  // More links than the system follows are a circle, which opening the file will report.
  for (int i = 0; i < 40; ++i) {
    std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error)
      break;
    path = (std::filesystem::path(path).parent_path() / target).string();
  }
  return path;
}

LogicalResult hone::writeFile(StringRef path, llvm::function_ref<LogicalResult(llvm::raw_ostream &)> write,
                              std::string &error) {
  auto fail = [&](const std::string &reason) {
    error = ("cannot write '" + path + "': " + reason).str();
    return failure();
  };
  if (path == "-")
    return write(llvm::outs());
  std::string target = throughLinks(path.str());
  llvm::sys::fs::file_status status;
  std::error_code missing = llvm::sys::fs::status(target, status);
  if (missing && missing != std::errc::no_such_file_or_directory)
    return fail(missing.message());
  if (!missing && !llvm::sys::fs::is_regular_file(status) && !llvm::sys::fs::is_directory(status)) {
    std::error_code openError;
    llvm::raw_fd_ostream os(target, openError, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                            llvm::sys::fs::OF_None);
    if (openError)
      return fail(openError.message());
    bool written = succeeded(write(os));
    os.flush();
    std::error_code streamError = os.error();
    os.clear_error();
    return streamError ? fail(streamError.message()) : success(written);
  }
  auto temporary =
      llvm::sys::fs::TempFile::create(target + ".%%%%%%.tmp", llvm::sys::fs::all_read | llvm::sys::fs::all_write);
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
  if (llvm::Error renamed = temporary->keep(target))
    return fail(llvm::toString(std::move(renamed)));
  return success();
}
