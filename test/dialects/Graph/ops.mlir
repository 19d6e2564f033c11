// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<2x3xf32>, %r: tensor<3xf32>, %s: tensor<f32>, %c: tensor<3xi1>) {
  // CHECK: graph.unary<exp> %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = graph.unary<exp> %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: graph.unary<not> %{{.*}} : tensor<3xi1> -> tensor<3xi1>
  %1 = graph.unary<not> %c : tensor<3xi1> -> tensor<3xi1>
  // CHECK: graph.binary<add> %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.binary<add> %x, %r : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  // CHECK: graph.compare<lt> %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi1>
  %3 = graph.compare<lt> %x, %s : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi1>
  // CHECK: graph.classify<nan> %{{.*}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %4 = graph.classify<nan> %x : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  %5 = graph.select %c, %x, %s : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %zero: tensor<3xui8>, %q: tensor<2x3xi8>, %s: tensor<f32>) {
  // CHECK: graph.cast %{{.*}} to i64 : tensor<2x3xf32> -> tensor<2x3xi64>
  %0 = graph.cast %x to i64 : tensor<2x3xf32> -> tensor<2x3xi64>
  // CHECK: graph.cast %{{.*}} to f8E8M0FNU {rounding = #graph.rounding<up>, saturate = false} : tensor<2x3xf32> -> tensor<2x3xf8E8M0FNU>
  %1 = graph.cast %x to f8E8M0FNU {rounding = #graph.rounding<up>, saturate = false} : tensor<2x3xf32> -> tensor<2x3xf8E8M0FNU>
  // CHECK: graph.bitcast %{{.*}} to i32 : tensor<2x3xf32> -> tensor<2x3xi32>
  %2 = graph.bitcast %x to i32 : tensor<2x3xf32> -> tensor<2x3xi32>
  // CHECK: graph.quantize %{{.*}}, %{{.*}}, %{{.*}} to ui8 axis(1) block(0) : tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xui8>
  %3 = graph.quantize %x, %scale, %zero to ui8 axis(1) block(0)
      : tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xui8>
  // CHECK: graph.quantize %{{.*}}, %{{.*}} to i4 axis(0) block(0) : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi4>
  %4 = graph.quantize %x, %s to i4 axis(0) block(0) : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi4>
  // CHECK: graph.dequantize %{{.*}}, %{{.*}} to f32 axis(1) block(0) : tensor<2x3xi8>, tensor<f32> -> tensor<2x3xf32>
  %5 = graph.dequantize %q, %s to f32 axis(1) block(0) : tensor<2x3xi8>, tensor<f32> -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @contractions
func.func @contractions(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %x: tensor<1x3x224x224xf32>, %w: tensor<64x3x3x3xf32>,
                        %t: tensor<1x24x80x80xf32>, %v: tensor<24x1x2x2xf32>) {
  // CHECK: graph.contract %{{.*}}[0, 1, 3], %{{.*}}[0, 3, 2] to f32 [0, 1, 2] : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  %0 = graph.contract %a[0, 1, 3], %b[0, 3, 2] to f32 [0, 1, 2] : tensor<2x4x8xf32>, tensor<2x8x16xf32> -> tensor<2x4x16xf32>
  // CHECK: graph.conv %{{.*}}, %{{.*}} strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32 :
  // CHECK-SAME: tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x112x112xf32>
  %1 = graph.conv %x, %w strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] groups 1 to f32
      : tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x112x112xf32>
  // CHECK: graph.conv_transpose %{{.*}}, %{{.*}} strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32 :
  // CHECK-SAME: tensor<1x24x80x80xf32>, tensor<24x1x2x2xf32> -> tensor<1x1x160x160xf32>
  %2 = graph.conv_transpose %t, %v strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x24x80x80xf32>, tensor<24x1x2x2xf32> -> tensor<1x1x160x160xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x64x112x112xf32>, %y: tensor<1x1x4x4xf32>) {
  // CHECK: graph.pool<max> %{{.*}} window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
  %0 = graph.pool<max> %x window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1]
      : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
  // CHECK: graph.pool<avg> {{.*}} {ceilMode = true, countPad = true} : tensor<1x64x112x112xf32> -> tensor<1x64x57x57xf32>
  %1 = graph.pool<avg> %x window [3, 3] strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] {ceilMode = true, countPad = true}
      : tensor<1x64x112x112xf32> -> tensor<1x64x57x57xf32>
  // CHECK: graph.pool<lp> {{.*}} {p = 3 : i64} : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xf32>
  %2 = graph.pool<lp> %y window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] {p = 3 : i64}
      : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xf32>
  // CHECK: graph.max_pool_indices %{{.*}} window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] {columnMajor = true} :
  // CHECK-SAME: tensor<1x1x4x4xf32> -> tensor<1x1x2x2xi64>
  %3 = graph.max_pool_indices %y window [2, 2] strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] {columnMajor = true}
      : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xi64>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<2x3x4xf32>, %k: tensor<1xi64>) {
  // CHECK: graph.reduce<sum> %{{.*}} dims [1, 2] keep : tensor<2x3x4xf32> -> tensor<2x1x1xf32>
  %0 = graph.reduce<sum> %x dims [1, 2] keep : tensor<2x3x4xf32> -> tensor<2x1x1xf32>
  // CHECK: graph.reduce<max> %{{.*}} dims [] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %1 = graph.reduce<max> %x dims [] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  // CHECK: graph.arg_reduce<max> %{{.*}} dim 1 keep last : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
  %2 = graph.arg_reduce<max> %x dim 1 keep last : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
  // CHECK: graph.scan<add> %{{.*}} dim 0 exclusive reverse : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %3 = graph.scan<add> %x dim 0 exclusive reverse : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  // CHECK: graph.softmax %{{.*}} dim 1 log : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %4 = graph.softmax %x dim 1 log : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  // CHECK: graph.normalize<layer> %{{.*}} dims [2] epsilon 1.000000e-05 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %5 = graph.normalize<layer> %x dims [2] epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  // CHECK: graph.nonzero %{{.*}} : tensor<2x3x4xf32> -> tensor<3x24xi64>, tensor<1xi64>
  %p, %n = graph.nonzero %x : tensor<2x3x4xf32> -> tensor<3x24xi64>, tensor<1xi64>
  // CHECK: graph.topk %{{.*}}, %{{.*}} dim 1 largest : tensor<2x3x4xf32>, tensor<1xi64> -> tensor<2x?x4xf32>, tensor<2x?x4xi64>
  %v, %i = graph.topk %x, %k dim 1 largest : tensor<2x3x4xf32>, tensor<1xi64> -> tensor<2x?x4xf32>, tensor<2x?x4xi64>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x12xf32>, %d: tensor<2x?xf32>, %s: tensor<i64>, %shape: tensor<3xi64>, %zero: tensor<f32>) {
  // CHECK: graph.constant dense<1.000000e+00> : tensor<3xf32>
  %0 = graph.constant dense<1.0> : tensor<3xf32>
  // CHECK: graph.range %{{.*}}, %{{.*}}, %{{.*}} : tensor<i64> -> tensor<?xi64>
  %1 = graph.range %s, %s, %s : tensor<i64> -> tensor<?xi64>
  // CHECK: graph.shape %{{.*}} : tensor<2x?xf32> -> tensor<2xi64>
  %2 = graph.shape %d : tensor<2x?xf32> -> tensor<2xi64>
  // CHECK: graph.reshape %{{.*}}, %{{.*}} : tensor<2x12xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
  %3 = graph.reshape %x, %shape : tensor<2x12xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
  // CHECK: graph.transpose %{{.*}} perm [1, 0] : tensor<2x?xf32> -> tensor<?x2xf32>
  %4 = graph.transpose %d perm [1, 0] : tensor<2x?xf32> -> tensor<?x2xf32>
  // CHECK: graph.broadcast %{{.*}}, %{{.*}} : tensor<f32>, tensor<3xi64> -> tensor<?x?x?xf32>
  %5 = graph.broadcast %zero, %shape : tensor<f32>, tensor<3xi64> -> tensor<?x?x?xf32>
  %repeats = graph.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK: graph.tile %{{.*}}, %{{.*}} : tensor<2x12xf32>, tensor<2xi64> -> tensor<4x36xf32>
  %6 = graph.tile %x, %repeats : tensor<2x12xf32>, tensor<2xi64> -> tensor<4x36xf32>
  %one = graph.constant dense<1> : tensor<1xi64>
  %nine = graph.constant dense<9> : tensor<1xi64>
  // CHECK: graph.slice %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [1] : tensor<2x12xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x8xf32>
  %7 = graph.slice %x[%one, %nine, %one] dims [1] : tensor<2x12xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<2x8xf32>
  %pads = graph.constant dense<1> : tensor<4xi64>
  // CHECK: graph.pad<reflect> %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x12xf32>, tensor<4xi64>, tensor<f32> -> tensor<4x14xf32>
  %8 = graph.pad<reflect> %x, %pads, %zero : tensor<2x12xf32>, tensor<4xi64>, tensor<f32> -> tensor<4x14xf32>
  // CHECK: graph.concat %{{.*}}, %{{.*}} dim 1 : tensor<2x12xf32>, tensor<2x?xf32> -> tensor<2x?xf32>
  %9 = graph.concat %x, %d dim 1 : tensor<2x12xf32>, tensor<2x?xf32> -> tensor<2x?xf32>
  return
}

// CHECK-LABEL: func.func @gathers
func.func @gathers(%x: tensor<3x4xf32>, %i: tensor<2x3xi64>, %j: tensor<2x4xi32>, %t: tensor<5x2xi64>, %u: tensor<2x4xf32>, %v: tensor<5xf32>) {
  // CHECK: graph.gather %{{.*}}, %{{.*}} dim 0 : tensor<3x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %0 = graph.gather %x, %i dim 0 : tensor<3x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: graph.gather_elements %{{.*}}, %{{.*}} dim 0 : tensor<3x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  %1 = graph.gather_elements %x, %j dim 0 : tensor<3x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  // CHECK: graph.gather_nd %{{.*}}, %{{.*}} batch 0 : tensor<3x4xf32>, tensor<5x2xi64> -> tensor<5xf32>
  %2 = graph.gather_nd %x, %t batch 0 : tensor<3x4xf32>, tensor<5x2xi64> -> tensor<5xf32>
  // CHECK: graph.scatter_elements<assign> %{{.*}}, %{{.*}}, %{{.*}} dim 0 : tensor<3x4xf32>, tensor<2x4xi32>, tensor<2x4xf32> -> tensor<3x4xf32>
  %3 = graph.scatter_elements<assign> %x, %j, %u dim 0 : tensor<3x4xf32>, tensor<2x4xi32>, tensor<2x4xf32> -> tensor<3x4xf32>
  // CHECK: graph.scatter_nd<add> %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<5x2xi64>, tensor<5xf32> -> tensor<3x4xf32>
  %4 = graph.scatter_nd<add> %x, %t, %v : tensor<3x4xf32>, tensor<5x2xi64>, tensor<5xf32> -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func.func @resize
func.func @resize(%x: tensor<1x8x4x4xf32>, %sizes: tensor<4xi64>, %scales: tensor<4xf32>, %roi: tensor<8xf32>) {
  // CHECK: graph.resize<nearest> %{{.*}}, %{{.*}}, %{{.*}} coordinate <asymmetric> nearest <floor> :
  // CHECK-SAME: tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  %0 = graph.resize<nearest> %x, %sizes, %scales coordinate <asymmetric> nearest <floor>
      : tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32> -> tensor<?x?x?x?xf32>
  // CHECK: graph.resize<cubic> %{{.*}}, %{{.*}}, %{{.*}} roi %{{.*}} coordinate <tf_crop_and_resize> nearest <round_prefer_floor>
  // CHECK-SAME: {antialias = true, cubicCoefficient = -5.000000e-01 : f64, excludeOutside = true, extrapolation = 1.000000e+00 : f64} :
  // CHECK-SAME: tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<8xf32> -> tensor<?x?x?x?xf32>
  %1 = graph.resize<cubic> %x, %sizes, %scales roi %roi coordinate <tf_crop_and_resize> nearest <round_prefer_floor>
      {antialias = true, cubicCoefficient = -0.5, excludeOutside = true, extrapolation = 1.0}
      : tensor<1x8x4x4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<8xf32> -> tensor<?x?x?x?xf32>
  return
}

// CHECK-LABEL: func.func @structure
func.func @structure(%c: tensor<i1>, %trips: tensor<i64>, %a: tensor<4xf32>, %b: tensor<?xf32>) -> tensor<4xf32> {
  // CHECK: graph.if %{{.*}} : tensor<i1> -> tensor<?xf32> {
  // CHECK-NEXT: graph.yield %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: graph.yield %{{.*}} : tensor<?xf32>
  %0 = graph.if %c : tensor<i1> -> tensor<?xf32> {
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %b : tensor<?xf32>
  }
  // CHECK: graph.loop %{{.*}}, %{{.*}} init(%{{.*}}) : tensor<i64>, tensor<i1>, tensor<4xf32> -> tensor<4xf32>, tensor<?x4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[ACC:.*]]: tensor<4xf32>):
  // CHECK-NEXT: graph.yield %{{.*}}, %[[ACC]], %[[ACC]] : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  %s, %all = graph.loop %trips, %c init(%a) : tensor<i64>, tensor<i1>, tensor<4xf32> -> tensor<4xf32>, tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
    graph.yield %c, %acc, %acc : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: graph.loop %{{.*}}, %{{.*}} : tensor<i64>, tensor<i1> {
  graph.loop %trips, %c : tensor<i64>, tensor<i1> {
  ^bb0(%i: tensor<i64>):
    graph.yield %c : tensor<i1>
  }
  // CHECK: graph.kernel -> tensor<4xf32> {
  %k = graph.kernel -> tensor<4xf32> {
    %1 = graph.unary<exp> %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %k : tensor<4xf32>
}

// CHECK-LABEL: func.func @layouts
func.func @layouts(%x: tensor<1x8x4x4xf32>, %w: tensor<32x64xf32>) {
  // CHECK: graph.relayout %{{.*}} : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  %0 = graph.relayout %x : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  // CHECK: graph.relayout %{{.*}} : tensor<32x64xf32> -> tensor<32x64xf32, #graph.layout<[1, 0] panels 16 of 1>>
  %1 = graph.relayout %w : tensor<32x64xf32> -> tensor<32x64xf32, #graph.layout<[1, 0] panels 16 of 1>>
  return
}

// Every element type.
// CHECK-LABEL: func.func @elements
//  CHECK-SAME: tensor<f64>, {{.*}} tensor<f16>, {{.*}} tensor<bf16>
func.func @elements(%a: tensor<f64>, %b: tensor<f16>, %c: tensor<bf16>, %d: tensor<f8E4M3FN>, %e: tensor<f8E4M3FNUZ>, %f: tensor<f8E5M2>,
                    %g: tensor<f8E5M2FNUZ>, %h: tensor<f8E8M0FNU>, %i: tensor<f4E2M1FN>, %j: tensor<i2>, %k: tensor<i4>, %l: tensor<i16>,
                    %m: tensor<ui2>, %n: tensor<ui4>, %o: tensor<ui16>, %p: tensor<ui32>, %q: tensor<ui64>) {
  // CHECK-COUNT-17: graph.shape
  %0 = graph.shape %a : tensor<f64> -> tensor<0xi64>
  %1 = graph.shape %b : tensor<f16> -> tensor<0xi64>
  %2 = graph.shape %c : tensor<bf16> -> tensor<0xi64>
  %3 = graph.shape %d : tensor<f8E4M3FN> -> tensor<0xi64>
  %4 = graph.shape %e : tensor<f8E4M3FNUZ> -> tensor<0xi64>
  %5 = graph.shape %f : tensor<f8E5M2> -> tensor<0xi64>
  %6 = graph.shape %g : tensor<f8E5M2FNUZ> -> tensor<0xi64>
  %7 = graph.shape %h : tensor<f8E8M0FNU> -> tensor<0xi64>
  %8 = graph.shape %i : tensor<f4E2M1FN> -> tensor<0xi64>
  %9 = graph.shape %j : tensor<i2> -> tensor<0xi64>
  %10 = graph.shape %k : tensor<i4> -> tensor<0xi64>
  %11 = graph.shape %l : tensor<i16> -> tensor<0xi64>
  %12 = graph.shape %m : tensor<ui2> -> tensor<0xi64>
  %13 = graph.shape %n : tensor<ui4> -> tensor<0xi64>
  %14 = graph.shape %o : tensor<ui16> -> tensor<0xi64>
  %15 = graph.shape %p : tensor<ui32> -> tensor<0xi64>
  %16 = graph.shape %q : tensor<ui64> -> tensor<0xi64>
  return
}
