// Branches whose condition is known disappear; carried values whose shape grows become dynamic.
// RUN: split-file %s %t
// RUN: %make-onnx %t/known.txt -o %t/known.onnx
// RUN: hone compile %t/known.onnx --emit=graph -o - | FileCheck %s --check-prefix=KNOWN
// RUN: %make-onnx %t/if.txt -o %t/if.onnx
// RUN: hone compile %t/if.onnx --emit=graph -o - | FileCheck %s --check-prefix=IF
// RUN: %make-onnx %t/loop.txt -o %t/loop.onnx
// RUN: hone compile %t/loop.onnx --emit=graph -o - | FileCheck %s --check-prefix=LOOP

// KNOWN-LABEL: func.func @main
// KNOWN-NOT: graph.if
// KNOWN: graph.unary<exp>
// KNOWN-NOT: graph.unary<log>

// IF-LABEL: func.func @main
// IF: graph.if %{{.*}} : tensor<i1> -> tensor<?xf32>
// IF: graph.yield {{.*}} : tensor<4xf32>
// IF: else
// IF: graph.yield {{.*}} : tensor<2xf32>

// LOOP-LABEL: func.func @main
// LOOP: graph.loop
// LOOP-SAME: -> tensor<?xf32>, tensor<3xi64>
// LOOP: graph.concat
// LOOP: graph.yield

//--- known.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[4] x) => (float[4] y) {
  one = Constant<value_int: int = 1>()
  same = Equal(one, one)
  y = If(same) <then_branch = a () => (float[4] p) { p = Exp(x) }, else_branch = b () => (float[4] q) { q = Log(x) }>
}
//--- if.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[4] x, float[2] z, bool c) => (float[n] y) {
  y = If(c) <then_branch = a () => (float[n] p) { p = Exp(x) }, else_branch = b () => (float[n] q) { q = Log(z) }>
}
//--- loop.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1] x) => (float[n] y, int64[m] steps) {
  trips = Constant<value_int: int = 3>()
  y, steps = Loop(trips, , x) <body = b (int64 i, bool go, float[k] v) => (bool again, float[l] w, int64 s) {
    again = Identity(go)
    w = Concat<axis = 0>(v, x)
    s = Identity(i)
  }>
}
