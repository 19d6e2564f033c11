//===- Passes.td - Quantization passes ---------------------*- tablegen -*-===//

#ifndef PASSES_QUANTIZATION_PASSES
#define PASSES_QUANTIZATION_PASSES

include "mlir/Pass/PassBase.td"

def ObserveRangesPass : Pass<"hone-observe-ranges", "::mlir::ModuleOp"> {
  let summary = "Runs the graph on examples and notes how large its values are.";
  let description = [{
    Where every argument of a function has an attribute `graph.example`, the reference interpreter runs the function on
    these tensors. Arguments and ops get the ends of their elements, a pair for each result, which
    `hone-reduce-precision` takes instead of its predictions, and takes away. An op that the run does not come to, in a
    branch, gets `inf` and `-inf`.

    Before:
    ```mlir
    func.func @main(%x: tensor<2xf32> {graph.example = dense<[3.0, -500.0]> : tensor<2xf32>}) -> tensor<2xf32> {
      %0 = graph.binary<mul> %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<2xf32> {graph.observed = array<f64: -500.0, 3.0>}) -> tensor<2xf32> {
      %0 = graph.binary<mul> %x, %x {graph.observed = array<f64: 9.0, 250000.0>} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    ```

    Left alone: functions with an argument without example, constants, integers.
  }];
  let statistics = [
    Statistic<"numOps", "ops", "Number of ops whose results were observed">,
  ];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

def ReducePrecisionPass : Pass<"hone-reduce-precision", "::mlir::ModuleOp"> {
  let summary = "Weights and what lies in memory in f16 or bf16; products in tf32.";
  let description = [{
    Contractions get factors of halves and go on adding in f32. What kernels hand to each other is rounded when it is
    written; inside of them everything is f32. What only moves elements, or computes in f32 anyway (softmax,
    normalizations, averages), works on halves as they are. Tables that ops pick from become halves. Inputs and outputs of the
    function, branches and loops keep their types.

    Where the target has no arithmetic on the type (`nativeTypes`, `matrixTypes`), reading halves costs more than memory saves:
    weights and tables alone become halves.

    Before:
    ```mlir
    %0 = graph.conv %x, %w ... to f32 : tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x9x9xf32>
    %1 = graph.binary<max> %0, %zero : tensor<1x8x9x9xf32>, tensor<f32> -> tensor<1x8x9x9xf32>
    %2 = graph.conv %1, %v ... to f32 : tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x9x9xf32>
    ```
    After (the casts of constants fold):
    ```mlir
    %a = graph.cast %x to f16 : tensor<1x8x9x9xf32> -> tensor<1x8x9x9xf16>
    %b = graph.cast %w to f16 : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf16>
    %0 = graph.conv %a, %b ... to f32 : tensor<1x8x9x9xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x9x9xf32>
    %1 = graph.binary<max> %0, %zero : tensor<1x8x9x9xf32>, tensor<f32> -> tensor<1x8x9x9xf32>
    %c = graph.cast %1 to f16 : tensor<1x8x9x9xf32> -> tensor<1x8x9x9xf16>
    %d = graph.cast %v to f16 : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf16>
    %2 = graph.conv %c, %d ... to f32 : tensor<1x8x9x9xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x9x9xf32>
    ```

    With `tf32` nothing is stored differently: the module says that products of f32 may be rounded.

    Left alone, with a remark: what reads positions, thresholds or ties; steep functions, powers and what is computed from integers;
    values predicted to leave the range of the type; contractions with constants that are too large or too small for it. Left
    alone without: f64, and what is half already.
  }];
  let options = [
    Option<"type", "type", "std::string", /*default=*/"\"f16\"", "f16, bf16 or tf32">,
  ];
  let statistics = [
    Statistic<"numContractions", "contractions", "Number of contractions with factors of halves">,
    Statistic<"numValues", "values", "Number of values stored in half">,
  ];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

def WidenContractionsPass : Pass<"hone-widen-contractions", "::mlir::func::FuncOp"> {
  let summary = "Contractions of halves read f32 activations where registers hold no halves.";
  let description = [{
    A machine that has no arithmetic on halves would convert an activation every time a kernel reads it, once for each panel of
    weights. Converted by the op that makes it, it is converted once. Weights stay halves: kernels convert
    whole vectors of them, and they come from far away.

    Before:
    ```mlir
    %y = graph.contract %x[0, 1], %w[1, 2] to f16 [0, 2] : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<4x16xf16>
    ```
    After:
    ```mlir
    %0 = graph.cast %x to f32 : tensor<4x8xf16> -> tensor<4x8xf32>
    %1 = graph.contract %0[0, 1], %w[1, 2] to f32 [0, 2] : tensor<4x8xf32>, tensor<8x16xf16> -> tensor<4x16xf32>
    %y = graph.cast %1 to f16 : tensor<4x16xf32> -> tensor<4x16xf16>
    ```

    Left alone: types that the target computes with, and everything on machines whose kernels keep no tiles in vector registers.
  }];
  let dependentDialects = ["::hone::graph::GraphDialect"];
}

#endif // PASSES_QUANTIZATION_PASSES
