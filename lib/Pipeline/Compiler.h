//===- Compiler.h - From an ONNX file to a module ---------------*- C++ -*-===//
//
// The one place where phases are ordered. A phase is a stop point of `--to`, a folder of `--dump-to`
// and a list of passes, each of which can be switched off.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_PIPELINE_COMPILER_H
#define LIB_PIPELINE_COMPILER_H

#include "lib/Frontend/ModelSource.h"
#include "lib/Pipeline/Report.h"
#include "lib/Support/NodeLocation.h"
#include "lib/Support/Progress.h"
#include "lib/Target/TargetBackend.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone {

/// In order. Each is described by `phaseSummary`.
enum class Phase { Import, Simplify, Recognize, Compress, Substitute, Layout, Fuse, Lower, Plan, Emit };

llvm::StringRef phaseName(Phase phase);
llvm::StringRef phaseSummary(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

/// What compilation produces: a module, the IR of a phase, or a form of code that the target's backend has.
enum class Emit { Module, Graph, Plan, Code };

/// What `--emit` can ask for.
struct EmitKind {
  std::string name = "hone";
  Emit what = Emit::Module;
  std::string extension = "hone"; ///< of a file; empty: text, which goes to standard output
};
/// The kinds of all backends, each once.
std::vector<EmitKind> emitKinds();

/// A tensor that a run may be given, row-major.
struct ExampleTensor {
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

struct CompileOptions {
  /// One target, or several separated by commas.
  std::string target = "cpu";
  EmitKind emit;
  /// NAME -> "N" or "MIN..MAX".
  std::vector<std::pair<std::string, std::string>> dims;
  std::string precision = "f32";
  /// One for each input: what lies in memory in a run on them decides what becomes half. Empty: predictions do.
  std::vector<ExampleTensor> examples;
  int optLevel = 3;
  /// The head of every name in an object file and its header, a C identifier; empty: "model".
  std::string prefix;
  /// Last phase to run; the IR behind it is printed instead of what `emit` says.
  std::optional<Phase> stopAfter;
  /// Folder for the IR after every phase; empty: none.
  std::string dumpTo;
  /// Passes to leave out, without the "hone-" prefix or with it.
  std::vector<std::string> disabledPasses;
  bool timing = false;
  /// Prints what was fused, substituted and refused, and why.
  bool remarks = false;
  /// Where the IR that a pass failed on is left; empty: nowhere.
  std::string reproducerFolder = ".";
  /// Told when a phase begins, and how many kernels are compiled.
  ProgressFn progress;
  /// Called with the pass manager of every phase before it runs: for tools that watch passes, and tests that add some.
  std::function<void(Phase, mlir::PassManager &)> configure;
};

/// What a compilation tells beside its result.
struct CompileReport {
  ModelReport model;
  std::vector<TargetReport> targets;
  /// The C header of an object file.
  std::string header;
  /// The failure is the compiler's fault, not the model's.
  bool internalError = false;
  /// Where the IR that a pass failed on was written; empty when nowhere.
  std::string reproducer;
};

/// Compiles a model; what `options.emit` asks for goes to `out`, every diagnostic to `sink`, naming nodes.
mlir::LogicalResult compileModel(const frontend::ModelSource &source, const CompileOptions &options,
                                 llvm::SmallVectorImpl<char> &out, DiagnosticSink sink,
                                 CompileReport *report = nullptr);

/// Compiles a module of graph ops whose function is @main, in the place of an imported model. Its context comes from
/// `createContext`; diagnostics go to that context's handlers.
mlir::LogicalResult compileGraph(mlir::OwningOpRef<mlir::ModuleOp> graph, const CompileOptions &options,
                                 llvm::SmallVectorImpl<char> &out, CompileReport *report = nullptr);

/// Reports everything of a model that would not compile, all at once, naming nodes: what import refuses, else
/// what lowering and planning do. Fails when anything would.
mlir::LogicalResult checkModel(const frontend::ModelSource &source, const CompileOptions &options, DiagnosticSink sink,
                               CompileReport *report = nullptr);

/// Compiles up to the plan and fills in the whole of `report`: what the kernels are, where the other nodes went, what
/// passes did and refused.
mlir::LogicalResult explainModel(const frontend::ModelSource &source, const CompileOptions &options,
                                 DiagnosticSink sink, CompileReport &report);

/// A context with every dialect of the compiler.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Imports and perhaps simplifies only: the graph that `lib/Reference` runs. Null after diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(const frontend::ModelSource &source, const CompileOptions &options,
                                              mlir::MLIRContext *context, bool simplify);

} // namespace hone

#endif // LIB_PIPELINE_COMPILER_H
