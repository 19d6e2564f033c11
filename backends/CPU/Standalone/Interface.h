//===- Interface.h - A program as C sees it ---------------------*- C++ -*-===//
//
// Names of C, and where inputs, outputs and dimensions lie in the two structs that a program's function
// takes. Every field has eight bytes, so a position is an offset; header and code are both made from this.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CPU_STANDALONE_INTERFACE_H
#define BACKENDS_CPU_STANDALONE_INTERFACE_H

#include "dialects/Plan/IR/Plan.h"

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace hone::cpu {

/// Makes C identifiers out of any bytes, each once.
class IdentifierPool {
public:
  std::string get(llvm::StringRef name);

private:
  llvm::StringSet<> taken;
};

/// How C sees the elements of a tensor.
struct CElement {
  llvm::StringLiteral type; ///< "float"
  llvm::StringLiteral name; ///< as documentation calls it: "f32"
  unsigned bytes;
};
CElement cElementOf(mlir::Type type);

/// A tensor that the caller passes or receives.
struct CTensor {
  plan::TensorAttr tensor;
  std::string name;  ///< of its field, and the head of those that belong to it
  unsigned slot = 0; ///< of the pointer; for a dynamic output its size and extents follow
  CElement element;
  int64_t bytes = 0; ///< -1 when only known at run time

  bool isDynamic() const { return bytes < 0; }
};

/// One extent that the caller decides: all dimensions of its symbol.
struct CDim {
  std::string name; ///< of its field
  unsigned slot = 0;
  std::vector<std::pair<unsigned, unsigned>> uses; ///< inputs and their dimensions
  int64_t min = 0, max = INT64_MAX;
};

/// A load decides about sizes or control flow.
enum class DataDependence {
  None,
  Inputs,   ///< on values of inputs alone: known before the run
  Computed, ///< on what kernels compute
};

struct StandaloneInterface {
  StandaloneInterface(plan::ProgramOp program, llvm::StringRef prefix);

  /// The dimension of an input; null when it is fixed.
  const CDim *dimOf(unsigned input, unsigned dim) const;
  /// prefix_run, PREFIX_ARENA_BYTES
  std::string function(llvm::StringRef name) const { return prefix + "_" + name.str(); }
  std::string macro(llvm::StringRef name) const { return llvm::StringRef(function(name)).upper(); }
  /// Sizes are known at compile time, all of them.
  bool isStatic() const { return dims.empty() && !hasFrames && dependence == DataDependence::None; }
  /// There is a function that tells sizes without running.
  bool hasSizesFunction() const { return !isStatic() && dependence != DataDependence::Computed; }

  std::string prefix, model;
  std::vector<CTensor> inputs, outputs;
  std::vector<CDim> dims;
  int64_t staticBytes = 0;
  bool hasFrames = false; ///< there are buffers whose sizes are known at run time only
  DataDependence dependence = DataDependence::None;
  std::vector<unsigned> readInputs; ///< inputs whose values decide about sizes
  unsigned neededSlot = 0;          ///< in the outputs: how large the arena should have been
};

/// Some fields of `prefix`.h: what to include, the structs, the functions, and how to call them.
std::string writeHeader(const StandaloneInterface &interface, llvm::StringRef target, llvm::StringRef features);

} // namespace hone::cpu

#endif // BACKENDS_CPU_STANDALONE_INTERFACE_H
