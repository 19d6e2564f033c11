// Shapes, axes and bounds that the model computes, and those that are known.
// RUN: split-file %s %t
// RUN: %make-onnx %t/reshape.txt -o %t/reshape.onnx
// RUN: hone compile %t/reshape.onnx --emit=graph -o - | FileCheck %s --check-prefix=RESHAPE
// RUN: %make-onnx %t/slice.txt -o %t/slice.onnx
// RUN: hone compile %t/slice.onnx --emit=graph -o - | FileCheck %s --check-prefix=SLICE
// RUN: %make-onnx %t/squeeze.txt -o %t/squeeze.onnx
// RUN: hone compile %t/squeeze.onnx --emit=graph -o - | FileCheck %s --check-prefix=SQUEEZE
// RUN: %make-onnx %t/pad.txt -o %t/pad.onnx
// RUN: hone compile %t/pad.onnx --emit=graph -o - | FileCheck %s --check-prefix=PAD
// RUN: %make-onnx %t/split.txt -o %t/split.onnx
// RUN: %refuses hone compile %t/split.onnx --emit=graph -o - | FileCheck %s --check-prefix=SPLIT
// RUN: %make-onnx %t/twice.txt -o %t/twice.onnx
// RUN: %refuses hone compile %t/twice.onnx --emit=graph -o - | FileCheck %s --check-prefix=TWICE

// 0 takes over the input's extent, dynamic or not.
// RESHAPE-LABEL: func.func @main
// RESHAPE: graph.reshape {{.*}} -> tensor<?x12xf32>

// Axes computed by the model: all dimensions are sliced.
// SLICE-LABEL: func.func @main
// SLICE: graph.scatter_elements<assign>
// SLICE: graph.slice {{.*}} dims [0, 1] : tensor<20x10xf32>

// SQUEEZE-LABEL: func.func @main
// SQUEEZE: graph.nonzero
// SQUEEZE: graph.reshape {{.*}} -> tensor<?x?xf32>

// PAD-LABEL: func.func @main
// PAD: %[[PADS:.*]] = graph.constant dense<[0, 1, 0, 0, 2, 0]>
// PAD: graph.pad<edge> %arg0, %[[PADS]], %{{.*}} -> tensor<2x6x4xf32>

// SPLIT: node 's'{{.*}}error:{{.*}}the sizes of 'split' add up to 5, the extent is 6
// TWICE: node 't'{{.*}}error:{{.*}}

//--- reshape.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[n,3,4] x) => (float[n,12] y) {
  s = Constant<value_ints = [0, -1]>()
  y = Reshape(x, s)
}
//--- slice.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[20,10] x, int64[1] starts, int64[1] ends, int64[1] axes) => (float[a,b] y) {
  y = Slice(x, starts, ends, axes)
}
//--- squeeze.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,4] x, int64[1] axes) => (float[3,4] y) {
  y = Squeeze(x, axes)
}
//--- pad.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[2,3,4] x) => (float[2,6,4] y) {
  pads = Constant<value_ints = [1, 2]>()
  axes = Constant<value_ints = [-2]>()
  y = Pad<mode = "edge">(x, pads, , axes)
}
//--- split.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[6] x) => (float[2] a, float[3] b) {
  sizes = Constant<value_ints = [2, 3]>()
  [s] a, b = Split<axis = 0>(x, sizes)
}
//--- twice.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[6,4] x) => (float[a,b] y) {
  [t] y = Transpose<perm = [1, 1]>(x)
}
