// RUN: hone-opt %s --hone-form-kernels | FileCheck %s

// One kernel would read five tensors, write one and have scratch memory.
module attributes {graph.target = {max_buffers = 6 : i64}} {
  // CHECK-LABEL: @limited
  //       CHECK:   graph.kernel
  //  CHECK-NEXT:     graph.binary<add>
  //  CHECK-NEXT:     graph.yield
  //       CHECK:   graph.kernel
  //  CHECK-NEXT:     graph.binary<mul>
  //  CHECK-NEXT:     graph.binary<sub>
  //  CHECK-NEXT:     graph.binary<max>
  //  CHECK-NEXT:     graph.yield
  func.func @limited(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
    %0 = graph.binary<add> %a, %b : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    %1 = graph.binary<mul> %0, %c : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    %2 = graph.binary<sub> %1, %d : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    %3 = graph.binary<max> %2, %e : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
