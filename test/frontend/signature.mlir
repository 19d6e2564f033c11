// Arguments and results carry the model's names, symbols and ranges; the module what is known of the model.
// RUN: %make-onnx %s -o %t.onnx
// RUN: hone compile %t.onnx --emit=graph -o - | FileCheck %s
// RUN: hone compile %t.onnx --emit=graph --dim=N=4 --dim=x.2=1..640 -o - | FileCheck %s --check-prefix=DIMS
// RUN: not hone compile %t.onnx --emit=graph --dim=M=4 -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: module
// CHECK-SAME: graph.model = "tiny"
// CHECK: func.func @main(%{{.*}}: tensor<?x3x?xf32> {graph.dims = ["N", unit, "x.2"], graph.name = "x"}
// CHECK-SAME: -> (tensor<?x3x?xf32> {graph.dims = ["N", unit, "{{.*}}"], graph.name = "y"})
// CHECK: graph.binary<max>

// DIMS: tensor<4x3x?xf32> {graph.dims = ["N", unit, "x.2"], graph.name = "x", graph.ranges = [unit, unit, array<i64: 1, 640>]}
// UNKNOWN: no input has a dynamic dimension 'M'; there are: N, x.2

<ir_version: 10, opset_import: ["" : 22]>
tiny (float[N, 3, ?] x) => (float[N, 3, ?] y) { [act] y = Relu(x) }
