// Padding that depends on extents of the run, output shapes, offsets, columns.
// RUN: split-file %s %t
// RUN: %make-onnx %t/same.txt -o %t/same.onnx
// RUN: hone compile %t/same.onnx --emit=graph -o - | FileCheck %s --check-prefix=SAME
// RUN: %make-onnx %t/static.txt -o %t/static.onnx
// RUN: hone compile %t/static.onnx --emit=graph -o - | FileCheck %s --check-prefix=STATIC
// RUN: %make-onnx %t/transposed.txt -o %t/transposed.onnx
// RUN: hone compile %t/transposed.onnx --emit=graph -o - | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %make-onnx %t/deform.txt -o %t/deform.onnx
// RUN: hone compile %t/deform.onnx --emit=graph -o - | FileCheck %s --check-prefix=DEFORM
// RUN: %make-onnx %t/kernel.txt -o %t/kernel.onnx
// RUN: %refuses hone compile %t/kernel.onnx --emit=graph -o - | FileCheck %s --check-prefix=KERNEL

// Channels that only a run counts have no convolution with as many groups.
// RUN: %make-onnx %t/causal.txt -o %t/causal.onnx
// RUN: hone compile %t/causal.onnx --emit=graph -o - | FileCheck %s --check-prefix=CAUSAL
// RUN: hone compile %t/causal.onnx --dim c=4 --emit=graph -o - | FileCheck %s --check-prefix=DEPTHWISE

// SAME-LABEL: func.func @main
// SAME: %[[PADDED:.*]] = graph.pad<constant>
// SAME: graph.conv %[[PADDED]], {{.*}} strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]

// An odd total goes to the end for SAME_UPPER, to the begin for SAME_LOWER; the bias is a sum.
// STATIC-LABEL: func.func @main
// STATIC: graph.conv %{{.*}} strides [2, 1] dilations [1, 1] pads [0, 1, 1, 1]
// STATIC: graph.conv %{{.*}} strides [2, 1] dilations [1, 1] pads [1, 1, 0, 1]
// STATIC: graph.binary<add>

// TRANSPOSED-LABEL: func.func @main
// TRANSPOSED: graph.conv_transpose {{.*}} pads [0, 0, 0, 0] output_padding [1, 1]
// TRANSPOSED-SAME: tensor<1x2x10x8xf32>

// DEFORM-LABEL: func.func @main
// DEFORM: graph.grid_sample<linear> {{.*}} outside <zeros>
// DEFORM: graph.contract

// KERNEL: node 'c'{{.*}}error:{{.*}}'kernel_shape' holds 5 where the weights have extent 3

// CAUSAL-LABEL: func.func @main
// CAUSAL: graph.concat {{.*}} dim 2
// CAUSAL: graph.gather
// CAUSAL: graph.contract
// CAUSAL: graph.slice
// DEPTHWISE-LABEL: func.func @main
// DEPTHWISE: graph.conv {{.*}} groups 4

//--- same.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,h,w] x, float[8,3,3,3] k) => (float[1,8,n,m] y) {
  y = Conv<auto_pad = "SAME_UPPER", strides = [2, 2]>(x, k)
}
//--- static.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,8,8] x, float[8,3,3,3] k, float[8] b) => (float[1,8,4,8] y, float[1,8,4,8] z) {
  y = Conv<auto_pad = "SAME_UPPER", strides = [2, 1]>(x, k)
  z = Conv<auto_pad = "SAME_LOWER", strides = [2, 1]>(x, k, b)
}
//--- transposed.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,1,3,3] x, float[1,2,3,3] k) => (float[1,2,10,8] y) {
  y = ConvTranspose<strides = [3, 2], output_shape = [10, 8]>(x, k)
}
//--- deform.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,1,3,3] x, float[1,1,2,2] k, float[1,8,2,2] o) => (float[1,1,2,2] y) {
  y = DeformConv<kernel_shape = [2, 2]>(x, k, o)
}
//--- kernel.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,8,8] x, float[8,3,3,3] k) => (float[1,8,n,m] y) {
  [c] y = Conv<kernel_shape = [5, 3]>(x, k)
}
//--- causal.txt
<ir_version: 13, opset_import: ["" : 27]>
g (float[n,c,l] x, float[c,1,k] w, float[c] b, float[n,c,s] past) => (float[n,c,l] y, float[n,c,s] present) {
  y, present = CausalConvWithState<activation = "silu">(x, w, b, past)
}
