//===- Nvrtc.cpp - NVIDIA's run-time compiler -----------------------------===//

#include "backends/CUDA/Emit/Nvrtc.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <dlfcn.h>

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// As in NVIDIA's nvrtc.h, which is not needed to build.
using NvrtcStatus = int;
using NvrtcProgram = struct OpaqueProgram *;

struct Nvrtc::Functions {
  NvrtcStatus (*version)(int *major, int *minor);
  NvrtcStatus (*numSupportedArchs)(int *count);
  NvrtcStatus (*supportedArchs)(int *architectures);
  NvrtcStatus (*createProgram)(NvrtcProgram *, const char *source, const char *name, int numHeaders,
                               const char *const *headers, const char *const *headerNames);
  NvrtcStatus (*destroyProgram)(NvrtcProgram *);
  NvrtcStatus (*compileProgram)(NvrtcProgram, int numOptions, const char *const *options);
  NvrtcStatus (*cubinSize)(NvrtcProgram, size_t *);
  NvrtcStatus (*cubin)(NvrtcProgram, char *);
  NvrtcStatus (*ptxSize)(NvrtcProgram, size_t *);
  NvrtcStatus (*ptx)(NvrtcProgram, char *);
  NvrtcStatus (*logSize)(NvrtcProgram, size_t *);
  NvrtcStatus (*log)(NvrtcProgram, char *);
  const char *(*errorString)(NvrtcStatus);
};

//===----------------------------------------------------------------------===//
// Finding and loading
//===----------------------------------------------------------------------===//

/// The files of `folder` whose names start with `prefix`, the last one in order first.
static SmallVector<std::string> filesOf(StringRef folder, StringRef prefix) {
  SmallVector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(prefix))
      files.push_back(it->path());
  llvm::sort(files, std::greater<>());
  return files;
}

/// The folders of NVIDIA's wheels in the Python environment `root`.
static void addEnvironment(SmallVector<std::string> &folders, StringRef root) {
  for (const std::string &python : filesOf((root + "/lib").str(), "python3"))
    for (const std::string &package : filesOf(python + "/site-packages/nvidia", "cu"))
      folders.push_back(package + "/lib");
}

static SmallVector<std::string> foldersToSearch() {
  SmallVector<std::string> folders;
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  for (StringRef folder = llvm::sys::path::parent_path(program); !folder.empty();
       folder = llvm::sys::path::parent_path(folder))
    addEnvironment(folders, (folder + "/.venv").str());
  if (auto environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    addEnvironment(folders, *environment);
  folders.push_back(""); // the system's library path
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable))
      folders.push_back(*root + "/lib64");
  folders.push_back("/usr/local/cuda/lib64");
  return folders;
}

/// Opens the library at `path` and, first, the one beside it that it will ask for by name.
static void *openWithBuiltins(StringRef path) {
  for (const std::string &builtins : filesOf(llvm::sys::path::parent_path(path), "libnvrtc-builtins.so"))
    if (dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL))
      break;
  return dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
}

LogicalResult Nvrtc::bind(void *library) {
  auto table = std::make_shared<Functions>();
  bool complete = true;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    complete &= function != nullptr;
  };
  find(table->version, "nvrtcVersion");
  find(table->numSupportedArchs, "nvrtcGetNumSupportedArchs");
  find(table->supportedArchs, "nvrtcGetSupportedArchs");
  find(table->createProgram, "nvrtcCreateProgram");
  find(table->destroyProgram, "nvrtcDestroyProgram");
  find(table->compileProgram, "nvrtcCompileProgram");
  find(table->cubinSize, "nvrtcGetCUBINSize");
  find(table->cubin, "nvrtcGetCUBIN");
  find(table->ptxSize, "nvrtcGetPTXSize");
  find(table->ptx, "nvrtcGetPTX");
  find(table->logSize, "nvrtcGetProgramLogSize");
  find(table->log, "nvrtcGetProgramLog");
  find(table->errorString, "nvrtcGetErrorString");
  int major = 0, minor = 0, count = 0;
  if (!complete || table->version(&major, &minor) || table->numSupportedArchs(&count))
    return failure();
  architectures.resize(count);
  if (table->supportedArchs(architectures.data()))
    return failure();
  // Builds of one version differ in size, if in anything.
  Dl_info info{};
  uint64_t size = 0;
  if (dladdr(reinterpret_cast<void *>(table->version), &info) && info.dli_fname) {
    file = info.dli_fname;
    (void)llvm::sys::fs::file_size(file, size);
  }
  name = ("NVRTC " + Twine(major) + "." + Twine(minor) + " (" + Twine(size) + " bytes)").str();
  functions = std::move(table);
  return success();
}

std::unique_ptr<Nvrtc> Nvrtc::load(std::string &error) {
  std::unique_ptr<Nvrtc> nvrtc(new Nvrtc);
  auto attempt = [&](StringRef path) {
    void *library = openWithBuiltins(path);
    return library && succeeded(nvrtc->bind(library));
  };
  if (auto chosen = llvm::sys::Process::GetEnv("HONE_NVRTC")) {
    if (attempt(*chosen))
      return nvrtc;
    const char *reason = dlerror();
    error = "HONE_NVRTC names '" + *chosen + "', which cannot be loaded" + (reason ? std::string(": ") + reason : "");
    return nullptr;
  }
  SmallVector<std::string> folders = foldersToSearch();
  for (const std::string &folder : folders) {
    SmallVector<std::string> files = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    if (!folder.empty())
      files = filesOf(folder, "libnvrtc.so");
    for (const std::string &path : files)
      if (attempt(path))
        return nvrtc;
  }
  error = "NVIDIA's compiler NVRTC (libnvrtc.so) was not found; looked in ";
  for (const std::string &folder : folders)
    error += (folder.empty() ? "the system's library path" : folder) + ", ";
  error +=
      "and for a Python environment .venv above this program; install the PyPI package nvidia-cuda-nvrtc there, or "
      "set HONE_NVRTC to the library";
  return nullptr;
}

const Nvrtc *Nvrtc::get(std::string &error) {
  static std::string reason;
  static const std::unique_ptr<Nvrtc> library = load(reason);
  error = reason;
  return library.get();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

Nvrtc::Result Nvrtc::compile(const std::string &source, ArrayRef<std::string> options) const {
  Result result;
  NvrtcProgram program = nullptr;
  NvrtcStatus status = functions->createProgram(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr);
  if (status) {
    result.log = functions->errorString(status);
    return result;
  }
  SmallVector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  status = functions->compileProgram(program, arguments.size(), arguments.data());
  auto fetch = [&](auto sizeOf, auto read, auto &bytes) {
    size_t size = 0;
    if (sizeOf(program, &size) || size == 0)
      return;
    bytes.resize(size);
    if (read(program, bytes.data()))
      bytes.clear();
  };
  fetch(functions->logSize, functions->log, result.log);
  result.log = StringRef(result.log).take_until([](char c) { return c == 0; }).rtrim().str();
  if (status) {
    if (result.log.empty())
      result.log = functions->errorString(status);
  } else {
    result.succeeded = true;
    fetch(functions->cubinSize, functions->cubin, result.cubin);
    fetch(functions->ptxSize, functions->ptx, result.ptx);
  }
  functions->destroyProgram(&program);
  return result;
}
