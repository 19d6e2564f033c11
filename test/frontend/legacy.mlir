// Old operators keep their old meaning: broadcasts along an axis, softmax over several dimensions, slopes per channel.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/axis.txt -o %t/axis.onnx --no-check
// RUN: hone compile %t/axis.onnx --emit=graph -o - | FileCheck %s

// Opset 8 scans a batch of sequences.
// RUN: %make-onnx %t/scan.txt -o %t/scan.onnx --no-check
// RUN: hone compile %t/scan.onnx --emit=graph -o - | FileCheck %s --check-prefix=SCAN
// RUN: %npy make %t/start.npy f4 1 10 100 --shape=3x1
// RUN: %npy arange %t/x.npy f4 3x2x1
// RUN: hone run %t/scan.onnx --input start=%t/start.npy --input x=%t/x.npy --output-dir %t/out
// RUN: %npy show %t/out/last.npy | FileCheck %s --check-prefix=LAST
// RUN: %npy show %t/out/sums.npy | FileCheck %s --check-prefix=SUMS

// CHECK-LABEL: func.func @main
// CHECK: graph.reshape {{.*}} : tensor<3xf32>, tensor<2xi64> -> tensor<3x1xf32>
// CHECK: graph.binary<add> {{.*}} : tensor<2x3x4xf32>, tensor<3x1xf32> -> tensor<2x3x4xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x12xf32>
// CHECK: graph.softmax {{.*}} dim 1 : tensor<2x12xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x3x4xf32>
// CHECK: graph.reshape {{.*}} : tensor<3xf32>, tensor<2xi64> -> tensor<3x1xf32>
// CHECK: graph.select

// SCAN-LABEL: func.func @main
// SCAN: graph.loop
// SCAN: graph.loop

// LAST: float32 3x1
// LAST-NEXT: 2 15 109
// SUMS: float32 3x2x1
// SUMS-NEXT: 2 2 13 15 105 109

//--- axis.txt
<ir_version: 3, opset_import: ["" : 6]>
g (float[2, 3, 4] x, float[3] b, float[3] slope) => (float[2, 3, 4] y) {
  s = Add<broadcast = 1, axis = 1>(x, b)
  t = Softmax<axis = 1>(s)
  y = PRelu(t, slope)
}
//--- scan.txt
<ir_version: 3, opset_import: ["" : 8]>
g (float[b,1] start, float[b,k,1] x) => (float[b,1] last, float[b,k,1] sums) {
  last, sums = Scan<num_scan_inputs = 1, directions = [1], body = each (float[1] sum, float[1] next) => (float[1] more, float[1] out) {
    more = Add(sum, next)
    out = Identity(more)
  }>("", start, x)
}
