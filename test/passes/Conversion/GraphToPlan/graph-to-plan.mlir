// RUN: hone-opt %s --hone-graph-to-plan --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: plan.program @main target "cpu"
//  CHECK-SAME:   inputs [#plan.tensor<"x", f32, ["n"]>] outputs [#plan.tensor<"y", f32, [?]>]
//   CHECK-DAG:   %[[X:.*]] = plan.input 0
//   CHECK-DAG:   %[[N:.*]] = plan.input_dim 0, 0
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[N]], %[[C4]] : index
//       CHECK:   %[[Y:.*]] = plan.output_buffer 0, %[[BYTES]]
//       CHECK:   plan.launch @unary_0 grid(%{{.*}}) buffers(%[[X]], %[[Y]]) scalars(%[[N]]) writes [1]
//       CHECK:   plan.output_dim 0, 0, %[[N]]
//       CHECK: plan.kernel @unary_0 entry "unary_0" in @code buffers 2 scalars 1
//       CHECK: module @kernels
//       CHECK:   func.func @unary_0(%[[A:.*]]: tensor<?xf32> {graph.dims = ["s0"]}) -> (tensor<?xf32> {graph.dims = ["s0"]})
//  CHECK-SAME:       attributes {graph.scalars = ["s0"]} {
//  CHECK-NEXT:     %[[B:.*]] = graph.unary<exp> %[[A]]
//  CHECK-NEXT:     return %[[B]]
//   CHECK-NOT: func.func @main
func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["n"]}) -> (tensor<?xf32> {graph.name = "y"}) {
  %y = graph.kernel -> tensor<?xf32> {
    %0 = graph.unary<exp> %x : tensor<?xf32> -> tensor<?xf32>
    graph.yield %0 : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// Equal kernels are one function; a reshape is an alias; a value between kernels is allocated.
// CHECK-LABEL: plan.program @main
//   CHECK-DAG:   %[[X:.*]] = plan.input 0
//   CHECK-DAG:   %[[W:.*]] = plan.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
//       CHECK:   %[[T:.*]] = plan.alloc
//       CHECK:   plan.launch @binary_0 grid(%{{.*}}) buffers(%[[X]], %[[W]], %[[T]]) writes [2]
//       CHECK:   %[[Z:.*]] = plan.alloc
//       CHECK:   plan.launch @binary_1 grid(%{{.*}}) buffers(%[[T]], %[[W]], %[[Z]]) writes [2]
//       CHECK:   %[[Y:.*]] = plan.output_buffer 0
//       CHECK:   plan.copy %[[Z]] to %[[Y]]
//   CHECK-DAG: plan.kernel @binary_0 entry "binary_0"
//   CHECK-DAG: plan.kernel @binary_1 entry "binary_0"
//       CHECK: module @kernels
//       CHECK:   func.func @binary_0
//   CHECK-NOT:   func.func @
func.func @main(%x: tensor<3x2xf32> {graph.name = "x"}) -> (tensor<6xf32> {graph.name = "y"}) {
  %s = graph.constant dense<6> : tensor<1xi64>
  %w = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = graph.kernel -> tensor<3x2xf32> {
    %0 = graph.binary<mul> %x, %w : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
    graph.yield %0 : tensor<3x2xf32>
  }
  %z = graph.kernel -> tensor<3x2xf32> {
    %0 = graph.binary<mul> %t, %w : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
    graph.yield %0 : tensor<3x2xf32>
  }
  %r = graph.reshape %z, %s : tensor<3x2xf32>, tensor<1xi64> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// A layout that only moves extents of 1 is an alias, too.
// CHECK-LABEL: plan.program @main
//       CHECK:   %[[X:.*]] = plan.input 0
//   CHECK-NOT:   plan.alloc
//       CHECK:   %[[Y:.*]] = plan.output_buffer 0
//       CHECK:   plan.launch @unary_0 grid(%{{.*}}) buffers(%[[X]], %[[Y]]) writes [1]
func.func @main(%x: tensor<1x8x1x1xf32> {graph.name = "x"})
    -> (tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>> {graph.name = "y"}) {
  %0 = graph.relayout %x : tensor<1x8x1x1xf32> -> tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>>
  %y = graph.kernel -> tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>> {
    %1 = graph.unary<exp> %0 : tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>> -> tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>>
    graph.yield %1 : tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>>
  }
  return %y : tensor<1x8x1x1xf32, #graph.layout<[0, 2, 3, 1]>>
}

// -----

// CHECK-LABEL: plan.program @main
//       CHECK:   %[[C:.*]] = plan.input 0
//       CHECK:   %[[X:.*]] = plan.input 1
//       CHECK:   %[[BIT:.*]] = plan.load %[[C]][%{{.*}}] : i1
//       CHECK:   %[[TAKEN:.*]] = arith.cmpi ne, %[[BIT]]
//       CHECK:   %[[R:.*]] = plan.if %[[TAKEN]] -> !plan.buffer {
//       CHECK:     %[[T:.*]] = plan.alloc
//       CHECK:     plan.launch @unary_0 grid(%{{.*}}) buffers(%[[X]], %[[T]]) writes [1]
//       CHECK:     plan.yield %[[T]]
//       CHECK:   } else {
//  CHECK-NEXT:     plan.yield %[[X]]
//       CHECK:   plan.copy %[[R]] to
func.func @main(%c: tensor<i1> {graph.name = "c"}, %x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %y = graph.if %c : tensor<i1> -> tensor<4xf32> {
    %0 = graph.kernel -> tensor<4xf32> {
      %1 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
      graph.yield %1 : tensor<4xf32>
    }
    graph.yield %0 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Constants of a branch are made before it.
// CHECK-LABEL: plan.program @main
//       CHECK:   %[[A:.*]] = plan.constant dense<1.000000e+00>
//       CHECK:   %[[B:.*]] = plan.constant dense<2.000000e+00>
//       CHECK:   plan.if
//       CHECK:     plan.yield %[[A]]
//       CHECK:   } else {
//       CHECK:     plan.yield %[[B]]
func.func @main(%c: tensor<i1> {graph.name = "c"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %y = graph.if %c : tensor<i1> -> tensor<4xf32> {
    graph.yield %one : tensor<4xf32>
  } else {
    graph.yield %two : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Constants are packed now: 2 columns in one panel of 4, the rest zeros.
// CHECK-LABEL: plan.program @main
//       CHECK:   plan.constant dense_resource<[[PACKED:.*]]> : tensor<32xi8>
//       CHECK: [[PACKED]]: "0x{{[0-9A-F]+}}0000803F000000400000000000000000000040400000804000000000{{0*}}"
func.func @main(%x: tensor<3x2xf32> {graph.name = "x"}) -> (tensor<3x2xf32> {graph.name = "y"}) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %p = graph.relayout %w : tensor<2x2xf32> -> tensor<2x2xf32, #graph.layout<[1, 0] panels 4 of 1>>
  %y = graph.kernel -> tensor<3x2xf32> {
    %0 = graph.contract %x[0, 2], %p[2, 1] to f32 [0, 1]
        : tensor<3x2xf32>, tensor<2x2xf32, #graph.layout<[1, 0] panels 4 of 1>> -> tensor<3x2xf32>
    graph.yield %0 : tensor<3x2xf32>
  }
  return %y : tensor<3x2xf32>
}

// -----

// An op outside a kernel has nowhere to put its result.
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  // expected-error @+1 {{has no kernel and so no place in memory}}
  %y = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A kernel's name starts with a letter, whatever is in it.
// CHECK-LABEL: plan.program @main
//       CHECK: plan.launch @shape_0
func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["n"]}) -> (tensor<1xi64> {graph.name = "y"}) {
  %y = graph.kernel -> tensor<1xi64> {
    %0 = graph.shape %x : tensor<?xf32> -> tensor<1xi64>
    graph.yield %0 : tensor<1xi64>
  }
  return %y : tensor<1xi64>
}

// -----

// expected-error @+1 {{has no function @main}}
module {
}

// -----

// Left alone: other functions.
// CHECK-LABEL: plan.program @main
//       CHECK: func.func @other(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> {
//  CHECK-NEXT:   %[[Y:.*]] = graph.unary<exp> %[[X]]
//  CHECK-NEXT:   return %[[Y]]
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  return %x : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
