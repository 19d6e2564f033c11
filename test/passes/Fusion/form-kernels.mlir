// RUN: hone-opt %s --hone-form-kernels --split-input-file | FileCheck %s
// RUN: hone-opt %s --hone-form-kernels=fuse=false --split-input-file | FileCheck %s --check-prefix=APART

// CHECK-LABEL: @epilogue
//       CHECK:   %[[Y:.*]] = graph.kernel -> tensor<8x64xf32> {
//  CHECK-NEXT:     %[[A:.*]] = graph.contract
//  CHECK-NEXT:     %[[B:.*]] = graph.binary<add> %[[A]], %{{.*}}
//  CHECK-NEXT:     %[[C:.*]] = graph.unary<tanh> %[[B]]
//  CHECK-NEXT:     graph.yield %[[C]]
//  CHECK-NEXT:   }
//  CHECK-NEXT:   return %[[Y]]
// APART-LABEL: @epilogue
//       APART:   graph.kernel
//  APART-NEXT:     graph.contract
//  APART-NEXT:     graph.yield
//       APART:   graph.kernel
//  APART-NEXT:     graph.binary<add>
//  APART-NEXT:     graph.yield
//       APART:   graph.kernel
//  APART-NEXT:     graph.unary<tanh>
//  APART-NEXT:     graph.yield
func.func @epilogue(%a: tensor<8x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = graph.contract %a[0, 2], %b[2, 1] to f32 [0, 1] : tensor<8x32xf32>, tensor<32x64xf32> -> tensor<8x64xf32>
  %1 = graph.binary<add> %0, %c : tensor<8x64xf32>, tensor<64xf32> -> tensor<8x64xf32>
  %2 = graph.unary<tanh> %1 : tensor<8x64xf32> -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}

// -----

// CHECK-LABEL: @in_front_of_a_reduction
//       CHECK:   graph.kernel -> tensor<8xf32> {
//  CHECK-NEXT:     graph.binary<mul>
//  CHECK-NEXT:     graph.reduce<sum>
//  CHECK-NEXT:     graph.yield
func.func @in_front_of_a_reduction(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %0 = graph.binary<mul> %x, %x : tensor<8x64xf32>, tensor<8x64xf32> -> tensor<8x64xf32>
  %1 = graph.reduce<sum> %0 dims [1] : tensor<8x64xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Both users of %0 are in one kernel.
// CHECK-LABEL: @diamond
//       CHECK:   graph.kernel -> tensor<8xf32> {
//  CHECK-NEXT:     graph.unary<exp>
//  CHECK-NEXT:     graph.unary<neg>
//  CHECK-NEXT:     graph.unary<abs>
//  CHECK-NEXT:     graph.binary<add>
//  CHECK-NEXT:     graph.yield
func.func @diamond(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.unary<exp> %x : tensor<8xf32> -> tensor<8xf32>
  %1 = graph.unary<neg> %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = graph.unary<abs> %0 : tensor<8xf32> -> tensor<8xf32>
  %3 = graph.binary<add> %1, %2 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// Splats and shape arithmetic are copied into the kernel; numbers stay in memory.
// CHECK-LABEL: @copies
//       CHECK:   %[[NUMBERS:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
//       CHECK:   graph.kernel -> tensor<?x2xf32> {
//  CHECK-NEXT:     %[[TWO:.*]] = graph.constant dense<2.000000e+00> : tensor<f32>
//  CHECK-NEXT:     %[[A:.*]] = graph.binary<mul> %{{.*}}, %[[TWO]]
//  CHECK-NEXT:     graph.binary<mul> %[[A]], %[[NUMBERS]]
//       CHECK:   graph.kernel -> tensor<?x2xf32> {
//  CHECK-NEXT:     %[[SHAPE:.*]] = graph.shape
//  CHECK-NEXT:     graph.broadcast %{{.*}}, %[[SHAPE]]
func.func @copies(%x: tensor<?x2xf32>, %r: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %numbers = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = graph.shape %x : tensor<?x2xf32> -> tensor<2xi64>
  %0 = graph.binary<mul> %x, %two : tensor<?x2xf32>, tensor<f32> -> tensor<?x2xf32>
  %1 = graph.binary<mul> %0, %numbers : tensor<?x2xf32>, tensor<2xf32> -> tensor<?x2xf32>
  %2 = graph.broadcast %r, %s : tensor<2xf32>, tensor<2xi64> -> tensor<?x2xf32>
  return %1, %2 : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @regions
//       CHECK:   graph.if
//  CHECK-NEXT:     %[[Y:.*]] = graph.kernel
//  CHECK-NEXT:       graph.unary<exp>
//  CHECK-NEXT:       graph.unary<neg>
//  CHECK-NEXT:       graph.yield
//  CHECK-NEXT:     }
//  CHECK-NEXT:     graph.yield %[[Y]]
//       CHECK:   else
//  CHECK-NEXT:     graph.yield
func.func @regions(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %c : tensor<i1> -> tensor<4xf32> {
    %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
    %1 = graph.unary<neg> %0 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// One contraction per kernel.
// CHECK-LABEL: @two_contractions
//       CHECK:   %[[A:.*]] = graph.kernel
//  CHECK-NEXT:     graph.contract
//  CHECK-NEXT:     graph.yield
//       CHECK:   graph.kernel
//  CHECK-NEXT:     %[[B:.*]] = graph.contract
//  CHECK-NEXT:     graph.binary<add> %[[A]], %[[B]]
//  CHECK-NEXT:     graph.yield
func.func @two_contractions(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.contract %a[0, 2], %a[2, 1] to f32 [0, 1] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = graph.contract %a[0, 2], %a[1, 2] to f32 [0, 1] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = graph.binary<add> %0, %1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Not joined: users in two kernels.
// CHECK-LABEL: @shared
//       CHECK:   %[[A:.*]] = graph.kernel
//  CHECK-NEXT:     graph.unary<exp>
//  CHECK-NEXT:     graph.yield
//       CHECK:   graph.kernel
//  CHECK-NEXT:     graph.unary<neg> %[[A]]
//       CHECK:   graph.kernel
//  CHECK-NEXT:     graph.unary<abs> %[[A]]
func.func @shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.unary<exp> %x : tensor<8xf32> -> tensor<8xf32>
  %1 = graph.unary<neg> %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = graph.unary<abs> %0 : tensor<8xf32> -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Not joined: elements would be computed once per row.
// CHECK-LABEL: @broadcast
//       CHECK:   %[[A:.*]] = graph.kernel -> tensor<4xf32>
//  CHECK-NEXT:     graph.unary<exp>
//       CHECK:   graph.kernel -> tensor<3x4xf32>
//  CHECK-NEXT:     graph.binary<add> %{{.*}}, %[[A]]
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary<add> %y, %0 : tensor<3x4xf32>, tensor<4xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// Not joined: the extents of %y and %z may differ, one being 1.
// CHECK-LABEL: @unknown_extents
//       CHECK:   %[[A:.*]] = graph.kernel
//  CHECK-NEXT:     graph.unary<exp>
//  CHECK-NEXT:     graph.yield
//       CHECK:   graph.kernel
//  CHECK-NEXT:     graph.binary<add> %[[A]]
func.func @unknown_extents(%y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.unary<exp> %y : tensor<?xf32> -> tensor<?xf32>
  %1 = graph.binary<add> %0, %z : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Left alone: constants, views and arguments need no code.
// CHECK-LABEL: @nothing_to_compute
//   CHECK-NOT:   graph.kernel
//       CHECK:   graph.reshape
//   CHECK-NOT:   graph.kernel
//       CHECK:   return
func.func @nothing_to_compute(%x: tensor<2x12xf32>) -> (tensor<24xf32>, tensor<3xf32>) {
  %s = graph.constant dense<24> : tensor<1xi64>
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = graph.reshape %x, %s : tensor<2x12xf32>, tensor<1xi64> -> tensor<24xf32>
  return %0, %c : tensor<24xf32>, tensor<3xf32>
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
// Left alone: orders that differ in the places of extents of 1.
// CHECK-LABEL: @extents_of_one
//   CHECK-NOT:   graph.kernel
//       CHECK:   graph.relayout
//  CHECK-NEXT:   graph.relayout
//  CHECK-NEXT:   graph.transpose
//  CHECK-NEXT:   return
func.func @extents_of_one(%x: tensor<?x8x1x1xf32>, %y: tensor<2x1x?x4xf32>, %z: tensor<?x1x?xf32>)
    -> (tensor<?x8x1x1xf32, #nhwc>, tensor<2x1x?x4xf32, #nhwc>, tensor<1x?x?xf32>) {
  %0 = graph.relayout %x : tensor<?x8x1x1xf32> -> tensor<?x8x1x1xf32, #nhwc>
  %1 = graph.relayout %y : tensor<2x1x?x4xf32> -> tensor<2x1x?x4xf32, #nhwc>
  %2 = graph.transpose %z perm [1, 0, 2] : tensor<?x1x?xf32> -> tensor<1x?x?xf32>
  return %0, %1, %2 : tensor<?x8x1x1xf32, #nhwc>, tensor<2x1x?x4xf32, #nhwc>, tensor<1x?x?xf32>
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
// Elements change places: rows of one pixel, and extents that may be 1.
// CHECK-LABEL: @elements_move
//       CHECK:   graph.kernel
//  CHECK-NEXT:     graph.relayout
//       CHECK:   graph.kernel
//  CHECK-NEXT:     graph.transpose
func.func @elements_move(%x: tensor<1x8x1x2xf32>, %z: tensor<?x1x?xf32>)
    -> (tensor<1x8x1x2xf32, #nhwc>, tensor<?x1x?xf32>) {
  %0 = graph.relayout %x : tensor<1x8x1x2xf32> -> tensor<1x8x1x2xf32, #nhwc>
  %1 = graph.transpose %z perm [2, 1, 0] : tensor<?x1x?xf32> -> tensor<?x1x?xf32>
  return %0, %1 : tensor<1x8x1x2xf32, #nhwc>, tensor<?x1x?xf32>
}

// -----

#nhwc = #graph.layout<[0, 2, 3, 1]>
// What a view in memory shows is in memory, though its readers would know it as extents.
// CHECK-LABEL: @extents_in_memory
//       CHECK:   %[[S:.*]] = graph.kernel
//       CHECK:     graph.shape
//       CHECK:   %[[R:.*]] = graph.reshape %[[S]]
//       CHECK:   %[[V:.*]] = graph.relayout %[[R]]
//       CHECK:   graph.kernel
//       CHECK:     graph.unary<neg> %[[V]]
func.func @extents_in_memory(%x: tensor<?x?xf32>) -> tensor<1x2x1x1xi64, #nhwc> {
  %e = graph.constant dense<[1, 2, 1, 1]> : tensor<4xi64>
  %s = graph.shape %x : tensor<?x?xf32> -> tensor<2xi64>
  %r = graph.reshape %s, %e : tensor<2xi64>, tensor<4xi64> -> tensor<1x2x1x1xi64>
  %0 = graph.relayout %r : tensor<1x2x1x1xi64> -> tensor<1x2x1x1xi64, #nhwc>
  %1 = graph.unary<neg> %0 : tensor<1x2x1x1xi64, #nhwc> -> tensor<1x2x1x1xi64, #nhwc>
  return %1 : tensor<1x2x1x1xi64, #nhwc>
}

// -----

// A wider float is made where it is read: memory holds the narrow one.
// CHECK-LABEL: @widening
//       CHECK:   %[[H:.*]] = graph.kernel -> tensor<8x64xf16> {
//  CHECK-NEXT:     graph.unary<tanh>
//  CHECK-NEXT:     graph.cast
//       CHECK:   graph.kernel -> tensor<8xf32> {
//  CHECK-NEXT:     graph.cast %[[H]] to f32
//  CHECK-NEXT:     graph.reduce<sum>
//       CHECK:   graph.kernel -> tensor<8x64xf32> {
//  CHECK-NEXT:     graph.cast %[[H]] to f32
//  CHECK-NEXT:     graph.binary<add>
func.func @widening(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8x64xf32>) {
  %0 = graph.unary<tanh> %x : tensor<8x64xf32> -> tensor<8x64xf32>
  %1 = graph.cast %0 to f16 : tensor<8x64xf32> -> tensor<8x64xf16>
  %2 = graph.cast %1 to f32 : tensor<8x64xf16> -> tensor<8x64xf32>
  %3 = graph.reduce<sum> %2 dims [1] : tensor<8x64xf32> -> tensor<8xf32>
  %4 = graph.binary<add> %2, %x : tensor<8x64xf32>, tensor<8x64xf32> -> tensor<8x64xf32>
  return %3, %4 : tensor<8xf32>, tensor<8x64xf32>
}

// -----

// Shape arithmetic that is returned is in memory; those who read it as extents still know what it is.
// CHECK-LABEL: @stored_and_known
//       CHECK:   %[[S:.*]] = graph.kernel -> tensor<1xi64> {
//  CHECK-NEXT:     %[[COPY:.*]] = graph.shape %[[X:.*]] :
//  CHECK-NEXT:     graph.yield %[[COPY]]
//       CHECK:   graph.kernel -> tensor<?x2xf32> {
//       CHECK:     %[[KNOWN:.*]] = graph.shape %[[X]] :
//       CHECK:     %[[HALF:.*]] = graph.binary<div> %[[KNOWN]],
//       CHECK:     graph.concat %[[HALF]],
//       CHECK:     graph.broadcast
//       CHECK:   return %[[S]]
func.func @stored_and_known(%x: tensor<?xf32>, %r: tensor<2xf32>) -> (tensor<1xi64>, tensor<?x2xf32>) {
  %two = graph.constant dense<2> : tensor<1xi64>
  %s = graph.shape %x : tensor<?xf32> -> tensor<1xi64>
  %half = graph.binary<div> %s, %two : tensor<1xi64>, tensor<1xi64> -> tensor<1xi64>
  %t = graph.concat %half, %two dim 0 : tensor<1xi64>, tensor<1xi64> -> tensor<2xi64>
  %0 = graph.broadcast %r, %t : tensor<2xf32>, tensor<2xi64> -> tensor<?x2xf32>
  return %s, %0 : tensor<1xi64>, tensor<?x2xf32>
}

// -----

// The elements of %v are not known, so its kernel reads the bytes of %s.
// CHECK-LABEL: @view_of_unknown_shape
//       CHECK:   %[[S:.*]] = graph.kernel -> tensor<2xi64> {
//  CHECK-NEXT:     graph.shape
//       CHECK:   %[[V:.*]] = graph.reshape %[[S]],
//       CHECK:   graph.kernel -> tensor<?x?xi64> {
//  CHECK-NEXT:     graph.unary<abs> %[[V]]
func.func @view_of_unknown_shape(%x: tensor<?x?xf32>, %to: tensor<2xi64>) -> tensor<?x?xi64> {
  %s = graph.shape %x : tensor<?x?xf32> -> tensor<2xi64>
  %v = graph.reshape %s, %to : tensor<2xi64>, tensor<2xi64> -> tensor<?x?xi64>
  %0 = graph.unary<abs> %v : tensor<?x?xi64> -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// -----

// A view that is returned reads memory; the same view, where it says a shape, does not.
// CHECK-LABEL: @view_stored_and_known
//   CHECK-DAG:   %[[S:.*]] = graph.kernel -> tensor<2xi64>
//   CHECK-DAG:   %[[V:.*]] = graph.reshape %[[S]],
//       CHECK:   graph.kernel -> tensor<?x?x3xf32> {
//       CHECK:     %[[KNOWN:.*]] = graph.shape
//       CHECK:     graph.reshape %[[KNOWN]],
//       CHECK:     graph.broadcast
//       CHECK:   return %[[V]]
func.func @view_stored_and_known(%x: tensor<?x?xf32>, %r: tensor<3xf32>) -> (tensor<1x2xi64>, tensor<?x?x3xf32>) {
  %row = graph.constant dense<[1, 2]> : tensor<2xi64>
  %flat = graph.constant dense<2> : tensor<1xi64>
  %three = graph.constant dense<3> : tensor<1xi64>
  %s = graph.shape %x : tensor<?x?xf32> -> tensor<2xi64>
  %v = graph.reshape %s, %row : tensor<2xi64>, tensor<2xi64> -> tensor<1x2xi64>
  %w = graph.reshape %v, %flat : tensor<1x2xi64>, tensor<1xi64> -> tensor<2xi64>
  %t = graph.concat %w, %three dim 0 : tensor<2xi64>, tensor<1xi64> -> tensor<3xi64>
  %0 = graph.broadcast %r, %t : tensor<3xf32>, tensor<3xi64> -> tensor<?x?x3xf32>
  return %v, %0 : tensor<1x2xi64>, tensor<?x?x3xf32>
}

// -----

// Not copied: operands of contractions, which register tiles read from memory.
// CHECK-LABEL: @product_with_splat
//       CHECK:   %[[W:.*]] = graph.constant dense<5.000000e-01> : tensor<4x4xf32>
//       CHECK:   graph.kernel
//  CHECK-NEXT:     %[[P:.*]] = graph.contract %{{.*}}, %[[W]]
//  CHECK-NEXT:     %[[HERE:.*]] = graph.constant dense<5.000000e-01> : tensor<4x4xf32>
//  CHECK-NEXT:     graph.binary<add> %[[P]], %[[HERE]]
func.func @product_with_splat(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<4x4xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.binary<add> %0, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
