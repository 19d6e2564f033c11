//===- ScalarLoweringTest.cpp - Elementwise bodies on scalars and vectors -===//
//
// Every elementwise op on every element type gives valid IR of the storage type, for a scalar and
// for a vector. That the numbers are right is for tests that run.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace hone;

namespace {

class ScalarLoweringTest : public testing::Test {
protected:
  ScalarLoweringTest() {
    context.loadDialect<graph::GraphDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect,
                        tensor::TensorDialect, vector::VectorDialect>();
    context.printOpOnDiagnostic(false);
  }

  SmallVector<Type> floats() {
    Builder b(&context);
    return {b.getF64Type(),
            b.getF32Type(),
            b.getF16Type(),
            b.getBF16Type(),
            Float8E4M3FNType::get(&context),
            Float8E4M3FNUZType::get(&context),
            Float8E5M2Type::get(&context),
            Float8E5M2FNUZType::get(&context),
            Float8E8M0FNUType::get(&context),
            Float4E2M1FNType::get(&context)};
  }

  SmallVector<Type> elements() {
    SmallVector<Type> result = floats();
    result.push_back(IntegerType::get(&context, 1));
    for (unsigned width : {2, 4, 8, 16, 32, 64}) {
      result.push_back(IntegerType::get(&context, width));
      result.push_back(IntegerType::get(&context, width, IntegerType::Unsigned));
    }
    return result;
  }

  /// Makes the op on tensors of `types` and lowers it once on scalars and once on vectors. Returns
  /// the number of lowerings, 0 when there is no such op.
  int lower(ArrayRef<Type> types, llvm::function_ref<Operation *(OpBuilder &, Location, ValueRange)> make) {
    int count = 0;
    for (bool isVector : {false, true}) {
      OpBuilder builder(&context);
      Location loc = builder.getUnknownLoc();
      OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
      SmallVector<Type> arguments;
      for (Type type : types)
        arguments.push_back(RankedTensorType::get({8}, type));
      for (Type type : types) {
        Type stored = graph_to_linalg::storageType(type);
        arguments.push_back(isVector ? Type(VectorType::get({8}, stored)) : stored);
      }
      auto function = func::FuncOp::create(loc, "f", builder.getFunctionType(arguments, {}));
      module->push_back(function);
      builder.setInsertionPointToStart(function.addEntryBlock());
      ValueRange values = function.getArguments();
      Operation *op = nullptr;
      {
        ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
        op = make(builder, loc, values.take_front(types.size()));
      }
      if (!op)
        return 0;
      FailureOr<Value> lowered = graph_to_linalg::lowerElementwise(builder, op, values.drop_front(types.size()));
      EXPECT_TRUE(succeeded(lowered)) << print(op);
      if (failed(lowered))
        return 0;
      func::ReturnOp::create(builder, loc);
      Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
      Type stored = graph_to_linalg::storageType(element);
      EXPECT_EQ(lowered->getType(), isVector ? Type(VectorType::get({8}, stored)) : stored) << print(op);
      EXPECT_TRUE(succeeded(verify(*module))) << print(op);
      ++count;
    }
    return count;
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    return text;
  }

  MLIRContext context;
};

TEST_F(ScalarLoweringTest, UnaryKinds) {
  for (unsigned kind = 0; kind <= graph::getMaxEnumValForUnaryKind(); ++kind) {
    int count = 0;
    for (Type type : elements())
      count += lower({type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
        return graph::createChecked<graph::UnaryOp>(b, loc, static_cast<graph::UnaryKind>(kind), x[0]);
      });
    EXPECT_GT(count, 0) << "kind " << kind;
  }
}

TEST_F(ScalarLoweringTest, BinaryKinds) {
  for (unsigned kind = 0; kind <= graph::getMaxEnumValForBinaryKind(); ++kind) {
    int count = 0;
    for (Type type : elements())
      count += lower({type, type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
        return graph::createChecked<graph::BinaryOp>(b, loc, static_cast<graph::BinaryKind>(kind), x[0], x[1]);
      });
    EXPECT_GT(count, 0) << "kind " << kind;
  }
}

TEST_F(ScalarLoweringTest, PowersOfMixedTypes) {
  for (Type left : elements())
    for (Type right : elements())
      lower({left, right}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
        return graph::createChecked<graph::BinaryOp>(b, loc, graph::BinaryKind::Pow, x[0], x[1]);
      });
}

TEST_F(ScalarLoweringTest, Comparisons) {
  for (unsigned predicate = 0; predicate <= graph::getMaxEnumValForPredicate(); ++predicate)
    for (Type type : elements())
      lower({type, type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
        return graph::createChecked<graph::CompareOp>(b, loc, static_cast<graph::Predicate>(predicate), x[0], x[1]);
      });
  for (unsigned kind = 0; kind <= graph::getMaxEnumValForFloatClass(); ++kind)
    for (Type type : floats())
      EXPECT_EQ(2, lower({type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
                  return graph::createChecked<graph::ClassifyOp>(b, loc, static_cast<graph::FloatClass>(kind), x[0]);
                }));
}

TEST_F(ScalarLoweringTest, Selection) {
  for (Type type : elements())
    EXPECT_EQ(2, lower({IntegerType::get(&context, 1), type, type},
                       [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
                         return graph::createChecked<graph::SelectOp>(b, loc, x[0], x[1], x[2]);
                       }));
}

TEST_F(ScalarLoweringTest, Casts) {
  for (Type from : elements())
    for (Type to : elements())
      for (bool saturate : {false, true})
        EXPECT_EQ(2, lower({from}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
                    return graph::createChecked<graph::CastOp>(b, loc, x[0], to, saturate, graph::Rounding::Up);
                  }));
}

TEST_F(ScalarLoweringTest, Bitcasts) {
  for (Type from : elements())
    for (Type to : elements())
      if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
        lower({from}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
          return graph::createChecked<graph::BitcastOp>(b, loc, x[0], to);
        });
}

TEST_F(ScalarLoweringTest, Quantization) {
  Type f32 = Float32Type::get(&context);
  int count = 0;
  for (Type type : elements()) {
    count += lower({f32, f32, type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
      return graph::createChecked<graph::QuantizeOp>(b, loc, x[0], x[1], x[2], type, 0, 0, true);
    });
    count += lower({type, f32, type}, [&](OpBuilder &b, Location loc, ValueRange x) -> Operation * {
      return graph::createChecked<graph::DequantizeOp>(b, loc, x[0], x[1], x[2], f32, 0, 0);
    });
  }
  EXPECT_GT(count, 0);
}

} // namespace
