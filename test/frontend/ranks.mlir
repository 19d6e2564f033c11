// Lists of unknown length: the rank of the output, which the model tells, is their length; a run checks that.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/reshape.txt -o %t/reshape.onnx
// RUN: hone compile %t/reshape.onnx --emit=graph -o - | FileCheck %s --check-prefix=RESHAPE
// RUN: %make-onnx %t/expand.txt -o %t/expand.onnx
// RUN: hone compile %t/expand.onnx --emit=graph -o - | FileCheck %s --check-prefix=EXPAND
// RUN: %make-onnx %t/scatter.txt -o %t/scatter.onnx
// RUN: hone compile %t/scatter.onnx --emit=graph -o - | FileCheck %s --check-prefix=SCATTER
// RUN: %make-onnx %t/if.txt -o %t/if.onnx
// RUN: hone compile %t/if.onnx --emit=graph -o - | FileCheck %s --check-prefix=IF
// RUN: %make-onnx %t/unknown.txt -o %t/unknown.onnx
// RUN: %refuses hone compile %t/unknown.onnx --emit=graph -o - | FileCheck %s --check-prefix=UNKNOWN

// RUN: %npy arange %t/x.npy f4 2x6
// RUN: %npy make %t/three.npy i8 3 2 2
// RUN: %npy make %t/two.npy i8 3 4
// RUN: hone run %t/reshape.onnx --input x=%t/x.npy --input shape=%t/three.npy --output-dir %t/out
// RUN: %npy show %t/out/y.npy | FileCheck %s --check-prefix=Y
// RUN: %refuses hone run %t/reshape.onnx --input x=%t/x.npy --input shape=%t/two.npy --output-dir %t/out | FileCheck %s --check-prefix=LENGTH

// What becomes of the result tells its rank too.
// RESHAPE-LABEL: func.func @main
// RESHAPE: graph.reshape %{{.*}} : tensor<?x?xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
// RESHAPE: graph.unary<exp>

// The list may be shorter than the rank of the result.
// EXPAND-LABEL: func.func @main
// EXPAND: graph.pad<constant>
// EXPAND: graph.broadcast {{.*}} -> tensor<?x?x?xf32>

// Ranks of data, indices and updates say how many dimensions an index names.
// SCATTER-LABEL: func.func @main
// SCATTER: graph.reshape {{.*}} -> tensor<?x2xi64>
// SCATTER: graph.scatter_nd

// IF-LABEL: func.func @main
// IF-NOT: graph.if
// IF: graph.unary<log>

// UNKNOWN: node 'r'{{.*}}error: Reshape: the length of input 'shape' or the rank of the output must be known

// Y: float32 3x2x2

// LENGTH: node 'r'

//--- reshape.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[m,n] x, int64[k] shape) => (float[a,b,c] y) {
  [r] t = Reshape(x, shape)
  y = Exp(t)
}
//--- expand.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[m,n] x, int64[k] shape) => (float[a,b,c] y) {
  y = Expand(x, shape)
}
//--- scatter.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[l,m,n] x, int64[k,d] at, float[k,n] updates) => (float[l,m,n] y) {
  y = ScatterND(x, at, updates)
}
//--- if.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[m,n] x, bool c) => (float[k] y) {
  flat = Constant<value_ints = [-1]>()
  y = If(c) <then_branch = a () => (float[m,n] p) { p = Exp(x) },
             else_branch = b () => (float[l] q) { r = Log(x) q = Reshape(r, flat) }>
}
//--- unknown.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[m,n] x, int64[k] shape) => (int64[l] y) {
  [r] t = Reshape(x, shape)
  y = Shape(t)
}
