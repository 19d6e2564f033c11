// One contraction for all inputs, then a loop with the cell; two directions are joined.
// RUN: split-file %s %t
// RUN: %make-onnx %t/lstm.txt -o %t/lstm.onnx
// RUN: hone compile %t/lstm.onnx --emit=graph -o - | FileCheck %s --check-prefix=LSTM
// RUN: %make-onnx %t/both.txt -o %t/both.onnx
// RUN: hone compile %t/both.onnx --emit=graph -o - | FileCheck %s --check-prefix=BOTH
// RUN: %make-onnx %t/activation.txt -o %t/activation.onnx
// RUN: %refuses hone compile %t/activation.onnx --emit=graph -o - | FileCheck %s --check-prefix=ACTIVATION

// LSTM-LABEL: func.func @main
// LSTM: graph.contract {{.*}} -> tensor<5x2x16xf32>
// LSTM: graph.loop {{.*}} -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
// LSTM-COUNT-3: graph.unary<sigmoid>
// LSTM: graph.yield
// LSTM: return {{.*}} : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>

// Sequences that are over keep their state.
// BOTH-LABEL: func.func @main
// BOTH: graph.loop
// BOTH: graph.compare<lt>
// BOTH: graph.select
// BOTH: graph.loop
// BOTH: graph.concat
// BOTH: return {{.*}} : tensor<?x2x2x4xf32>

// ACTIVATION: node 'r'{{.*}}error:{{.*}}activation 'Swoosh' is unknown

//--- lstm.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r) => (float[5,1,2,4] y, float[1,2,4] h) {
  y, h = LSTM<hidden_size = 4>(x, w, r)
}
//--- both.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[t,2,3] x, float[2,12,3] w, float[2,12,4] r, float[2,24] b, int32[2] lengths) => (float[t,2,2,4] y) {
  y = GRU<hidden_size = 4, direction = "bidirectional">(x, w, r, b, lengths)
}
//--- activation.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[5,2,3] x, float[1,4,3] w, float[1,4,4] r) => (float[5,1,2,4] y) {
  [r] y = RNN<hidden_size = 4, activations = ["Swoosh"]>(x, w, r)
}
