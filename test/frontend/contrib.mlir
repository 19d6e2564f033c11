// Microsoft's operators become sentences over the graph's ops; what is not supported says which node and why.
// RUN: split-file %s %t
// RUN: %make-onnx %t/matmul.txt -o %t/matmul.onnx
// RUN: hone compile %t/matmul.onnx --emit=graph -o - | FileCheck %s --check-prefix=MATMUL
// RUN: %make-onnx %t/norm.txt -o %t/norm.onnx
// RUN: hone compile %t/norm.onnx --emit=graph -o - | FileCheck %s --check-prefix=NORM
// RUN: %make-onnx %t/simplified.txt -o %t/simplified.onnx --no-check
// RUN: hone compile %t/simplified.onnx --emit=graph -o - | FileCheck %s --check-prefix=RMS
// RUN: %make-onnx %t/nhwc.txt -o %t/nhwc.onnx
// RUN: hone compile %t/nhwc.onnx --emit=graph -o - | FileCheck %s --check-prefix=NHWC
// RUN: %make-onnx %t/nhwc-weights.txt -o %t/nhwc-weights.onnx
// RUN: hone compile %t/nhwc-weights.onnx --emit=graph -o - | FileCheck %s --check-prefix=WEIGHTS
// RUN: %make-onnx %t/packed.txt -o %t/packed.onnx
// RUN: hone compile %t/packed.onnx --emit=graph -o - | FileCheck %s --check-prefix=PACKED
// RUN: %make-onnx %t/refused.txt -o %t/refused.onnx
// RUN: %refuses hone compile %t/refused.onnx --emit=graph -o - | FileCheck %s --check-prefix=REFUSED

// MATMUL-LABEL: func.func @main
// MATMUL: graph.contract %arg0[0, 1, 3], %{{.*}} -> tensor<2x3x5xf32>
// MATMUL: graph.binary<mul>

// NORM-LABEL: func.func @main
// NORM: %[[SUM:.*]] = graph.binary<add> %arg0, %arg1
// NORM: graph.normalize<layer> %[[SUM]]
// NORM: return %{{.*}}, %[[SUM]]

// RMS-LABEL: func.func @main
// RMS: graph.normalize<rms> %arg0

// NHWC-LABEL: func.func @main
// NHWC: graph.transpose %arg0
// NHWC: graph.conv
// NHWC: graph.binary<max>
// NHWC: graph.transpose {{.*}} -> tensor<1x6x7x4xf32>

// NhwcConv has channels last in its weights as well.
// WEIGHTS-LABEL: func.func @main
// WEIGHTS: graph.transpose %arg1 perm [0, 3, 1, 2] : tensor<4x3x2x5xf32> -> tensor<4x5x3x2xf32>
// WEIGHTS: graph.conv

// Packed queries, keys and values are parts of one input.
// PACKED-LABEL: func.func @main
// PACKED-COUNT-3: graph.slice %arg0
// PACKED: graph.softmax
// PACKED: return {{.*}} : tensor<2x5x8xf32>

// REFUSED-DAG: node 'bits' (#0): error: MatMulNBits: attribute 'bits' is 5, not 2, 4 or 8
// REFUSED-DAG: node 'activation' (#1): error: FusedGemm: activation 'Softplus' is not supported
// REFUSED-DAG: node 'mask' (#2): error: Attention: a mask of rank 4 is not supported
// REFUSED-DAG: node 'type' (#3): error: QuickGelu: attribute 'alpha' is of the wrong type
// REFUSED-DAG: node 'newer' (#4): error: QuickGelu: attribute 'beta' is not supported
// REFUSED-DAG: node 'more' (#5): error: QuickGelu: input #1 is not supported

//--- matmul.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,3,4] a, float[2,5,4] b) => (float[2,3,5] y) {
  y = com.microsoft.FusedMatMul<transB = 1, alpha = 0.5>(a, b)
}
//--- norm.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,3,8] x, float[2,3,8] skip, float[8] gamma) => (float[2,3,8] y, float[2,3,8] sum) {
  y, , , sum = com.microsoft.SkipLayerNormalization(x, skip, gamma)
}
//--- simplified.txt
<ir_version: 9, opset_import: ["" : 17]>
g (float[2,3,8] x, float[8] gamma) => (float[2,3,8] y) {
  y = SimplifiedLayerNormalization<axis = -1, epsilon = 0.00001>(x, gamma)
}
//--- nhwc.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,6,7,3] x, float[4,3,3,3] w) => (float[1,6,7,4] y) {
  y = com.microsoft.NhwcFusedConv<pads = [1, 1, 1, 1], activation = "Relu">(x, w)
}
//--- nhwc-weights.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,6,7,5] x, float[4,3,2,5] w) => (float[1,4,6,4] y) {
  y = com.microsoft.NhwcConv(x, w)
}
//--- packed.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,5,2,3,4] x) => (float[2,5,8] y) {
  y = com.microsoft.MultiHeadAttention<num_heads = 2>(x)
}
//--- refused.txt
<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[3,64] a, uint8[5,2,16] b, float[10] scales, float[64,8] w, float[2,5,6] x, float[6,24] v, float[24] bias,
   int32[2,1,8,8] mask) => (float[3,5] p, float[3,8] q, float[2,5,8] r, float[3,64] s, float[3,64] t, float[3,64] u) {
  [bits] p = com.microsoft.MatMulNBits<K = 64, N = 5, bits = 5, block_size = 32>(a, b, scales)
  [activation] q = com.microsoft.FusedGemm<activation = "Softplus">(a, w)
  [mask] r = com.microsoft.Attention<num_heads = 2>(x, v, bias, mask)
  [type] s = com.microsoft.QuickGelu<alpha = 2>(a)
  [newer] t = com.microsoft.QuickGelu<beta = 2.0>(a)
  [more] u = com.microsoft.QuickGelu(a, w)
}
