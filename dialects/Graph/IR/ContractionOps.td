//===- ContractionOps.td - Sums of products, windows -------*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_CONTRACTIONOPS
#define DIALECTS_GRAPH_IR_CONTRACTIONOPS

include "dialects/Graph/IR/GraphBase.td"

def Graph_ContractOp : Graph_PureOp<"contract", [Graph_ContractionOpInterface, Graph_EpilogueOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Product of two tensors, summed over the indices the result lacks.";
  let description = [{
    Every dimension of the operands and the result carries an index number; indices absent from `resultDims`
    are summed over. No broadcasting: equal indices have equal extents; an index occurs once per tensor. Products and sums are
    computed in the element type of the result (f32 for f16 and bf16 results, rounded once), integers of any signedness
    are extended to it first.

    ```mlir
    // batched matrix product: b=0 m=1 n=2 k=3
    %y = graph.contract %a[0, 1, 3], %b[0, 3, 2] to f32 [0, 1, 2]
        : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, DenseI64ArrayAttr:$lhsDims, DenseI64ArrayAttr:$rhsDims,
                       DenseI64ArrayAttr:$resultDims, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $lhs `` $lhsDims `,` $rhs `` $rhsDims `to` $to $resultDims attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let moreDeclarations = [{
    ::mlir::Value getActivations() { return getLhs(); }
    ::mlir::Value getWeights() { return getRhs(); }
    ::hone::graph::HalfSafety getHalfSafety() { return ::hone::graph::HalfSafety::Activation; }
  }];
}

class Graph_WindowArguments<dag first> {
  dag arguments = !con(first, (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads));
}

def Graph_ConvOp : Graph_PureOp<"conv", [Graph_ContractionOpInterface, Graph_EpilogueOpInterface, Graph_WindowOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Convolution (cross-correlation) over any number of spatial dimensions.";
  let description = [{
    `input` is [N, C, spatial...], `weights` [O, C / groups, window...], the result [N, O, spatial...]. `pads`
    holds all begins, then all ends. Products and sums as in `contract`.

    ```mlir
    %y = graph.conv %x, %w strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
        : tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weights, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads, I64Attr:$groups, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weights `strides` $strides `dilations` $dilations `pads` $pads `groups` $groups `to` $to attr-dict `:`
    type($input) `,` type($weights) `->` type($result)
  }];
  let moreDeclarations = [{
    ::mlir::Value getActivations() { return getInput(); }
    ::hone::graph::HalfSafety getHalfSafety() { return ::hone::graph::HalfSafety::Activation; }
    ::llvm::SmallVector<int64_t> getWindowExtents();
    ::llvm::SmallVector<int64_t> getWindowStrides() { return ::llvm::to_vector(getStrides()); }
    ::llvm::SmallVector<int64_t> getWindowDilations() { return ::llvm::to_vector(getDilations()); }
    ::llvm::SmallVector<int64_t> getWindowPads() { return ::llvm::to_vector(getPads()); }
  }];
}

def Graph_ConvTransposeOp : Graph_PureOp<"conv_transpose", [Graph_ContractionOpInterface, Graph_EpilogueOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Transposed convolution: every input element adds a scaled window to the output.";
  let description = [{
    `input` is [N, C, spatial...], `weights` [C, O / groups, window...]. Extent of the result:
    (in - 1) * stride + (window - 1) * dilation + 1 + outputPadding - pad begin - pad end.

    ```mlir
    %y = graph.conv_transpose %x, %w strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
        : tensor<1x24x80x80xf32>, tensor<24x1x2x2xf32> -> tensor<1x1x160x160xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weights, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$outputPadding,
                       I64Attr:$groups, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weights `strides` $strides `dilations` $dilations `pads` $pads `output_padding` $outputPadding
    `groups` $groups `to` $to attr-dict `:` type($input) `,` type($weights) `->` type($result)
  }];
  let moreDeclarations = [{
    ::mlir::Value getActivations() { return getInput(); }
    ::hone::graph::HalfSafety getHalfSafety() { return ::hone::graph::HalfSafety::Activation; }
  }];
}

def Graph_PoolOp : Graph_PureOp<"pool", [Graph_WindowOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Maximum, average or p-norm of a sliding window.";
  let description = [{
    `input` is [N, C, spatial...]. With `ceilMode` the last window may hang over the padded end, but must start
    inside the input or its begin padding. `avg` divides by the number of elements inside the input, or with `countPad` inside the padded input.
    `lp` is (sum |x|^p)^(1/p).

    ```mlir
    %y = graph.pool<max> %x window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1]
        : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Graph_PoolKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads, DefaultValuedAttr<BoolAttr, "false">:$ceilMode,
                       DefaultValuedAttr<BoolAttr, "false">:$countPad, DefaultValuedAttr<I64Attr, "2">:$p);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `window` $window `strides` $strides `dilations` $dilations `pads` $pads attr-dict `:`
    type($input) `->` type($result)
  }];
  let moreDeclarations = [{
    ::hone::graph::HalfSafety getHalfSafety();
    ::llvm::SmallVector<int64_t> getWindowExtents() { return ::llvm::to_vector(getWindow()); }
    ::llvm::SmallVector<int64_t> getWindowStrides() { return ::llvm::to_vector(getStrides()); }
    ::llvm::SmallVector<int64_t> getWindowDilations() { return ::llvm::to_vector(getDilations()); }
    ::llvm::SmallVector<int64_t> getWindowPads() { return ::llvm::to_vector(getPads()); }
  }];
}

def Graph_MaxPoolIndicesOp : Graph_PureOp<"max_pool_indices"> {
  let summary = "Position of the maximum of every window, in the flattened input.";
  let description = [{
    Arguments as in `pool<max>`. The position counts all dimensions, spatial ones in row-major order or, with `columnMajor`,
    the first spatial dimension fastest. The first maximum wins.

    ```mlir
    %i = graph.max_pool_indices %x window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
        : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads, DefaultValuedAttr<BoolAttr, "false">:$ceilMode,
                       DefaultValuedAttr<BoolAttr, "false">:$columnMajor);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $input `window` $window `strides` $strides `dilations` $dilations `pads` $pads attr-dict `:`
    type($input) `->` type($result)
  }];
}

#endif // DIALECTS_GRAPH_IR_CONTRACTIONOPS
