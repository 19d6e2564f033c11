//===- Report.h - What became of a model ------------------------*- C++ -*-===//
//
// For people and tools that ask what the compiler did: the kernels of a program, where the other nodes
// went, memory, and what passes said. Read off the IR and the attributes that passes leave there.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_PIPELINE_REPORT_H
#define LIB_PIPELINE_REPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace hone {

struct ModelReport {
  struct Node {
    std::string name, opType;
  };
  std::string name;        ///< of the graph
  std::vector<Node> nodes; ///< of the main graph
  int64_t parameters = 0;  ///< elements of all initializers
};

/// A tensor that a kernel reads or writes.
struct TensorReport {
  std::string elementType;
  std::vector<std::optional<int64_t>> shape; ///< none: known at run time
  std::string layout;                        ///< empty: row-major
  std::optional<int64_t> bytes;
};

/// One kernel of a program, in the order of first launches.
struct KernelReport {
  std::string name;
  std::vector<std::string> nodes;
  std::string family; ///< "loops" for those that no family of fast kernels computes
  int64_t launches = 0;
  std::optional<int64_t> items; ///< of one launch: what is divided among threads; none: known at run time
  std::vector<TensorReport> inputs, outputs;
  std::optional<int64_t> scratchBytes;
  std::optional<int64_t> operations; ///< arithmetic of one launch
};

/// Figures of a memory plan in bytes.
struct PlanFigures {
  int64_t staticBytes = 0;      ///< the arena
  int64_t lowerBound = 0;       ///< what no plan of this order can undercut
  int64_t totalBytes = 0;       ///< the sum of all buffers
  int64_t constantBytes = 0;    ///< weights as the kernels read them
  int64_t dynamicBuffers = 0;   ///< of sizes known at run time, in none of the figures above
  std::optional<int64_t> bound; ///< what the arena and those never exceed together, where the ranges of extents tell
};

/// What a node became that no kernel computes: "constant", "view", "extent", "control flow" or "removed".
struct NodeFate {
  std::string node, fate;
};

/// What a pass did, refused or noted: see lib/Support/Remarks.h.
struct RemarkReport {
  std::string outcome, pass, category, text;
  std::vector<std::string> nodes;
};

/// What became of one target.
struct TargetReport {
  std::string target;
  PlanFigures plan;
  std::vector<KernelReport> kernels;
  std::vector<NodeFate> withoutKernel;
  std::vector<RemarkReport> remarks; ///< in the order of the model's nodes
};

/// Fills in plan and kernels from a planned module.
void describePlan(mlir::ModuleOp planned, TargetReport &report);

/// Fills in what became of the nodes that no kernel computes, from a module whose kernels are formed.
void describeNodes(mlir::ModuleOp formed, const ModelReport &model, TargetReport &report);

} // namespace hone

#endif // LIB_PIPELINE_REPORT_H
