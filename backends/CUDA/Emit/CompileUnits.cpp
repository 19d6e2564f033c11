//===- CompileUnits.cpp - CUDA C++ to machine code ------------------------===//

#include "backends/CUDA/Emit/CompileUnits.h"

#include "backends/CUDA/Emit/Nvrtc.h"
#include "backends/CUDA/Emit/Prelude.h"
#include "lib/Support/DiskCache.h"
#include "lib/Support/UserError.h"
#include "lib/Target/KernelAction.h"

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

static Unit makeUnit(ArrayRef<KernelText> kernels, const TargetInfo &info) {
  Unit unit;
  unit.kernels = kernels;
  unit.source = sourceOf(kernels);
  // Code for sm_90 also runs on later minor versions, and its PTX everywhere later; code for sm_90a does not.
  unit.architecture = isExact(kernels.front()) ? info.cpu : StringRef(info.cpu).rtrim("af").str();
  return unit;
}

static std::vector<Unit> splitIntoUnits(ArrayRef<KernelText> kernels, const TargetInfo &info) {
  std::vector<Unit> units;
  size_t first = 0, bytes = 0;
  for (size_t i = 0; i <= kernels.size(); ++i) {
    bool isFull = i == kernels.size() || i - first == kKernelsPerUnit || bytes > kBytesPerUnit ||
                  (i > first && isExact(kernels[i]) != isExact(kernels[first]));
    if (isFull && i > first) {
      units.push_back(makeUnit(kernels.slice(first, i - first), info));
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
  unit.log = result.succeeded && !unit.succeeded ? "it makes no machine code" : std::move(result.log);
  if (unit.succeeded)
    cache.insert(key, join(unit.cubin, unit.ptx));
}

/// The kernel that the log of a failed unit is about, by the line of its first message or by name: "kernels.cu(12):
/// error: ..." or "ptxas ... entry function 'name' ..."; null if it says neither.
static const KernelText *kernelInLog(const Unit &unit) {
  size_t line = 0;
  if (size_t at = StringRef(unit.log).find("kernels.cu("); at != StringRef::npos) {
    StringRef number = StringRef(unit.log).drop_front(at + StringRef("kernels.cu(").size());
    (void)number.consumeInteger(10, line);
  }
  size_t start = unit.source.size();
  for (const KernelText &kernel : llvm::reverse(unit.kernels)) {
    start -= kernel.text.size();
    size_t firstLine = StringRef(unit.source).take_front(start).count('\n') + 1;
    func::FuncOp function = kernel.kernel;
    if ((line >= firstLine && line != 0) ||
        (line == 0 && StringRef(unit.log).contains(("'" + function.getName() + "'").str())))
      return &kernel;
    start -= 1; // the empty line between kernels
  }
  return nullptr;
}

static void refuse(ArrayRef<KernelText> kernels, const Nvrtc &nvrtc, StringRef log) {
  SmallVector<Location> locations;
  SmallVector<std::string> names;
  for (const KernelText &kernel : kernels) {
    func::FuncOp function = kernel.kernel;
    locations.push_back(function.getLoc());
    names.push_back(("'" + function.getName() + "'").str());
  }
  emitUserError(FusedLoc::get(locations.front().getContext(), locations))
      << nvrtc.identity() << " refuses kernel" << (names.size() > 1 ? "s " : " ") << llvm::join(names, ", ") << ":\n"
      << log;
}

/// Reports a failed unit at the kernel that the log is about; else at those that fail by themselves, or together.
static void report(const Unit &unit, const Nvrtc &nvrtc, const DiskCache &cache, const TargetInfo &info) {
  const KernelText *guilty = unit.kernels.size() == 1 ? &unit.kernels.front() : kernelInLog(unit);
  if (guilty)
    return refuse(*guilty, nvrtc, unit.log);
  bool isFound = false;
  for (const KernelText &kernel : unit.kernels) {
    Unit alone = makeUnit(kernel, info);
    compileUnit(alone, nvrtc, cache);
    isFound |= !alone.succeeded;
    if (!alone.succeeded)
      refuse(kernel, nvrtc, alone.log);
  }
  if (!isFound)
    refuse(unit.kernels, nvrtc, unit.log);
}

/// Compiles units in parallel, and tells those who watch `context` how many kernels are through.
static void compileAll(MutableArrayRef<Unit> units, const Nvrtc &nvrtc, const DiskCache &cache, MLIRContext *context) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(units.size()));
  SmallVector<std::shared_future<void>> ends;
  for (Unit &unit : units)
    ends.push_back(threads.async([&] { compileUnit(unit, nvrtc, cache); }));
  size_t done = 0, total = 0;
  for (const Unit &unit : units)
    total += unit.kernels.size();
  for (auto [unit, end] : llvm::zip(units, ends)) {
    end.wait();
    tellKernels(context, done += unit.kernels.size(), total);
  }
}

FailureOr<std::vector<CompiledUnit>> cuda::compileUnits(ArrayRef<KernelText> kernels, const TargetInfo &info,
                                                        Location loc) {
  std::string error;
  const Nvrtc *nvrtc = Nvrtc::get(error);
  if (!nvrtc)
    return emitError(loc) << error;
  std::vector<Unit> units = splitIntoUnits(kernels, info);
  DiskCache cache;
  compileAll(units, *nvrtc, cache, loc.getContext());
  cache.prune();
  std::vector<CompiledUnit> compiled;
  LogicalResult status = success();
  for (Unit &unit : units) {
    if (!unit.succeeded) {
      report(unit, *nvrtc, cache, info);
      status = failure();
    }
    compiled.push_back({unit.architecture, std::move(unit.cubin), std::move(unit.ptx)});
  }
  if (failed(status))
    return failure();
  return compiled;
}
