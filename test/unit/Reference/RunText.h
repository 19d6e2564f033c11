//===- RunText.h - Textual graph programs in tests --------------*- C++ -*-===//
//
// A program is the body of a function without arguments; constants in the text
// are its inputs.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_UNIT_REFERENCE_RUNTEXT_H
#define TEST_UNIT_REFERENCE_RUNTEXT_H

#include "dialects/Graph/IR/Graph.h"
#include "lib/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <string>

namespace hone::test {

class RunText : public ::testing::Test {
protected:
  RunText() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect, mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diag) {
      messages += diag.str() + "\n";
      return mlir::success();
    });
  }

  mlir::func::FuncOp parse(const std::string &text) {
    messages.clear();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << messages << text;
      return {};
    }
    return *module->getOps<mlir::func::FuncOp>().begin();
  }

  /// Runs `body`, which defines %r of type `type`.
  reference::Tensor run(const std::string &body, const std::string &type) {
    auto results = runAll(body, type);
    if (mlir::failed(results)) {
      ADD_FAILURE() << messages;
      return {};
    }
    return results->front();
  }
  /// The message that running `body` gives.
  std::string error(const std::string &body, const std::string &type) {
    auto results = runAll(body, type);
    EXPECT_TRUE(mlir::failed(results));
    return messages;
  }
  mlir::FailureOr<llvm::SmallVector<reference::Tensor>> runAll(const std::string &body, const std::string &type) {
    auto function = parse("func.func @main() -> " + type + " {\n" + body + "\nreturn %r : " + type + "\n}");
    if (!function)
      return mlir::failure();
    return reference::interpret(function, {});
  }

  /// Elements of what `body` computes.
  std::vector<double> doubles(const std::string &body, const std::string &type) { return run(body, type).doubles(); }
  std::vector<int64_t> ints(const std::string &body, const std::string &type) { return run(body, type).ints(); }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages;
};

/// Doubles with NaN equal to NaN.
MATCHER_P(SameDoubles, expected, "") {
  if (arg.size() != expected.size())
    return false;
  for (size_t i = 0; i < arg.size(); ++i)
    if (!(arg[i] == expected[i] || (std::isnan(arg[i]) && std::isnan(expected[i]))))
      return false;
  return true;
}

} // namespace hone::test

#endif // TEST_UNIT_REFERENCE_RUNTEXT_H
