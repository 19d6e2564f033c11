//===- Remarks.h - What passes say about optimizations ----------*- C++ -*-===//
//
// Passes leave upstream's remarks (mlir/IR/Remarks.h): what they did, what they refused and why. Here
// these become data in terms of the model.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SUPPORT_REMARKS_H
#define LIB_SUPPORT_REMARKS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <string>

namespace hone {

struct NodeRemark {
  enum class Outcome { Applied, Refused, Noted };

  Outcome outcome = Outcome::Noted;
  std::string pass, category;           ///< as the pass calls itself and its group
  llvm::SmallVector<std::string> nodes; ///< it is about, as `nodeNames`
  unsigned position = 0;                ///< of the first of these nodes in the model
  std::string text;
  mlir::Location location;
};
using RemarkSink = std::function<void(const NodeRemark &)>;

llvm::StringRef outcomeName(NodeRemark::Outcome outcome);

/// Hands on the remarks of a context while alive, each once. There can be one at a time.
class RemarkCollector {
public:
  RemarkCollector(mlir::MLIRContext *context, RemarkSink sink);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector &) = delete;
  RemarkCollector &operator=(const RemarkCollector &) = delete;

  /// What was said is forgotten: the next program may say it again.
  void reset() { seen.clear(); }

private:
  mlir::MLIRContext *context;
  llvm::StringSet<> seen;
};

} // namespace hone

#endif // LIB_SUPPORT_REMARKS_H
