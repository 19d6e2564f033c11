//===- Remarks.cpp - What passes say about optimizations ------------------===//

#include "lib/Support/Remarks.h"

#include "lib/Support/NodeLocation.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace hone;

StringRef hone::outcomeName(NodeRemark::Outcome outcome) {
  switch (outcome) {
  case NodeRemark::Outcome::Applied:
    return "applied";
  case NodeRemark::Outcome::Refused:
    return "refused";
  case NodeRemark::Outcome::Noted:
    return "noted";
  }
  llvm_unreachable("unknown outcome");
}

static NodeRemark::Outcome outcomeOf(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return NodeRemark::Outcome::Applied;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return NodeRemark::Outcome::Refused;
  default:
    return NodeRemark::Outcome::Noted;
  }
}

/// Reasons are sentences of their own; other arguments are shown with their names.
static std::string textOf(const remark::detail::Remark &remark) {
  std::string text;
  for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
    text += text.empty() ? "" : "; ";
    if (argument.key != "Reason" && argument.key != "Remark")
      text += argument.key + ": ";
    text += argument.val;
  }
  return text;
}

namespace {

class Streamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  Streamer(llvm::StringSet<> &seen, RemarkSink sink) : seen(seen), sink(std::move(sink)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Location location = remark.getLocation();
    NodeRemark told{outcomeOf(remark),
                    remark.getRemarkName().str(),
                    remark.getCategoryName().str(),
                    nodeNames(location),
                    0,
                    textOf(remark),
                    location};
    if (auto file = location->findInstanceOf<FileLineColLoc>())
      told.position = file.getLine();
    std::string key = (outcomeName(told.outcome) + told.pass).str() + "\n" + told.text;
    for (const std::string &node : told.nodes)
      key += "\n" + node;
    if (seen.insert(key).second)
      sink(told);
  }

private:
  llvm::StringSet<> &seen;
  RemarkSink sink;
};

} // namespace

RemarkCollector::RemarkCollector(MLIRContext *context, RemarkSink sink) : context(context) {
  remark::RemarkCategories every;
  every.passed = every.missed = every.failed = every.analysis = ".*";
  // Fails on none but a streamer that cannot open its file.
  (void)remark::enableOptimizationRemarks(*context, std::make_unique<Streamer>(seen, std::move(sink)),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), every);
}

RemarkCollector::~RemarkCollector() { context->setRemarkEngine(nullptr); }
