//===- Passes.td - Simplify passes -------------------------*- tablegen -*-===//

#ifndef PASSES_SIMPLIFY_PASSES
#define PASSES_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"hone-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Computes at compile time what depends on constants alone.";
  let description = [{
    Ops whose operands are constants are run by the reference interpreter and replaced by their results. Integer tensors of
    a few elements that are known extents (a `graph.shape` and what is computed of it) become constants too. A
    `graph.if` on a constant condition becomes the region it takes. Splats stay splats where the result is one.

    Before:
    ```mlir
    func.func @f(%x: tensor<2x12xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
      %four = graph.constant dense<4> : tensor<1xi64>
      %s = graph.shape %x : tensor<2x12xf32> -> tensor<2xi64>
      %n = graph.reduce<prod> %s dims [0] keep : tensor<2xi64> -> tensor<1xi64>
      %rows = graph.binary<div> %n, %four : tensor<1xi64>, tensor<1xi64> -> tensor<1xi64>
      %shape = graph.concat %rows, %four dim 0 : tensor<1xi64>, tensor<1xi64> -> tensor<2xi64>
      %r = graph.reshape %y, %shape : tensor<?xf32>, tensor<2xi64> -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<2x12xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
      %shape = graph.constant dense<[6, 4]> : tensor<2xi64>
      %r = graph.reshape %y, %shape : tensor<?xf32>, tensor<2xi64> -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    ```

    Left alone: ops whose result would take more than `limit` times the bytes of their operands and more than a megabyte (a
    broadcast is cheaper than its constant); sums of more than `work` products; `dequantize` (the stored integers
    are the compressed weights) unless asked for; tensors with a layout; the inside of kernels; ops that fail
    when run, for the run to report.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "16", "Largest growth from operands to result of more than a megabyte.">,
    Option<"work", "work", "int64_t", "int64_t(1) << 32", "Most products a contraction may take at compile time.">,
    Option<"dequantize", "dequantize", "bool", "false", "Fold dequantize of constants too.">,
  ];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Ops replaced by constants">,
  ];
}

def InferShapesPass : Pass<"hone-infer-shapes", "::mlir::func::FuncOp"> {
  let summary = "Makes types as static as operands allow.";
  let description = [{
    Recomputes the result types of all ops in order, looking through shape arithmetic. Types of `graph.if` follow from both
    regions, those of carried values of a `graph.loop` from the inits and the yield, function results from the return.

    Before:
    ```mlir
    func.func @f(%x: tensor<2x6xf32>) -> tensor<?x?xf32> {
      %s = graph.constant dense<[3, -1]> : tensor<2xi64>
      %0 = graph.reshape %x, %s : tensor<2x6xf32>, tensor<2xi64> -> tensor<?x?xf32>
      %1 = graph.unary<exp> %0 : tensor<?x?xf32> -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
      %s = graph.constant dense<[3, -1]> : tensor<2xi64>
      %0 = graph.reshape %x, %s : tensor<2x6xf32>, tensor<2xi64> -> tensor<3x4xf32>
      %1 = graph.unary<exp> %0 : tensor<3x4xf32> -> tensor<3x4xf32>
      return %1 : tensor<3x4xf32>
    }
    ```

    Left alone: function arguments; extents that are static already (a contradiction is an error); layouts; result types of
    private functions (their callers know them).
  }];
}

def SimplifyAlgebraPass : Pass<"hone-simplify-algebra", "::mlir::func::FuncOp"> {
  let summary = "Removes and cheapens ops by laws that hold for every input.";
  let description = [{
    Neutral and annihilating operands, powers that are products or roots, inverse and idempotent pairs, constants gathered at
    one end of associative chains, casts through wider types, permutations that move nothing, joins and selections with one
    outcome, broadcasts that the elementwise op behind them does itself. Which laws hold of which kind is read from
    `Elementwise.def` and the tables of this pass.

    Before:
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %two = graph.constant dense<2.0> : tensor<f32>
      %one = graph.constant dense<1.0> : tensor<f32>
      %0 = graph.binary<pow> %x, %two : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
      %1 = graph.binary<mul> %0, %one : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
      %2 = graph.transpose %1 perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
      %3 = graph.transpose %2 perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
      return %3 : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = graph.binary<mul> %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    Left alone: what would change a rounded result (sums and products of floats are not reordered, a division stays one unless its
    divisor is a power of two; only a power that becomes products or a root rounds as those do, and gives NaN for -inf and keeps -0 where
    `pow` does not); results whose type would change.
  }];
}

#endif // PASSES_SIMPLIFY_PASSES
