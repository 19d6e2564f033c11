//===- Targets.cpp - What a compilation is for ----------------------------===//

#include "lib/Pipeline/Targets.h"

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hone;

FailureOr<SmallVector<ResolvedTarget>> hone::resolveTargets(const BackendRegistry &backends, StringRef list,
                                                            MLIRContext *context) {
  SmallVector<StringRef> names;
  list.split(names, ',');
  SmallVector<ResolvedTarget> targets;
  for (StringRef name : names) {
    if (name.trim().empty())
      return emitError(UnknownLoc::get(context)) << "the list of targets '" << list << "' has a gap";
    auto resolved = backends.resolve(name.trim(), UnknownLoc::get(context));
    if (failed(resolved))
      return failure();
    TargetInfo &info = resolved->second;
    if (llvm::none_of(targets, [&](const ResolvedTarget &other) { return other.info.name == info.name; }))
      targets.push_back({resolved->first, std::move(info)});
  }
  return targets;
}

TargetLabel::TargetLabel(MLIRContext *context, StringRef target) : ScopedDiagnosticHandler(context) {
  setHandler([name = target.str()](Diagnostic &diagnostic) {
    diagnostic << " (target " << name << ")";
    return failure();
  });
}

std::string hone::targetFileName(StringRef target) {
  std::string name = target.str();
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

void hone::mergeTarget(ModuleOp into, OwningOpRef<ModuleOp> planned, StringRef target) {
  MLIRContext *context = into.getContext();
  std::string suffix = "." + targetFileName(target);
  DenseMap<StringAttr, StringAttr> names;
  for (Operation &op : *planned->getBody())
    if (auto symbol = SymbolTable::getSymbolName(&op))
      names[symbol] = StringAttr::get(context, symbol.getValue() + suffix);
  for (auto kernel : planned->getOps<plan::KernelOp>())
    kernel.setEntry(kernel.getEntryName());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr reference) {
    StringAttr name = names.lookup(reference.getAttr());
    return name ? FlatSymbolRefAttr::get(name) : reference;
  });
  replacer.recursivelyReplaceElementsIn(*planned, /*replaceAttrs=*/true);
  for (Operation &op : llvm::make_early_inc_range(*planned->getBody())) {
    if (auto symbol = SymbolTable::getSymbolName(&op))
      SymbolTable::setSymbolName(&op, names[symbol]);
    op.moveBefore(into.getBody(), into.getBody()->end());
  }
}

LogicalResult hone::attachImage(const ResolvedTarget &target, ModuleOp planned, ModuleOp kernels) {
  FailureOr<EmittedCode> image = target.backend->emit(kernels, target.info, TargetBackend::Output::Image);
  if (failed(image))
    return failure();
  Builder builder(planned.getContext());
  auto executable = *planned.getOps<plan::ExecutableOp>().begin();
  SmallVector<StringRef> features(image->features.begin(), image->features.end());
  executable.setFormat(image->format);
  executable.setFeaturesAttr(builder.getStrArrayAttr(features));
  auto type = RankedTensorType::get({static_cast<int64_t>(image->bytes.size())}, builder.getI8Type());
  executable.setCodeAttr(DenseResourceElementsAttr::get(
      type, "code", HeapAsmResourceBlob::allocateAndCopyWithAlign(ArrayRef<char>(image->bytes), 64)));
  kernels.erase();
  return success();
}
