//===- SamplingOps.td - Samples at computed positions, boxes -*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_SAMPLINGOPS
#define DIALECTS_GRAPH_IR_SAMPLINGOPS

include "dialects/Graph/IR/GraphBase.td"

def Graph_Outside : Graph_Cases<"Outside", "what a position outside a tensor means", [
  Case<"Zeros",0,"zeros">, Case<"Border",1,"border">, Case<"Reflection",2,"reflection">]>;
def Graph_OutsideAttr : Graph_EnumAttr<Graph_Outside, "outside">;

def Graph_GridSampleOp : Graph_PureOp<"grid_sample"> {
  let summary = "Samples a tensor at positions computed at run time.";
  let description = [{
    `input` is [N, C, spatial...] with S spatial dimensions, `grid` [N, points..., S], the result [N, C, points...]. A position
    counts elements (0 is the first element's centre), its coordinate along the last spatial dimension comes first. `nearest`
    rounds half to even, `linear` weighs 2 neighbours per dimension, `cubic` 4 (coefficient -0.75). First the position, where it is outside the
    input's borders (not for `cubic`), then the neighbours' positions are treated by `outside`: `zeros` reads 0, `border` clamps to the
    first or last element, `reflection` mirrors (the integer part after mirroring, for neighbours) at the borders. Borders are -0.5 and extent - 0.5; with `alignCorners` 0 and extent - 1.

    ```mlir
    %y = graph.grid_sample<linear> %x, %grid outside <zeros>
        : tensor<1x3x8x8xf32>, tensor<1x5x6x2xf32> -> tensor<1x3x5x6xf32>
    ```
  }];
  let arguments = (ins Graph_InterpolationAttr:$mode, Graph_Tensor:$input, Graph_Tensor:$grid, Graph_OutsideAttr:$outside,
                       UnitAttr:$alignCorners);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $mode $input `,` $grid `outside` $outside (`align_corners` $alignCorners^)? attr-dict `:`
    type($input) `,` type($grid) `->` type($result)
  }];
}

def Graph_RoiAlignOp : Graph_PureOp<"roi_align"> {
  let summary = "Pools regions of images into tensors of one size.";
  let description = [{
    `input` is [N, C, H, W]; region r is `rois`[r] = (x1, y1, x2, y2) times `scale`, minus 0.5 with `halfPixel`, of image `batch`[r].
    Without `halfPixel` a region's sides are at least 1. The region is cut into `size` bins; each averages (`avg`) `sampling` x
    `sampling` points, spread evenly, of bilinear interpolation; `sampling` 0 takes ceil(side of bin) points along each side. `max` is the largest of
    the four weighted neighbours over all points. Points beyond -1 or the extent count as 0, others are clamped into the image. The
    result is [regions, C, size...].

    ```mlir
    %y = graph.roi_align<avg> %x, %rois, %batch size [7, 7] sampling 2 scale 0.25 half_pixel
        : tensor<1x8x32x32xf32>, tensor<5x4xf32>, tensor<5xi64> -> tensor<5x8x7x7xf32>
    ```
  }];
  let arguments = (ins Graph_PoolKindAttr:$kind, Graph_Tensor:$input, Graph_Tensor:$rois, Graph_IndexTensor:$batch,
                       DenseI64ArrayAttr:$size, I64Attr:$sampling, F64Attr:$scale, UnitAttr:$halfPixel);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $rois `,` $batch `size` $size `sampling` $sampling `scale` $scale (`half_pixel` $halfPixel^)? attr-dict
    `:` type($input) `,` type($rois) `,` type($batch) `->` type($result)
  }];
}

def Graph_NmsOp : Graph_PureOp<"nms"> {
  let summary = "Best boxes that do not overlap better ones much.";
  let description = [{
    `boxes` is [N, B, 4], `scores` [N, classes, B]. For each image, then each class: boxes with a score above `scoreThreshold`, best
    first (equal scores: lower position first), are taken unless their intersection over union with one already taken is above
    `iouThreshold`, at most `limit` of them. A box is (y1, x1, y2, x2), any two opposite corners, or with `centers` (x, y, width, height). `selected` has room for
    N * classes * min(B, limit) rows (image, class, box); the first `count` are meaningful, the others 0.

    ```mlir
    %s, %n = graph.nms %boxes, %scores, %limit, %iou, %score
        : tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<1xi64>, tensor<f32>, tensor<f32> -> tensor<?x3xi64>, tensor<1xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$boxes, Graph_Tensor:$scores, Graph_ShapeTensor:$limit, TensorRankOf<[F32], [0]>:$iouThreshold,
                       TensorRankOf<[F32], [0]>:$scoreThreshold, UnitAttr:$centers);
  let results = (outs RankedTensorOf<[I64]>:$selected, Graph_ShapeTensor:$count);
  let assemblyFormat = [{
    $boxes `,` $scores `,` $limit `,` $iouThreshold `,` $scoreThreshold (`centers` $centers^)? attr-dict `:` type($boxes) `,` type($scores) `,`
    type($limit) `,` type($iouThreshold) `,` type($scoreThreshold) `->` type($selected) `,` type($count)
  }];
}

#endif // DIALECTS_GRAPH_IR_SAMPLINGOPS
