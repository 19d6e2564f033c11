//===- Nvrtc.h - NVIDIA's run-time compiler ---------------------*- C++ -*-===//
//
// Compiles CUDA C++ to machine code without a GPU or driver. Loaded when first needed: the compiler runs
// on machines that do not have it.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CUDA_EMIT_NVRTC_H
#define BACKENDS_CUDA_EMIT_NVRTC_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace hone::cuda {

class Nvrtc {
public:
  /// The library; null when there is none, and then `error` says where it was looked for. In this order:
  /// the file HONE_NVRTC, the PyPI package nvidia-cuda-nvrtc in a .venv above this program or in the
  /// active environment, the system's library path, CUDA_HOME, /usr/local/cuda.
  static const Nvrtc *get(std::string &error);

  struct Result {
    bool succeeded = false;
    std::vector<char> cubin; ///< empty for virtual architectures
    std::vector<char> ptx;   ///< with the zero byte at its end
    std::string log;
  };
  /// Compiles one program; may be called by several threads.
  Result compile(const std::string &source, llvm::ArrayRef<std::string> options) const;

  /// Whether it compiles for sm_`architecture`.
  bool supports(int architecture) const { return llvm::is_contained(architectures, architecture); }
  /// What tells results apart that differ: "NVRTC 13.0 (109338064 bytes)".
  const std::string &identity() const { return name; }
  const std::string &path() const { return file; }

private:
  Nvrtc() = default;
  struct Functions;
  static std::unique_ptr<Nvrtc> load(std::string &error);
  mlir::LogicalResult bind(void *library);

  std::shared_ptr<const Functions> functions;
  std::vector<int> architectures;
  std::string name, file;
};

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_NVRTC_H
