// RUN: hone-opt %s --split-input-file --hone-observe-ranges | FileCheck %s
// RUN: hone-opt %s --split-input-file --hone-observe-ranges --hone-reduce-precision | FileCheck %s --check-prefix=HALF

// Values have the ends that they had on the examples; what a branch that is not taken gives has none.
// CHECK-LABEL: @branch
//  CHECK-SAME:   %{{.*}}: tensor<2xf32> {graph.observed = array<f64: -5.000000e+02, 3.000000e+00>}
//   CHECK-NOT:   graph.example
//       CHECK:   graph.binary<mul> {{.*}} {graph.observed = array<f64: 9.000000e+00, 2.500000e+05>}
//       CHECK:   graph.if
//       CHECK:   graph.unary<neg> {{.*}} {graph.observed = array<f64: -2.500000e+05, -9.000000e+00>}
//       CHECK:   graph.unary<abs> {{.*}} {graph.observed = array<f64: 0x7FF0000000000000, 0xFFF0000000000000>}
func.func @branch(%x: tensor<2xf32> {graph.example = dense<[3.0, -500.0]> : tensor<2xf32>},
                  %c: tensor<i1> {graph.example = dense<true> : tensor<i1>}) -> tensor<2xf32> {
  %0 = graph.binary<mul> %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = graph.if %c : tensor<i1> -> tensor<2xf32> {
    %2 = graph.unary<neg> %0 : tensor<2xf32> -> tensor<2xf32>
    graph.yield %2 : tensor<2xf32>
  } else {
    %3 = graph.unary<abs> %0 : tensor<2xf32> -> tensor<2xf32>
    graph.yield %3 : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}

// -----

// Without examples of all arguments nothing is run.
// CHECK-LABEL: @some
//   CHECK-NOT:   graph.observed
//       CHECK:   return
func.func @some(%x: tensor<2xf32> {graph.example = dense<1.0> : tensor<2xf32>}, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.binary<mul> %x, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A factor that is larger than predicted stays f32, one that is smaller is a half, and nothing stays of the run.
// HALF-LABEL: @factors
//  HALF-SAME:   %[[X:[^ ]*]]: tensor<1x2xf32>,
//   HALF-NOT:   graph.observed
//       HALF:   graph.contract %[[X]]{{.*}} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
//       HALF:   graph.contract {{.*}} : tensor<1x2xf16>, tensor<2x2xf16> -> tensor<1x2xf32>
//       HALF:   graph.contract {{.*}} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
func.func @factors(%x: tensor<1x2xf32> {graph.example = dense<[[70000.0, 1.0]]> : tensor<1x2xf32>},
                   %y: tensor<1x2xf32> {graph.example = dense<[[2.0, 1.0]]> : tensor<1x2xf32>},
                   %z: tensor<1x2xf32> {graph.example = dense<[[2.0e-6, 1.0e-6]]> : tensor<1x2xf32>})
    -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %w = graph.constant dense<0.25> : tensor<2x2xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  // Predicted to reach 65536.
  %1 = graph.binary<mul> %y, %y : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %2 = graph.contract %1[0, 2], %w[2, 1] to f32 [0, 1] : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %3 = graph.contract %z[0, 2], %w[2, 1] to f32 [0, 1] : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  return %0, %2, %3 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}
