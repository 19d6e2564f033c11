//===- ReductionOps.td - Many elements meet in one ---------*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_REDUCTIONOPS
#define DIALECTS_GRAPH_IR_REDUCTIONOPS

include "dialects/Graph/IR/GraphBase.td"

def Graph_ReduceOp : Graph_PureOp<"reduce", [Graph_ReductionOpInterface, Graph_EpilogueOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Sum, product, minimum, maximum, all or any along dimensions.";
  let description = [{
    f16 and bf16 accumulate in f32. Without elements: 0, 1, +inf or the largest integer, -inf or the smallest, true, false. `min`
    and `max` propagate NaN.

    ```mlir
    %y = graph.reduce<sum> %x dims [1, 2] keep : tensor<2x3x4xf32> -> tensor<2x1x1xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepDims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`` $kind $input `dims` $dims (`keep` $keepDims^)? attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return ::llvm::to_vector(getDims()); }
    bool takesEpilogue() { return false; }
    bool takesPrologue() { return true; }
    ::hone::graph::HalfSafety getHalfSafety();
  }];
}

def Graph_ArgReduceOp : Graph_PureOp<"arg_reduce", [Graph_ReductionOpInterface, Graph_EpilogueOpInterface]> {
  let summary = "Position of the smallest or largest element along a dimension.";
  let description = [{
    The first such position, or the last with `last`.

    ```mlir
    %i = graph.arg_reduce<max> %x dim 1 keep : tensor<2x3xf32> -> tensor<2x1xi64>
    ```
  }];
  let arguments = (ins Graph_ArgKindAttr:$kind, Graph_Tensor:$input, I64Attr:$dim, UnitAttr:$keepDims, UnitAttr:$last);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "`` $kind $input `dim` $dim (`keep` $keepDims^)? (`last` $last^)? attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return {static_cast<int64_t>(getDim())}; }
    bool takesEpilogue() { return false; }
    bool takesPrologue() { return true; }
  }];
}

def Graph_ScanOp : Graph_PureOp<"scan"> {
  let summary = "Running sum or product along a dimension.";
  let description = [{
    `exclusive` leaves the element itself out, `reverse` runs from the end.

    ```mlir
    %y = graph.scan<add> %x dim 0 : tensor<5xf32> -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Graph_ScanKindAttr:$kind, Graph_Tensor:$input, I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`` $kind $input `dim` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($input) `->` type($result)";
}

def Graph_SoftmaxOp : Graph_PureOp<"softmax", [Graph_ReductionOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along a dimension, or its logarithm.";
  let description = [{
    ```mlir
    %y = graph.softmax %x dim 1 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, UnitAttr:$log);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `dim` $dim (`log` $log^)? attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return {static_cast<int64_t>(getDim())}; }
    ::hone::graph::HalfSafety getHalfSafety() {
      return getLog() ? ::hone::graph::HalfSafety::Single : ::hone::graph::HalfSafety::Unit;
    }
  }];
}

def Graph_NormalizeOp : Graph_PureOp<"normalize", [Graph_ReductionOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Subtracts the mean and divides by the standard deviation along dimensions.";
  let description = [{
    `layer`: (x - mean) / sqrt(variance + epsilon), population variance; `rms`: x / sqrt(mean(x^2) + epsilon). Scale
    and shift are elementwise ops behind it. f16 and bf16 compute in f32.

    ```mlir
    %y = graph.normalize<layer> %x dims [2] epsilon 1.0e-5 : tensor<2x8x64xf32> -> tensor<2x8x64xf32>
    ```
  }];
  let arguments = (ins Graph_NormKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`` $kind $input `dims` $dims `epsilon` $epsilon attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return ::llvm::to_vector(getDims()); }
    ::hone::graph::HalfSafety getHalfSafety() { return ::hone::graph::HalfSafety::Activation; }
  }];
}

def Graph_NonZeroOp : Graph_PureOp<"nonzero"> {
  let summary = "Positions of the elements that are not zero, row-major.";
  let description = [{
    `positions` has room for every element; the first `count` columns are meaningful, the others 0. A `slice`
    with `count` behind it gives the exact tensor.

    ```mlir
    %p, %n = graph.nonzero %x : tensor<2x3xf32> -> tensor<2x6xi64>, tensor<1xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs RankedTensorOf<[I64]>:$positions, Graph_ShapeTensor:$count);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($positions) `,` type($count)";
}

def Graph_TopKOp : Graph_PureOp<"topk"> {
  let summary = "The k largest or smallest elements along a dimension and their positions.";
  let description = [{
    Sorted; equal elements in order of position. `k` is a 1-element tensor.

    ```mlir
    %v, %i = graph.topk %x, %k dim 1 largest : tensor<2x5xf32>, tensor<1xi64> -> tensor<2x3xf32>, tensor<2x3xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShapeTensor:$k, I64Attr:$dim, UnitAttr:$largest);
  let results = (outs Graph_Tensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$input `,` $k `dim` $dim (`largest` $largest^)? attr-dict `:` type($input) `,` type($k) `->` type($values) `,` type($indices)";
}

#endif // DIALECTS_GRAPH_IR_REDUCTIONOPS
