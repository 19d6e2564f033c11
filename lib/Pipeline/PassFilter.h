//===- PassFilter.h - Leaves passes out -------------------------*- C++ -*-===//

#ifndef LIB_PIPELINE_PASSFILTER_H
#define LIB_PIPELINE_PASSFILTER_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <string>
#include <vector>

namespace hone {

/// Whether `name` is what a user calls `pass`: its name, with "hone-" before it or without.
bool isPassName(llvm::StringRef pass, llvm::StringRef name);

/// While alive, no pass of these names runs in the context, in whatever pipeline it stands; notes which passes run.
/// There can be one at a time. Actions of the context that are no passes are told to `others`.
class PassFilter {
public:
  using ActionFn = std::function<void(const mlir::tracing::Action &)>;
  PassFilter(mlir::MLIRContext *context, std::vector<std::string> leftOut, ActionFn others = nullptr);
  ~PassFilter();
  PassFilter(const PassFilter &) = delete;
  PassFilter &operator=(const PassFilter &) = delete;
  /// Names in the order of the first run, each once.
  llvm::ArrayRef<std::string> seen() const { return names; }

private:
  mlir::MLIRContext *context;
  std::vector<std::string> leftOut, names;
  ActionFn others;
};

} // namespace hone

#endif // LIB_PIPELINE_PASSFILTER_H
