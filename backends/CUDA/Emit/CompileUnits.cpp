//===- CompileUnits.cpp - CUDA C++ to machine code ------------------------===//

#include "backends/CUDA/Emit/CompileUnits.h"

#include "backends/CUDA/Emit/Nvrtc.h"
#include "backends/CUDA/Emit/Prelude.h"
#include "lib/Support/DiskCache.h"
#include "lib/Support/UserError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// A unit is full with this many kernels or bytes of text. Starting the compiler costs about as much as
/// compiling one small kernel.
static constexpr size_t kKernelsPerUnit = 8, kBytesPerUnit = 32 << 10;

namespace {

struct Unit {
  ArrayRef<KernelText> kernels;
  std::string source, architecture;
  bool succeeded = false;
  std::string log;
  std::vector<char> cubin, ptx;
};

} // namespace

std::string cuda::sourceOf(ArrayRef<KernelText> kernels) {
  std::string text;
  for (const KernelText &kernel : kernels)
    text += "\n" + kernel.text;
  return preludeOf(text) + text;
}

static bool isExact(const KernelText &text) { return text.kernel->hasAttr(kExactArchitecture); }

static std::vector<Unit> splitIntoUnits(ArrayRef<KernelText> kernels, const TargetInfo &info) {
  std::vector<Unit> units;
  size_t first = 0, bytes = 0;
  for (size_t i = 0; i <= kernels.size(); ++i) {
    bool isFull = i == kernels.size() || i - first == kKernelsPerUnit || bytes > kBytesPerUnit ||
                  (i > first && isExact(kernels[i]) != isExact(kernels[first]));
    if (isFull && i > first) {
      Unit unit;
      unit.kernels = kernels.slice(first, i - first);
      unit.source = sourceOf(unit.kernels);
      // Code for sm_90 also runs on later minor versions, and its PTX everywhere later; code for sm_90a
      // does not.
      unit.architecture = isExact(kernels[first]) ? info.cpu : StringRef(info.cpu).rtrim("af").str();
      units.push_back(std::move(unit));
      first = i;
      bytes = 0;
    }
    if (i < kernels.size())
      bytes += kernels[i].text.size();
  }
  return units;
}

/// `a` and `b` as one sequence.
static std::vector<char> join(ArrayRef<char> a, ArrayRef<char> b) {
  std::vector<char> bytes(sizeof(uint64_t));
  llvm::support::endian::write64le(bytes.data(), a.size());
  bytes.insert(bytes.end(), a.begin(), a.end());
  bytes.insert(bytes.end(), b.begin(), b.end());
  return bytes;
}

static bool split(ArrayRef<char> bytes, std::vector<char> &a, std::vector<char> &b) {
  if (bytes.size() < sizeof(uint64_t))
    return false;
  uint64_t size = llvm::support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(sizeof(uint64_t));
  if (size > bytes.size())
    return false;
  a = bytes.take_front(size).vec();
  b = bytes.drop_front(size).vec();
  return true;
}

static void compileUnit(Unit &unit, const Nvrtc &nvrtc, const DiskCache &cache) {
  // Sums and products are fused where the source says fmaf, and nowhere else.
  SmallVector<std::string> options = {"--gpu-architecture=" + unit.architecture, "--std=c++17", "--fmad=false",
                                      "--disable-warnings"};
  SmallVector<StringRef> parts = {"cuda", nvrtc.identity(), unit.source};
  parts.append(options.begin(), options.end());
  std::string key = DiskCache::key(parts);
  if (auto known = cache.find(key); known && split(*known, unit.cubin, unit.ptx)) {
    unit.succeeded = true;
    return;
  }
  Nvrtc::Result result = nvrtc.compile(unit.source, options);
  unit.succeeded = result.succeeded && !result.cubin.empty();
  unit.cubin = std::move(result.cubin);
  unit.ptx = std::move(result.ptx);
  unit.log = std::move(result.log);
  if (unit.succeeded)
    cache.insert(key, join(unit.cubin, unit.ptx));
}

/// Reports the log of a failed unit at the kernel that its first message is about.
static LogicalResult report(const Unit &unit, const Nvrtc &nvrtc) {
  // "kernels.cu(12): error: ..." or "ptxas ... entry function 'name' ...".
  size_t line = 0;
  if (size_t at = StringRef(unit.log).find("kernels.cu("); at != StringRef::npos) {
    StringRef number = StringRef(unit.log).drop_front(at + StringRef("kernels.cu(").size());
    (void)number.consumeInteger(10, line);
  }
  const KernelText *found = &unit.kernels.front();
  size_t start = unit.source.size();
  for (const KernelText &kernel : llvm::reverse(unit.kernels)) {
    start -= kernel.text.size();
    size_t firstLine = StringRef(unit.source).take_front(start).count('\n') + 1;
    func::FuncOp function = kernel.kernel;
    if ((line >= firstLine && line != 0) ||
        (line == 0 && StringRef(unit.log).contains(("'" + function.getName() + "'").str()))) {
      found = &kernel;
      break;
    }
    start -= 1; // the empty line between kernels
  }
  func::FuncOp kernel = found->kernel;
  return emitUserError(kernel.getLoc()) << nvrtc.identity() << " refuses kernel '" << kernel.getName() << "':\n"
                                        << unit.log;
}

FailureOr<std::vector<CompiledUnit>> cuda::compileUnits(ArrayRef<KernelText> kernels, const TargetInfo &info,
                                                        Location loc) {
  std::string error;
  const Nvrtc *nvrtc = Nvrtc::get(error);
  if (!nvrtc)
    return emitError(loc) << error;
  std::vector<Unit> units = splitIntoUnits(kernels, info);
  DiskCache cache;
  {
    llvm::DefaultThreadPool threads(llvm::hardware_concurrency(units.size()));
    for (Unit &unit : units)
      threads.async([&unit, nvrtc, &cache] { compileUnit(unit, *nvrtc, cache); });
    threads.wait();
  }
  cache.prune();
  std::vector<CompiledUnit> compiled;
  LogicalResult status = success();
  for (Unit &unit : units) {
    if (!unit.succeeded)
      status = report(unit, *nvrtc);
    compiled.push_back({unit.architecture, std::move(unit.cubin), std::move(unit.ptx)});
  }
  if (failed(status))
    return failure();
  return compiled;
}
