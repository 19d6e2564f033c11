//===- PassFilter.cpp - Leaves passes out ---------------------------------===//
//
// A pass is an action of the context, and what handles actions decides whether one is executed.
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/PassFilter.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hone;

bool hone::isPassName(StringRef pass, StringRef name) {
  return pass == name || (pass.consume_front("hone-") && pass == name);
}

PassFilter::PassFilter(MLIRContext *context, std::vector<std::string> names, ActionFn others)
    : context(context), leftOut(std::move(names)), others(std::move(others)) {
  context->registerActionHandler([this](llvm::function_ref<void()> run, const tracing::Action &action) {
    auto *execution = dyn_cast<PassExecutionAction>(&action);
    if (!execution && this->others)
      this->others(action);
    StringRef name = execution ? execution->getPass().getArgument() : StringRef();
    if (name.empty())
      return run();
    if (!llvm::is_contained(this->names, name))
      this->names.push_back(name.str());
    if (llvm::none_of(leftOut, [&](StringRef other) { return isPassName(name, other); }))
      run();
  });
}

PassFilter::~PassFilter() { context->registerActionHandler(nullptr); }
