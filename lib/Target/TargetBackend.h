//===- TargetBackend.h - What a backend must provide ------------*- C++ -*-===//
//
// The whole boundary between the compiler and a target. The compiler decides what to run and where
// data lives; a backend turns kernel functions into machine code. Backends never see a model, a
// pipeline or each other. Facts about a machine are data (TargetInfo): when a pass wants to ask "is
// this CUDA?", the answer is a new fact.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_TARGET_TARGETBACKEND_H
#define LIB_TARGET_TARGETBACKEND_H

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hone {

/// What generic passes may know about a machine. Plain data; printed on the module as
/// `graph.target`, so a dumped module compiles the same way on any host.
struct TargetInfo {
  std::string name;                     ///< canonical target string: "cpu:avx2"
  std::string triple;                   ///< LLVM triple, or the target's own architecture name
  std::string cpu;                      ///< LLVM CPU name; empty where that means nothing
  std::vector<std::string> features;    ///< what the machine must have; checked by the runtime
  unsigned vectorBytes = 0;             ///< widest register of one lane
  unsigned vectorRegisters = 0;         ///< how many of them
  bool multiplyByLane = false;          ///< multiply-add takes one lane of a register as a factor
  unsigned l1Bytes = 0, l2Bytes = 0;    ///< caches of one core
  unsigned workgroupSize = 0;           ///< threads of a workgroup, where nothing else decides; 0: no workgroups
  unsigned maxWorkgroupSize = 0;        ///< the most a workgroup can have
  unsigned subgroupSize = 0;            ///< threads that run in step and exchange registers; 0: unknown
  unsigned sharedBytes = 0;             ///< memory that a workgroup can share
  unsigned computeUnits = 0;            ///< workgroups of full size that run at once; typical where it varies
  std::vector<std::string> nativeTypes; ///< what arithmetic there is for: "f64", "f16", "i8", ...; empty: all
  std::vector<std::string> matrixTypes; ///< what units multiply that sum in f32: "f16", "bf16", "tf32"
  unsigned maxBuffers = 0;              ///< how many a kernel can use; 0: any number
  unsigned maxBufferBytes = 0;          ///< how much of one buffer a kernel of any device reaches; 0: all
  unsigned maxGrid = 0;                 ///< how many workgroups a launch can have; 0: any number
  unsigned maxThreads = 0;              ///< how many threads all workgroups of a launch can have; 0: any number
  unsigned bufferAlignment = 64;        ///< required of every planned buffer
  bool hostAccess = true;               ///< plan steps may read buffers directly

  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Reads what `toAttribute` wrote; missing entries keep their defaults.
  static TargetInfo fromAttribute(mlir::DictionaryAttr attribute);
};

/// What a backend emits.
struct EmittedCode {
  std::vector<char> bytes;
  std::string format;                ///< "elf", "spirv", or the kind of text
  std::vector<std::string> features; ///< what a machine must have to run an image; checked by the runtime
};

/// A planned program, to be compiled so that it needs no runtime.
struct StandaloneRequest {
  plan::ProgramOp program;
  mlir::ModuleOp kernels;
  std::string prefix; ///< of every name: a C identifier
  std::string model;  ///< what the user knows it by
  /// Where the constants of `plan.constant` lie in one block of bytes, which `writeConstants` streams.
  llvm::DenseMap<mlir::Operation *, uint64_t> constantOffsets;
  uint64_t constantBytes = 0;
  std::function<void(llvm::raw_ostream &)> writeConstants;
};

struct StandaloneCode {
  std::vector<char> object;
  std::string header; ///< of C
};

/// Name of the module attribute that holds the facts.
inline constexpr llvm::StringLiteral kTargetAttribute = "graph.target";
/// Name of the module attribute that says in what precision f32 may be multiplied, where it is less: "tf32".
inline constexpr llvm::StringLiteral kPrecisionAttribute = "graph.precision";

/// One target. Implementations hold no mutable state: a backend is shared by all compilations.
class TargetBackend {
public:
  virtual ~TargetBackend() = default;
  TargetBackend(const TargetBackend &) = delete;
  TargetBackend &operator=(const TargetBackend &) = delete;

  /// The part of a target string before the colon: "cpu".
  virtual llvm::StringRef name() const = 0;

  /// What may stand behind the colon, if anything; without it a target string means the host's or the usual one.
  virtual std::vector<std::string> variants() const = 0;

  /// The facts of `variant` (the part after the colon; empty means this host), or an error that
  /// lists the variants it knows.
  virtual mlir::FailureOr<TargetInfo> describe(llvm::StringRef variant, mlir::Location loc) const = 0;

  /// Appends the passes that take a module of kernel functions (bodies of graph ops on tensors) to the
  /// level `emit` accepts.
  virtual void addLowering(mlir::OpPassManager &passes, const TargetInfo &info) const = 0;

  /// How far `emit` goes.
  enum class Output { Image, Source, LowLevelIR, Assembly, Object, Standalone };

  /// A form of code beside images, as `--emit` calls it.
  struct Form {
    llvm::StringLiteral name;
    Output output;
    llvm::StringLiteral extension; ///< of a file; empty: text, which goes to standard output
  };
  virtual llvm::ArrayRef<Form> forms() const = 0;

  /// Fails with a diagnostic when this host lacks something that emitting takes, such as another
  /// vendor's compiler.
  virtual mlir::LogicalResult checkHost(const TargetInfo &info, Output output, mlir::Location loc) const {
    return mlir::success();
  }

  /// Translates lowered kernels into one image, or one of the forms on the way there.
  virtual mlir::FailureOr<EmittedCode> emit(mlir::ModuleOp kernels, const TargetInfo &info, Output output) const = 0;

  /// Compiles a program and its kernels to one object file and its C header: the form `Output::Standalone` of those
  /// that have it.
  virtual mlir::FailureOr<StandaloneCode> emitStandalone(const StandaloneRequest &request,
                                                         const TargetInfo &info) const;

protected:
  TargetBackend() = default;
};

/// The backends linked into one compiler. A value, not a global: tests build their own.
class BackendRegistry {
public:
  void add(std::unique_ptr<TargetBackend> backend);

  /// Facts and backend of a target string such as "cpu:avx2"; an error at `loc` lists what exists.
  mlir::FailureOr<std::pair<const TargetBackend *, TargetInfo>> resolve(llvm::StringRef target,
                                                                        mlir::Location loc) const;
  llvm::ArrayRef<std::unique_ptr<TargetBackend>> all() const { return backends; }
  /// Every target string, a backend's own name before its variants.
  std::vector<std::string> targets() const;

private:
  std::vector<std::unique_ptr<TargetBackend>> backends;
};

} // namespace hone

#endif // LIB_TARGET_TARGETBACKEND_H
