//===- MovementOps.td - Elements change places -------------*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_MOVEMENTOPS
#define DIALECTS_GRAPH_IR_MOVEMENTOPS

include "dialects/Graph/IR/GraphBase.td"

def Graph_ConstantOp : Graph_ShapedOp<"constant", [Pure, ConstantLike]> {
  let summary = "A tensor known at compile time.";
  let description = [{
    Large weights are resources and never printed; splats stay splats.

    ```mlir
    %c = graph.constant dense<1.0> : tensor<3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_RangeOp : Graph_PureOp<"range", [AllTypesMatch<["start", "limit", "delta"]>, Graph_HalfSafetyOpInterface]> {
  let summary = "start, start + delta, ... before limit.";
  let description = [{
    Extent: max(ceil((limit - start) / delta), 0). The scalars are rank-0 tensors.

    ```mlir
    %r = graph.range %start, %limit, %delta : tensor<i64> -> tensor<?xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$start, Graph_Tensor:$limit, Graph_Tensor:$delta);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$start `,` $limit `,` $delta attr-dict `:` type($start) `->` type($result)";
  let moreDeclarations = [{ ::hone::graph::HalfSafety getHalfSafety() { return ::hone::graph::HalfSafety::Counts; } }];
}

def Graph_ShapeOp : Graph_PureOp<"shape", [Graph_HalfSafetyOpInterface]> {
  let summary = "The extents of a tensor.";
  let description = [{
    ```mlir
    %s = graph.shape %x : tensor<2x?xf32> -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_ShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Graph_ReshapeOp : Graph_PureOp<"reshape", [Graph_ViewOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "The same elements, row-major, under another shape.";
  let description = [{
    At most one element of `shape` is -1 and stands for what is left. 0 is an extent of 0.

    ```mlir
    %y = graph.reshape %x, %shape : tensor<2x12xf32>, tensor<3xi64> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShapeTensor:$shape);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $shape attr-dict `:` type($input) `,` type($shape) `->` type($result)";
  let moreDeclarations = [{ bool isView(); }];
  let hasFolder = 1;
}

def Graph_TransposeOp : Graph_PureOp<"transpose", [Graph_ViewOpInterface, Graph_HalfSafetyOpInterface]> {
  let summary = "Permutes dimensions.";
  let description = [{
    Dimension i of the result is dimension `perm[i]` of the input. Where only extents of 1 move it is a view.

    ```mlir
    %y = graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `perm` $perm attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{ bool isView(); }];
  let hasFolder = 1;
}

def Graph_BroadcastOp : Graph_PureOp<"broadcast", [Graph_HalfSafetyOpInterface]> {
  let summary = "Stretches extents of 1.";
  let description = [{
    The result has exactly the extents `shape`; the input's, aligned at the last dimension, are equal to them or 1.

    ```mlir
    %y = graph.broadcast %x, %shape : tensor<3x1xf32>, tensor<3xi64> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShapeTensor:$shape);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $shape attr-dict `:` type($input) `,` type($shape) `->` type($result)";
  let hasFolder = 1;
}

def Graph_TileOp : Graph_PureOp<"tile", [Graph_HalfSafetyOpInterface]> {
  let summary = "Repeats a tensor along its dimensions.";
  let description = [{
    ```mlir
    %y = graph.tile %x, %repeats : tensor<2x3xf32>, tensor<2xi64> -> tensor<4x9xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShapeTensor:$repeats);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $repeats attr-dict `:` type($input) `,` type($repeats) `->` type($result)";
}

def Graph_SliceOp : Graph_PureOp<"slice", [Graph_HalfSafetyOpInterface]> {
  let summary = "Every step-th element from start to end along dimensions.";
  let description = [{
    One start, end and step for each of `dims`; the other dimensions are kept. Bounds as in ONNX Slice: negative ones
    count from the end, out-of-range ones are clamped; a negative step runs backwards; a step of 0 is an error.

    ```mlir
    %y = graph.slice %x[%starts, %ends, %steps] dims [1]
        : tensor<2x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShapeTensor:$starts, Graph_ShapeTensor:$ends, Graph_ShapeTensor:$steps,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $starts `,` $ends `,` $steps `]` `dims` $dims attr-dict `:`
    type($input) `,` type($starts) `,` type($ends) `,` type($steps) `->` type($result)
  }];
  let hasFolder = 1;
}

def Graph_PadOp : Graph_PureOp<"pad", [Graph_HalfSafetyOpInterface]> {
  let summary = "Adds or (negative pads) removes elements at the ends of dimensions.";
  let description = [{
    `pads` holds all begins, then all ends. `value` is a scalar for mode `constant`. `reflect` does not repeat the border element.

    ```mlir
    %y = graph.pad<constant> %x, %pads, %zero : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Graph_PadModeAttr:$mode, Graph_Tensor:$input, Graph_ShapeTensor:$pads, Graph_Tensor:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $mode $input `,` $pads `,` $value attr-dict `:` type($input) `,` type($pads) `,` type($value) `->` type($result)
  }];
  let hasFolder = 1;
}

def Graph_ConcatOp : Graph_PureOp<"concat", [Graph_HalfSafetyOpInterface]> {
  let summary = "Joins tensors along a dimension.";
  let description = [{
    ```mlir
    %y = graph.concat %a, %b dim 1 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x7xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs) `->` type($result)";
  let hasFolder = 1;
}

def Graph_GatherOp : Graph_PureOp<"gather", [Graph_HalfSafetyOpInterface]> {
  let summary = "Picks slices along a dimension.";
  let description = [{
    result[..., i..., ...] = input[..., indices[i...], ...]. Negative indices count from the end.

    ```mlir
    %y = graph.gather %x, %i dim 0 : tensor<9x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `dim` $dim attr-dict `:` type($input) `,` type($indices) `->` type($result)";
}

def Graph_GatherElementsOp : Graph_PureOp<"gather_elements", [Graph_HalfSafetyOpInterface]> {
  let summary = "Picks one element per position along a dimension.";
  let description = [{
    result[i, j] = input[indices[i, j], j] for dim 0.

    ```mlir
    %y = graph.gather_elements %x, %i dim 0 : tensor<3x4xf32>, tensor<2x4xi64> -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `dim` $dim attr-dict `:` type($input) `,` type($indices) `->` type($result)";
}

def Graph_GatherNDOp : Graph_PureOp<"gather_nd", [Graph_HalfSafetyOpInterface]> {
  let summary = "Picks slices by index tuples.";
  let description = [{
    The last dimension of `indices` holds tuples into the dimensions of `input` after `batchDims` shared ones.

    ```mlir
    %y = graph.gather_nd %x, %i batch 0 : tensor<2x3x4xf32>, tensor<5x2xi64> -> tensor<5x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, I64Attr:$batchDims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `batch` $batchDims attr-dict `:` type($input) `,` type($indices) `->` type($result)";
}

def Graph_ScatterElementsOp : Graph_PureOp<"scatter_elements", [Graph_HalfSafetyOpInterface]> {
  let summary = "Writes one element per position along a dimension.";
  let description = [{
    result = input; result[indices[i, j], j] op= updates[i, j] for dim 0, in row-major order of updates.

    ```mlir
    %y = graph.scatter_elements<assign> %x, %i, %u dim 0
        : tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Graph_ScatterKindAttr:$kind, Graph_Tensor:$input, Graph_IndexTensor:$indices, Graph_Tensor:$updates, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $indices `,` $updates `dim` $dim attr-dict `:`
    type($input) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let moreDeclarations = [{ ::hone::graph::HalfSafety getHalfSafety(); }];
}

def Graph_ScatterNDOp : Graph_PureOp<"scatter_nd", [Graph_HalfSafetyOpInterface]> {
  let summary = "Writes slices by index tuples.";
  let description = [{
    result = input; result[indices[i...], ...] op= updates[i..., ...], in row-major order of updates.

    ```mlir
    %y = graph.scatter_nd<add> %x, %i, %u : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_ScatterKindAttr:$kind, Graph_Tensor:$input, Graph_IndexTensor:$indices, Graph_Tensor:$updates);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $indices `,` $updates attr-dict `:` type($input) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let moreDeclarations = [{ ::hone::graph::HalfSafety getHalfSafety(); }];
}

def Graph_ResizeOp : Graph_PureOp<"resize", [Graph_HalfSafetyOpInterface]> {
  let summary = "Samples a tensor on another grid.";
  let description = [{
    `sizes` are the extents of the result, one per dimension; `scales` the ratios that the coordinate mapping uses, one per dimension
    (result = floor(extent * scale) where the model gave scales). `roi` holds all starts, then all ends, in [0, 1], for
    `tf_crop_and_resize`, whose samples outside the input are `extrapolation`. Semantics of ONNX Resize, opset 19.

    ```mlir
    %y = graph.resize<nearest> %x, %sizes, %scales coordinate <asymmetric> nearest <floor>
        : tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<1x8x8x8xf32>
    ```
  }];
  let arguments = (ins Graph_InterpolationAttr:$mode, Graph_Tensor:$input, Graph_ShapeTensor:$sizes, TensorRankOf<[F32], [1]>:$scales,
                       Optional<TensorRankOf<[F32], [1]>>:$roi, Graph_CoordinateAttr:$coordinate, Graph_NearestAttr:$nearest,
                       DefaultValuedAttr<F64Attr, "-0.75">:$cubicCoefficient, DefaultValuedAttr<BoolAttr, "false">:$excludeOutside,
                       DefaultValuedAttr<BoolAttr, "false">:$antialias, DefaultValuedAttr<F64Attr, "0.0">:$extrapolation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $mode $input `,` $sizes `,` $scales (`roi` $roi^)? `coordinate` $coordinate `nearest` $nearest attr-dict `:`
    type($input) `,` type($sizes) `,` type($scales) (`,` type($roi)^)? `->` type($result)
  }];
  let moreDeclarations = [{
    ::hone::graph::HalfSafety getHalfSafety();
    bool isHalfOperand(::mlir::OpOperand &operand) { return operand.getOperandNumber() == 0; }
  }];
}

#endif // DIALECTS_GRAPH_IR_MOVEMENTOPS
