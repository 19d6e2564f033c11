// RUN: hone-opt %s --hone-graph-to-plan --split-input-file | FileCheck %s

// Extents that types leave open are compared before the kernel starts, once.
// CHECK-LABEL: plan.program @main
//       CHECK:   plan.check %{{.*}}, "the operands do not broadcast: extents of dimension 0 differ"
//       CHECK:   plan.launch
//   CHECK-NOT:   plan.check
//       CHECK:   plan.launch
func.func @main(%a: tensor<?xf32> {graph.name = "a", graph.dims = ["n"]},
                %b: tensor<?xf32> {graph.name = "b", graph.dims = ["m"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = graph.kernel -> tensor<?xf32> {
    %s = graph.binary<add> %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    graph.yield %s : tensor<?xf32>
  }
  %1 = graph.kernel -> tensor<?xf32> {
    %s = graph.binary<mul> %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    graph.yield %s : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// What is equal is not compared: one symbol, and products in another order.
// CHECK-LABEL: plan.program @main
//   CHECK-NOT:   plan.check
//       CHECK:   plan.launch
//   CHECK-NOT:   plan.check
func.func @main(%a: tensor<?x4x?xf32> {graph.name = "a", graph.dims = ["n", unit, "m"]},
                %b: tensor<?xf32> {graph.name = "b", graph.dims = ["m"]}) -> tensor<?x?x4xf32> {
  %0 = graph.kernel -> tensor<?x4x?xf32> {
    %s = graph.binary<add> %a, %b : tensor<?x4x?xf32>, tensor<?xf32> -> tensor<?x4x?xf32>
    graph.yield %s : tensor<?x4x?xf32>
  }
  %shape = graph.shape %a : tensor<?x4x?xf32> -> tensor<3xi64>
  %order = graph.constant dense<[2, 0, 1]> : tensor<3xi64>
  %turned = graph.gather %shape, %order dim 0 : tensor<3xi64>, tensor<3xi64> -> tensor<3xi64>
  %1 = graph.reshape %0, %turned : tensor<?x4x?xf32>, tensor<3xi64> -> tensor<?x?x4xf32>
  return %1 : tensor<?x?x4xf32>
}

// -----

// A reshape is checked though nothing runs for it.
// CHECK-LABEL: plan.program @main
//       CHECK:   plan.check %{{.*}}, "the new shape has another number of elements"
func.func @main(%a: tensor<?xf32> {graph.name = "a", graph.dims = ["n"]}) -> tensor<2x3xf32> {
  %shape = graph.constant dense<[2, 3]> : tensor<2xi64>
  %0 = graph.reshape %a, %shape : tensor<?xf32>, tensor<2xi64> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
