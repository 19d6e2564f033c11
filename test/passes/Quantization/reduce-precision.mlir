// RUN: hone-opt %s --split-input-file --hone-reduce-precision | FileCheck %s
// RUN: hone-opt %s --split-input-file --hone-reduce-precision=type=bf16 | FileCheck %s --check-prefix=BF16
// RUN: hone-opt %s --split-input-file --hone-reduce-precision --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NODES

// Convolutions multiply halves; what they hand on is rounded once, behind the activation.
// CHECK-LABEL: @chain
//  CHECK-SAME:   %[[X:.*]]: tensor<1x8x9x9xf32>)
//   CHECK-DAG:   %[[A:.*]] = graph.cast %[[X]] to f16
//   CHECK-DAG:   %[[W:.*]] = graph.cast %{{.*}} to f16 : tensor<8x8x3x3xf32>
//       CHECK:   %[[CONV:.*]] = graph.conv %[[A]], %[[W]] {{.*}} to f32 : tensor<1x8x9x9xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x9x9xf32>
//       CHECK:   %[[RELU:.*]] = graph.binary<max> %[[CONV]], %{{.*}} : tensor<1x8x9x9xf32>, tensor<f32> -> tensor<1x8x9x9xf32>
//       CHECK:   %[[B:.*]] = graph.cast %[[RELU]] to f16
//       CHECK:   %[[Y:.*]] = graph.conv %[[B]], %[[W]] {{.*}} tensor<1x8x9x9xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x9x9xf32>
//       CHECK:   return %[[Y]] : tensor<1x8x9x9xf32>
//  BF16-LABEL: @chain
//        BF16:   graph.conv {{.*}} to f32 : tensor<1x8x9x9xbf16>, tensor<8x8x3x3xbf16> -> tensor<1x8x9x9xf32>
func.func @chain(%x: tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32> {
  %w = graph.constant dense<0.25> : tensor<8x8x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x9x9xf32>
  %1 = graph.binary<max> %0, %zero : tensor<1x8x9x9xf32>, tensor<f32> -> tensor<1x8x9x9xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x9x9xf32>
  return %2 : tensor<1x8x9x9xf32>
}

// -----

// Movement and softmax work on halves themselves; a residual is read rounded, as it lies in memory.
// CHECK-LABEL: @attention
//       CHECK:   %[[S:.*]] = graph.contract %{{.*}} to f32 [0, 1, 2] : tensor<2x4x8xf16>, tensor<2x5x8xf16>
//       CHECK:   %[[H:.*]] = graph.cast %[[S]] to f16
//       CHECK:   %[[P:.*]] = graph.softmax %[[H]] dim 2 : tensor<2x4x5xf16> -> tensor<2x4x5xf16>
//       CHECK:   %[[T:.*]] = graph.transpose %[[P]] perm [0, 2, 1] : tensor<2x4x5xf16> -> tensor<2x5x4xf16>
//       CHECK:   graph.contract %[[T]][0, 3, 1], %{{.*}} : tensor<2x5x4xf16>, tensor<2x5x8xf16> -> tensor<2x4x8xf32>
//       CHECK:   %[[WIDE:.*]] = graph.cast %{{.*}} to f32 : tensor<2x4x8xf16> -> tensor<2x4x8xf32>
//       CHECK:   graph.binary<add> %{{.*}}, %[[WIDE]] : tensor<2x4x8xf32>
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<2x4x8xf32> {
  %0 = graph.contract %q[0, 1, 3], %k[0, 2, 3] to f32 [0, 1, 2] : tensor<2x4x8xf32>, tensor<2x5x8xf32> -> tensor<2x4x5xf32>
  %1 = graph.softmax %0 dim 2 : tensor<2x4x5xf32> -> tensor<2x4x5xf32>
  %2 = graph.transpose %1 perm [0, 2, 1] : tensor<2x4x5xf32> -> tensor<2x5x4xf32>
  %3 = graph.contract %2[0, 3, 1], %k[0, 3, 2] to f32 [0, 1, 2] : tensor<2x5x4xf32>, tensor<2x5x8xf32> -> tensor<2x4x8xf32>
  %4 = graph.binary<add> %3, %q : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %4 : tensor<2x4x8xf32>
}

// -----

// What grows beyond the range of f16 stays f32 in memory: a sum of squares. bf16 has the range of f32.
// CHECK-LABEL: @squares
//       CHECK:   graph.contract %{{.*}} : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf32>
//       CHECK:   %[[SQUARE:.*]] = graph.binary<mul>
//       CHECK:   graph.transpose %[[SQUARE]] perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
//  BF16-LABEL: @squares
//        BF16:   graph.transpose %{{.*}} : tensor<4x8xbf16> -> tensor<8x4xbf16>
func.func @squares(%x: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.binary<mul> %0, %0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.transpose %1 perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = graph.binary<add> %2, %b : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// -----

// A clamp bounds one factor: hard-swish fits.
// CHECK-LABEL: @hard_swish
//       CHECK:   %[[Y:.*]] = graph.binary<mul> %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<f32>
//       CHECK:   %[[H:.*]] = graph.cast %[[Y]] to f16
//       CHECK:   graph.contract %[[H]][
func.func @hard_swish(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %sixth = graph.constant dense<0.166666667> : tensor<f32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.binary<add> %0, %three : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %2 = graph.binary<max> %1, %zero : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %3 = graph.binary<min> %2, %six : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %4 = graph.binary<mul> %0, %3 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %5 = graph.binary<mul> %4, %sixth : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %6 = graph.contract %5[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// -----

// The best position is looked for among all digits, the product reads halves: the value exists twice.
// CHECK-LABEL: @two_readers
//       CHECK:   %[[V:.*]] = graph.contract
//       CHECK:   %[[H:.*]] = graph.cast %[[V]] to f16
//       CHECK:   graph.arg_reduce<max> %[[V]]
//       CHECK:   graph.contract %[[H]]
func.func @two_readers(%x: tensor<4x8xf32>) -> (tensor<4xi64>, tensor<4x8xf32>) {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.arg_reduce<max> %0 dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  %2 = graph.contract %0[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %1, %2 : tensor<4xi64>, tensor<4x8xf32>
}

// -----

// Branches and loops keep the types of what crosses their borders; weights inside become halves.
// CHECK-LABEL: @loop
//       CHECK:   graph.loop %{{.*}} init(%{{.*}}) : tensor<i64>, tensor<i1>, tensor<4x8xf32> -> tensor<4x8xf32> {
//       CHECK:   ^bb0(%{{.*}}: tensor<i64>, %[[STATE:.*]]: tensor<4x8xf32>):
//       CHECK:     %[[H:.*]] = graph.cast %[[STATE]] to f16
//       CHECK:     %[[NEXT:.*]] = graph.contract %[[H]]{{.*}} : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf32>
//       CHECK:     graph.yield %{{.*}}, %{{.*}} : tensor<i1>, tensor<4x8xf32>
func.func @loop(%x: tensor<4x8xf32>, %trips: tensor<i64>, %go: tensor<i1>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %y = graph.loop %trips, %go init(%x) : tensor<i64>, tensor<i1>, tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%i: tensor<i64>, %state: tensor<4x8xf32>):
    %0 = graph.contract %state[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %1 = graph.unary<tanh> %0 : tensor<4x8xf32> -> tensor<4x8xf32>
    graph.yield %go, %1 : tensor<i1>, tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// A number that a loop counts up is no factor, inside and behind it; a state that stays small is one.
// CHECK-LABEL: @counter
//       CHECK:   graph.loop
//       CHECK:   ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<4x8xf32>):
//       CHECK:     %[[WIDE:.*]] = graph.broadcast
//       CHECK:     graph.contract %[[WIDE]]{{.*}} : tensor<4x8xf32>, tensor<8x8xf32>
//       CHECK:     graph.contract {{.*}} : tensor<4x8xf16>, tensor<8x8xf16>
//       CHECK:   graph.broadcast
//  CHECK-NEXT:   graph.contract {{.*}} : tensor<4x8xf32>, tensor<8x8xf32>
func.func @counter(%x: tensor<4x8xf32>, %trips: tensor<i64>, %go: tensor<i1>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %shape = graph.constant dense<[4, 8]> : tensor<2xi64>
  %n, %y = graph.loop %trips, %go init(%zero, %x) : tensor<i64>, tensor<i1>, tensor<f32>, tensor<4x8xf32> -> tensor<f32>, tensor<4x8xf32> {
  ^bb0(%i: tensor<i64>, %count: tensor<f32>, %state: tensor<4x8xf32>):
    %0 = graph.cast %i to f32 : tensor<i64> -> tensor<f32>
    %1 = graph.binary<add> %count, %0 : tensor<f32>, tensor<f32> -> tensor<f32>
    %2 = graph.broadcast %count, %shape : tensor<f32>, tensor<2xi64> -> tensor<4x8xf32>
    %3 = graph.contract %2[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %4 = graph.contract %state[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %5 = graph.binary<add> %3, %4 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %6 = graph.unary<tanh> %5 : tensor<4x8xf32> -> tensor<4x8xf32>
    graph.yield %go, %1, %6 : tensor<i1>, tensor<f32>, tensor<4x8xf32>
  }
  %7 = graph.broadcast %n, %shape : tensor<f32>, tensor<2xi64> -> tensor<4x8xf32>
  %8 = graph.contract %7[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %y, %8 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What a branch gives reaches what its branches do.
// CHECK-LABEL: @branch
//       CHECK:   graph.contract {{.*}} : tensor<4x8xf32>, tensor<8x8xf32>
func.func @branch(%x: tensor<4x8xf32>, %c: tensor<i1>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %many = graph.constant dense<1000.0> : tensor<f32>
  %y = graph.if %c : tensor<i1> -> tensor<4x8xf32> {
    %0 = graph.binary<mul> %x, %many : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    graph.yield %0 : tensor<4x8xf32>
  } else {
    graph.yield %x : tensor<4x8xf32>
  }
  %1 = graph.contract %y[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A table is picked from as halves.
// CHECK-LABEL: @table
//       CHECK:   %[[T:.*]] = graph.cast %{{.*}} to f16 : tensor<64x32xf32> -> tensor<64x32xf16>
//       CHECK:   %[[G:.*]] = graph.gather %[[T]], %{{.*}} dim 0 : tensor<64x32xf16>, tensor<5xi64> -> tensor<5x32xf16>
//       CHECK:   %[[W:.*]] = graph.cast %[[G]] to f32
//       CHECK:   graph.binary<add> %[[W]]
func.func @table(%i: tensor<5xi64>, %x: tensor<5x32xf32>) -> tensor<5x32xf32> {
  %t = graph.constant dense<0.25> : tensor<64x32xf32>
  %0 = graph.gather %t, %i dim 0 : tensor<64x32xf32>, tensor<5xi64> -> tensor<5x32xf32>
  %1 = graph.binary<add> %0, %x : tensor<5x32xf32>, tensor<5x32xf32> -> tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// -----

// A constant that is too large, or too small: f32. So is a product with positions.
// CHECK-LABEL: @negative_constants
//   CHECK-NOT:   f16
//       CHECK:   return
func.func @negative_constants(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %large = graph.constant dense<1.0e5> : tensor<8x8xf32>
  %small = graph.constant dense<1.0e-5> : tensor<8x8xf32>
  %half = graph.constant dense<0.5> : tensor<8x8xf32>
  %positions = graph.cast %i to f32 : tensor<4x8xi64> -> tensor<4x8xf32>
  %0 = graph.contract %x[0, 2], %large[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.contract %x[0, 2], %small[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %2 = graph.contract %positions[0, 2], %half[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Other types are the model's own.
// CHECK-LABEL: @negative_types
//  CHECK-NEXT:   graph.contract
//  CHECK-NEXT:   graph.contract
//  CHECK-NEXT:   return
func.func @negative_types(%x: tensor<4x8xf64>, %w: tensor<8x8xf64>, %a: tensor<4x8xf16>, %b: tensor<8x8xf16>) -> (tensor<4x8xf64>, tensor<4x8xf16>) {
  %0 = graph.contract %x[0, 2], %w[2, 1] to f64 [0, 1] : tensor<4x8xf64>, tensor<8x8xf64> -> tensor<4x8xf64>
  %1 = graph.contract %a[0, 2], %b[2, 1] to f16 [0, 1] : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf16>
  return %0, %1 : tensor<4x8xf64>, tensor<4x8xf16>
}

// -----

// Every cast belongs to a node: to the one that makes the value, or to those that read what no node makes.
// NODES-LABEL: @nodes
//   NODES-DAG:   graph.cast %{{.*}} to f16 : tensor<4x8xf32> -> tensor<4x8xf16> loc(fused["first", "second"])
//   NODES-DAG:   graph.cast %{{.*}} to f16 : tensor<8x8xf32> -> tensor<8x8xf16> loc(fused["first", "second", "third"])
//       NODES:   graph.cast %{{.*}} to f16 : tensor<4x8xf32> -> tensor<4x8xf16> loc("bend")
//       NODES:   graph.cast %{{.*}} to f32 : tensor<4x8xf16> -> tensor<4x8xf32> loc("last")
func.func @nodes(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = graph.constant dense<0.25> : tensor<8x8xf32>
  %0 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("first")
  %1 = graph.contract %x[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("second")
  %2 = graph.binary<add> %0, %1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("sum")
  %3 = graph.unary<tanh> %2 : tensor<4x8xf32> -> tensor<4x8xf32> loc("bend")
  %4 = graph.contract %3[0, 2], %w[2, 1] to f32 [0, 1] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("third")
  %5 = graph.binary<add> %4, %3 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("last")
  return %5, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
