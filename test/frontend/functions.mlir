// The model's own functions are inlined, with the default values of their attributes.
// RUN: %make-onnx %s -o %t.onnx
// RUN: hone compile %t.onnx --emit=graph -o - | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-DAG: graph.constant dense<2.000000e+00>
// CHECK-DAG: graph.constant dense<3.000000e+00>
// CHECK: graph.binary<mul>
// CHECK: graph.binary<mul>

<ir_version: 10, opset_import: ["" : 22, "local" : 1]>
g (float[4] x) => (float[4] y) {
  a = local.Scale(x)
  y = local.Scale<factor = 3.0>(a)
}
<domain: "local", opset_import: ["" : 22]>
Scale <factor: float = 2.0> (v) => (w) {
  c = Constant<value_float: float = @factor>()
  w = Mul(v, c)
}
