//===- Shrink.cpp - A smaller program that still fails --------------------===//
//
// Greedy: a change that leaves the program interesting is kept, and all changes are tried again until none does.
// Upstream's --reduction-tree erases ops without replacing what they compute, so nothing that has users ever goes.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-reduce/Shrink.h"

#include "dialects/Graph/IR/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;
using namespace hone;

/// The values of `values` but that at `i`.
template <typename Range> static auto without(Range &&values, unsigned i) {
  SmallVector<std::decay_t<decltype(*values.begin())>> rest(values.begin(), values.end());
  rest.erase(rest.begin() + i);
  return rest;
}

namespace {

/// The changes that can be made to a program, by number: the same number is the same change in a copy.
class Changes {
public:
  explicit Changes(ModuleOp module) : module(module) {
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != module.getOperation())
        ops.push_back(op);
    });
    std::reverse(ops.begin(), ops.end());
  }

  /// Makes change `number`. False when it cannot be made here; nullopt when there are no further ones.
  std::optional<bool> make(size_t number) {
    for (Operation *op : ops) {
      size_t count = numChanges(op);
      if (number < count)
        return change(op, number);
      number -= count;
    }
    return std::nullopt;
  }

private:
  /// Of a function: to erase it, then to lose one argument each. Of a terminator of one: to lose one result each. Of
  /// others: to be erased, or to be replaced by an operand, by zeros, by an argument of the function.
  static size_t numChanges(Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      return 1 + function.getNumArguments();
    if (isa<func::ReturnOp>(op))
      return op->getNumOperands();
    return op->hasTrait<OpTrait::IsTerminator>() ? 0 : 3 + op->getNumOperands();
  }

  bool change(Operation *op, size_t number) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      return number == 0 ? erase(op) : loseArgument(function, unsigned(number - 1));
    if (auto result = dyn_cast<func::ReturnOp>(op))
      return loseResult(result, unsigned(number));
    switch (number) {
    case 0:
      return erase(op);
    case 1:
      return op->getNumResults() == 1 && useArgument(op);
    case 2:
      return op->getNumResults() == 1 && useZeros(op);
    default:
      return op->getNumResults() == 1 && useOperand(op, unsigned(number - 3));
    }
  }

  bool erase(Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!op->use_empty() || (function && !SymbolTable::symbolKnownUseEmpty(function, module)))
      return false;
    op->erase();
    return true;
  }

  bool loseArgument(func::FuncOp function, unsigned i) {
    bool isUsed = !function.isDeclaration() && !function.getArgument(i).use_empty();
    return !isUsed && SymbolTable::symbolKnownUseEmpty(function, module) && succeeded(function.eraseArgument(i));
  }

  bool loseResult(func::ReturnOp op, unsigned i) {
    auto function = op->getParentOfType<func::FuncOp>();
    // A function with several blocks may return in several places.
    if (!llvm::hasSingleElement(function.getBody()) || !SymbolTable::symbolKnownUseEmpty(function, module))
      return false;
    op->setOperands(without(op->getOperands(), i));
    return succeeded(function.eraseResult(i));
  }

  bool replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return true;
  }

  bool useArgument(Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op->getParentOp());
    if (!function || !SymbolTable::symbolKnownUseEmpty(function, module))
      return false;
    unsigned end = function.getNumArguments();
    if (failed(function.insertArgument(end, op->getResult(0).getType(), {}, op->getLoc())))
      return false;
    return replace(op, function.getArgument(end));
  }

  bool useZeros(Operation *op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    Builder attributes(op->getContext());
    TypedAttr zero = type && type.hasStaticShape() ? attributes.getZeroAttr(type.getElementType()) : TypedAttr();
    if (!zero || isa<graph::ConstantOp>(op) || op->getDialect()->getNamespace() != "graph")
      return false;
    OpBuilder builder(op);
    return replace(op, graph::ConstantOp::create(builder, op->getLoc(), DenseElementsAttr::get(type, zero)));
  }

  bool useOperand(Operation *op, unsigned i) {
    Value operand = op->getOperand(i);
    return operand.getType() == op->getResult(0).getType() && replace(op, operand);
  }

  ModuleOp module;
  SmallVector<Operation *> ops; ///< users before what they use
};

struct ShrinkPass : PassWrapper<ShrinkPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShrinkPass)

  ShrinkPass() = default;
  ShrinkPass(const ShrinkPass &) {}

  StringRef getArgument() const override { return "shrink"; }
  StringRef getDescription() const override { return "Makes a program smaller as long as a test says that it fails"; }

  void runOnOperation() override {
    tester = std::make_unique<Tester>(testerName, testerArgs);
    if (!isInteresting(getOperation())) {
      getOperation().emitError() << "the test does not end with 1 on the program as it is";
      return signalPassFailure();
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t number = 0;;) {
        OwningOpRef<ModuleOp> copy = getOperation().clone();
        std::optional<bool> made = Changes(*copy).make(number);
        if (!made)
          break;
        // A kept change takes the place of others: the next one has the same number.
        if (*made && isInteresting(*copy)) {
          getOperation().getBodyRegion().takeBody(copy->getBodyRegion());
          changed = true;
        } else {
          ++number;
        }
      }
    }
  }

private:
  bool isInteresting(ModuleOp module) {
    // What the verifier refuses would fail for reasons of its own.
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) { return success(); });
    return succeeded(verify(module)) && tester->isInteresting(module).first == Tester::Interestingness::True;
  }

  std::unique_ptr<Tester> tester;
  Option<std::string> testerName{*this, "test", llvm::cl::desc("the program that tells what is interesting")};
  ListOption<std::string> testerArgs{*this, "test-arg", llvm::cl::desc("its arguments, before the file")};
};

} // namespace

void hone::registerShrinkPass() { PassRegistration<ShrinkPass>(); }
