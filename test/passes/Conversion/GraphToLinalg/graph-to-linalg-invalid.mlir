// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file --verify-diagnostics

func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{failed to legalize operation 'graph.kernel'}}
  %0 = graph.kernel -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
