// RUN: hone-opt %s --split-input-file --verify-diagnostics

func.func @unary_domain(%x: tensor<4xi32>) {
  // expected-error @+2 {{'exp' is not defined on elements of type i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.unary<exp> %x : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @binary_domain(%x: tensor<4xi1>) {
  // expected-error @+2 {{'add' is not defined on elements of type i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.binary<add> %x, %x : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

func.func @binary_elements(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+2 {{operands have different element types: f32 and i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.binary<add> %x, %y : tensor<4xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @binary_shapes(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{operands do not broadcast: tensor<4xf32> tensor<3xf32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.binary<add> %x, %y : tensor<4xf32>, tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @result_type(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @condition(%c: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = graph.select %c, %x, %x : tensor<4xi8>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @element_type(%x: tensor<4xi7>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = graph.unary<neg> %x : tensor<4xi7> -> tensor<4xi7>
  return
}

// -----

func.func @bitcast_width(%x: tensor<4xf32>) {
  // expected-error @+2 {{bitcast from f32 to i16 changes the width}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.bitcast %x to i16 : tensor<4xf32> -> tensor<4xi16>
  return
}

// -----

func.func @scale_element(%x: tensor<4xf32>, %s: tensor<i32>) {
  // expected-error @+2 {{scale has elements of type i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.quantize %x, %s to i8 axis(0) block(0) : tensor<4xf32>, tensor<i32> -> tensor<4xi8>
  return
}

// -----

func.func @zero_point_rank(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<4xi8>) {
  // expected-error @+2 {{scale and zero point have ranks 0 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.quantize %x, %s, %z to i8 axis(0) block(0) : tensor<4xf32>, tensor<f32>, tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @block_size(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{block size -2 is negative}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.quantize %x, %s to i8 axis(0) block(-2) : tensor<4xf32>, tensor<f32> -> tensor<4xi8>
  return
}

// -----

func.func @scale_rank(%x: tensor<2x4xf32>, %s: tensor<2xf32>) {
  // expected-error @+2 {{scale of rank 1 does not fit an input of rank 2 with block size 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.quantize %x, %s to i8 axis(0) block(2) : tensor<2x4xf32>, tensor<2xf32> -> tensor<2x4xi8>
  return
}

// -----

func.func @quantize_axis(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+2 {{axis 1 is not a dimension of a tensor of rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.quantize %x, %s to i8 axis(1) block(0) : tensor<4xf32>, tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @dequantize_to(%x: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error @+2 {{dequantizes to i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.dequantize %x, %s to i32 axis(0) block(0) : tensor<4xi8>, tensor<f32> -> tensor<4xi32>
  return
}

// -----

func.func @contract_elements(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{cannot multiply f32 and f32 into i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.contract %x[0, 2], %x[2, 1] to i32 [0, 1] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xi32>
  return
}

// -----

func.func @contract_count(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{names 3 indices for an operand of type tensor<2x2xf32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.contract %x[0, 1, 2], %x[2, 1] to f32 [0, 1] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @contract_twice(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{index 0 is negative or occurs twice in one tensor}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.contract %x[0, 0], %x[2, 1] to f32 [0, 1] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @contract_extents(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{extents of index 2 differ: 3 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.contract %x[0, 2], %x[2, 1] to f32 [0, 1] : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @contract_result(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{index 7 of the result is not an operand's or occurs twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.contract %x[0, 2], %x[2, 1] to f32 [0, 7] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @conv_ranks(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error @+2 {{input and weights have ranks 4 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error @+2 {{cannot split 4 output channels into 3 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 3 to f32
      : tensor<1x4x8x8xf32>, tensor<4x2x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{channels of the input and of the weights (times groups) differ: 4 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_strides(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{has 1 strides for 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_stride_range(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{strides of 0 are out of range}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 0] dilations [1, 1] pads [0, 0, 0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_pads(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{has 2 pads for 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_negative_pads(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{pads of -1 are out of range}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, -1] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @conv_rank(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) {
  // expected-error @+2 {{needs an input of rank 3 or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [] dilations [] pads [] groups 1 to f32 : tensor<1x4xf32>, tensor<4x4xf32> -> tensor<1x4xf32>
  return
}

// -----

func.func @transposed_padding(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{pads and output padding do not fit 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @transposed_groups(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+2 {{cannot split 4 input channels into 3 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 3 to f32
      : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @transposed_channels(%x: tensor<1x4x8x8xf32>, %w: tensor<5x4x3x3xf32>) {
  // expected-error @+2 {{channels of the input and of the weights differ: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] output_padding [0, 0] groups 1 to f32
      : tensor<1x4x8x8xf32>, tensor<5x4x3x3xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @pool_window(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{has a window that does not fit 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.pool<max> %x window [2] strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] : tensor<1x4x8x8xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @pool_bools(%x: tensor<1x4x8x8xi1>) {
  // expected-error @+2 {{cannot pool elements of type i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.pool<max> %x window [2, 2] strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] : tensor<1x4x8x8xi1> -> tensor<?x?x?x?xi1>
  return
}

// -----

func.func @pool_norm(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{has p = 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.pool<lp> %x window [2, 2] strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] {p = 0}
      : tensor<1x4x8x8xf32> -> tensor<?x?x?x?xf32>
  return
}

// -----

func.func @reduce_dims(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{dims 2 is not a dimension of a tensor of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reduce<sum> %x dims [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{dims names dimension 1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reduce<sum> %x dims [1, 1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_domain(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'all' is not defined on elements of type f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reduce<all> %x dims [1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @scan_bools(%x: tensor<2xi1>) {
  // expected-error @+2 {{cannot accumulate bools}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.scan<add> %x dim 0 : tensor<2xi1> -> tensor<2xi1>
  return
}

// -----

func.func @softmax_integers(%x: tensor<2xi32>) {
  // expected-error @+2 {{softmax of elements of type i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.softmax %x dim 0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @normalize_integers(%x: tensor<2xi32>) {
  // expected-error @+2 {{normalizes elements of type i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.normalize<rms> %x dims [0] epsilon 0.0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @topk_too_many(%x: tensor<2x3xf32>) {
  %k = graph.constant dense<4> : tensor<1xi64>
  // expected-error @+2 {{takes 4 of 3 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = graph.topk %x, %k dim 1 : tensor<2x3xf32>, tensor<1xi64> -> tensor<2x4xf32>, tensor<2x4xi64>
  return
}

// -----

func.func @topk_k(%x: tensor<2x3xf32>, %k: tensor<2xi64>) {
  // expected-error @+2 {{k must be a tensor of one element}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = graph.topk %x, %k dim 1 : tensor<2x3xf32>, tensor<2xi64> -> tensor<2x?xf32>, tensor<2x?xi64>
  return
}

// -----

func.func @range_bounds(%x: tensor<1xi64>) {
  // expected-error @+2 {{range bounds must be scalars}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.range %x, %x, %x : tensor<1xi64> -> tensor<?xi64>
  return
}

// -----

func.func @range_floats(%x: tensor<f32>) {
  // expected-error @+2 {{the length of a float range must be known at compile time; use integer bounds and a cast}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.range %x, %x, %x : tensor<f32> -> tensor<?xf32>
  return
}

// -----

func.func @range_step(%x: tensor<i64>) {
  %z = graph.constant dense<0> : tensor<i64>
  // expected-error @+2 {{range with a step of 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.range %x, %x, %z : tensor<i64> -> tensor<?xi64>
  return
}

// -----

func.func @reshape_length(%x: tensor<4xf32>, %s: tensor<?xi64>) {
  // expected-error @+2 {{shape must be a 1-D integer tensor of a length known at compile time, but is tensor<?xi64>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<?xi64> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_negative(%x: tensor<4xf32>) {
  %s = graph.constant dense<[-2, 2]> : tensor<2xi64>
  // expected-error @+2 {{reshapes to a negative extent: -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_open(%x: tensor<4xf32>) {
  %s = graph.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error @+2 {{has more than one -1 in its shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_multiple(%x: tensor<4xf32>) {
  %s = graph.constant dense<[3, -1]> : tensor<2xi64>
  // expected-error @+2 {{cannot reshape 4 elements into multiples of 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_count(%x: tensor<4xf32>) {
  %s = graph.constant dense<[3, 2]> : tensor<2xi64>
  // expected-error @+2 {{element counts of input and result differ: 4 and 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.reshape %x, %s : tensor<4xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @transpose_count(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{permutes 1 dimensions of a tensor of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.transpose %x perm [0] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{perm names dimension 0 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.transpose %x perm [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<2x3xf32>) {
  %s = graph.constant dense<6> : tensor<1xi64>
  // expected-error @+2 {{broadcasts a tensor of rank 2 to rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.broadcast %x, %s : tensor<2x3xf32>, tensor<1xi64> -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_negative(%x: tensor<2x3xf32>) {
  %s = graph.constant dense<[-1, 2, 3]> : tensor<3xi64>
  // expected-error @+2 {{broadcasts to a negative extent: -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.broadcast %x, %s : tensor<2x3xf32>, tensor<3xi64> -> tensor<?x?x?xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<2x3xf32>) {
  %s = graph.constant dense<[4, 3]> : tensor<2xi64>
  // expected-error @+2 {{cannot broadcast an extent of 2 to 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.broadcast %x, %s : tensor<2x3xf32>, tensor<2xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @tile_count(%x: tensor<2x3xf32>, %r: tensor<1xi64>) {
  // expected-error @+2 {{repeats has 1 elements instead of 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.tile %x, %r : tensor<2x3xf32>, tensor<1xi64> -> tensor<?x?xf32>
  return
}

// -----

func.func @tile_negative(%x: tensor<2xf32>) {
  %r = graph.constant dense<-1> : tensor<1xi64>
  // expected-error @+2 {{repeats a tensor -1 times}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.tile %x, %r : tensor<2xf32>, tensor<1xi64> -> tensor<?xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<2xf32>) {
  %z = graph.constant dense<0> : tensor<1xi64>
  // expected-error @+2 {{slices with a step of 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.slice %x[%z, %z, %z] dims [0] : tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<?xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<2xf32>, %p: tensor<2xi64>, %v: tensor<i32>) {
  // expected-error @+2 {{pads tensor<2xf32> with a value of type tensor<i32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.pad<constant> %x, %p, %v : tensor<2xf32>, tensor<2xi64>, tensor<i32> -> tensor<?xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<2xf32>, %v: tensor<f32>) {
  %p = graph.constant dense<-2> : tensor<2xi64>
  // expected-error @+2 {{pads dimension 0 to a negative extent}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.pad<constant> %x, %p, %v : tensor<2xf32>, tensor<2xi64>, tensor<f32> -> tensor<?xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+2 {{concatenates nothing}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "graph.concat"() {dim = 0 : i64} : () -> tensor<?xf32>
  return
}

// -----

func.func @concat_elements(%x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error @+2 {{concatenates tensor<2xf32> and tensor<2xi32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.concat %x, %y dim 0 : tensor<2xf32>, tensor<2xi32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_extents(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{extents of dimension 1 differ: 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.concat %x, %y dim 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_dim(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{dim -1 is not a dimension of a tensor of rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.gather %x, %i dim -1 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_rank(%x: tensor<4x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{indices have rank 1, the input 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i dim 0 : tensor<4x4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_length(%x: tensor<4xf32>, %i: tensor<2x?xi64>) {
  // expected-error @+2 {{the last extent of the indices must be known at compile time, but they are tensor<2x?xi64>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch 0 : tensor<4xf32>, tensor<2x?xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_tuples(%x: tensor<4xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+2 {{index tuples of 3 for 1 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch 0 : tensor<4xf32>, tensor<2x3xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_batch(%x: tensor<4xf32>, %i: tensor<2x1xi64>) {
  // expected-error @+2 {{has 5 batch dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch 5 : tensor<4xf32>, tensor<2x1xi64> -> tensor<2xf32>
  return
}

// -----

func.func @scatter_updates(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xi32>) {
  // expected-error @+2 {{writes updates of type i32 into f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.scatter_elements<assign> %x, %i, %u dim 0 : tensor<4xf32>, tensor<2xi64>, tensor<2xi32> -> tensor<4xf32>
  return
}

// -----

func.func @scatter_bools(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @+2 {{cannot combine bools by 'add'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.scatter_elements<add> %x, %i, %u dim 0 : tensor<4xi1>, tensor<2xi64>, tensor<2xi1> -> tensor<4xi1>
  return
}

// -----

func.func @scatter_ranks(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @+2 {{input, indices and updates have different ranks}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.scatter_elements<add> %x, %i, %u dim 0 : tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_updates(%x: tensor<4x2xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>) {
  // expected-error @+2 {{updates have rank 1 instead of 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.scatter_nd<add> %x, %i, %u : tensor<4x2xf32>, tensor<3x1xi64>, tensor<3xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @resize_scales(%x: tensor<4x4xf32>, %z: tensor<2xi64>, %s: tensor<1xf32>) {
  // expected-error @+2 {{scales and roi must have one and two numbers per dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.resize<nearest> %x, %z, %s coordinate <asymmetric> nearest <floor>
      : tensor<4x4xf32>, tensor<2xi64>, tensor<1xf32> -> tensor<?x?xf32>
  return
}

// -----

func.func @resize_negative(%x: tensor<4xf32>, %s: tensor<1xf32>) {
  %z = graph.constant dense<-4> : tensor<1xi64>
  // expected-error @+2 {{resizes to a negative extent: -4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.resize<nearest> %x, %z, %s coordinate <asymmetric> nearest <floor>
      : tensor<4xf32>, tensor<1xi64>, tensor<1xf32> -> tensor<?xf32>
  return
}

// -----

func.func @if_count(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{else yields 0 values for 1}}
  %0 = graph.if %c : tensor<i1> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield
  }
  return
}

// -----

func.func @if_type(%c: tensor<i1>, %x: tensor<5xf32>) {
  // expected-error @+1 {{then yields 'tensor<5xf32>' as value #0, expected 'tensor<4xf32>'}}
  %0 = graph.if %c : tensor<i1> -> tensor<4xf32> {
    graph.yield %x : tensor<5xf32>
  } else {
    graph.yield %x : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_results(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{carries 1 values but has 0 results}}
  graph.loop %n, %c init(%x) : tensor<i64>, tensor<i1>, tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    graph.yield %c, %a : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @loop_arguments(%c: tensor<i1>, %n: tensor<i64>) {
  // expected-error @+1 {{body takes 0 values; the trip number and 0 carried ones are given}}
  graph.loop %n, %c : tensor<i64>, tensor<i1> {
    graph.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @loop_stacks(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<f32>) {
  // expected-error @+1 {{stacks per-trip values into 'tensor<f32>', which has no first dimension}}
  %0 = graph.loop %n, %c : tensor<i64>, tensor<i1> -> tensor<f32> {
  ^bb0(%i: tensor<i64>):
    graph.yield %c, %x : tensor<i1>, tensor<f32>
  }
  return
}

// -----

func.func @loop_condition(%c: tensor<i1>, %n: tensor<i64>) {
  // expected-error @+1 {{body yields 'tensor<i64>' as value #0, expected 'tensor<i1>'}}
  graph.loop %n, %c : tensor<i64>, tensor<i1> {
  ^bb0(%i: tensor<i64>):
    graph.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @kernel_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{body yields 2 values for 1}}
  %0 = graph.kernel -> tensor<4xf32> {
    graph.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @relayout_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes more than the layout: 'tensor<4xf32>' to 'tensor<5xf32>'}}
  %0 = graph.relayout %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @relayout_unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{has an unknown layout: 'tensor<4xf32, 7 : i64>'}}
  %0 = graph.relayout %x : tensor<4xf32> -> tensor<4xf32, 7 : i64>
  return
}

// -----

func.func @relayout_order(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{has a layout that is not an order of the dimensions: 'tensor<4x4xf32, #graph.layout<[0, 0]>>'}}
  %0 = graph.relayout %x : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<[0, 0]>>
  return
}

// -----

func.func @arg_reduce(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{dim 2 is not a dimension of a tensor of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.arg_reduce<max> %x dim 2 keep last : tensor<2x3xf32> -> tensor<2x1xi64>
  return
}

// -----

func.func @cast_result(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tensor<4xi64>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.cast %x to i64 : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @cast_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of}}
  %0 = graph.cast %x to i7 : tensor<4xf32> -> tensor<4xi7>
  return
}

// -----

func.func @classify(%x: tensor<4xi32>) {
  // expected-error @+2 {{'nan' is not defined on elements of type i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.classify<nan> %x : tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

func.func @compare_elements(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+2 {{operands have different element types: f32 and i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.compare<lt> %x, %y : tensor<4xf32>, tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

func.func @compare_shapes(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{operands do not broadcast: tensor<4xf32> tensor<3xf32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.compare<lt> %x, %y : tensor<4xf32>, tensor<3xf32> -> tensor<4xi1>
  return
}

// -----

func.func @max_pool_indices(%x: tensor<1x1x4x4xf32>) {
  // expected-error @+2 {{strides of 0 are out of range}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.max_pool_indices %x window [2, 2] strides [0, 2] dilations [1, 1] pads [0, 0, 0, 0]
      : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xi64>
  return
}

// -----

func.func @nonzero(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'tensor<2x6xi64>', 'tensor<1xi64>' are incompatible with return type(s) of operation 'tensor<3x6xi64>', 'tensor<1xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0, %1 = graph.nonzero %x : tensor<2x3xf32> -> tensor<3x6xi64>, tensor<1xi64>
  return
}

// -----

func.func @shape(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'tensor<2xi64>' are incompatible with return type(s) of operation 'tensor<3xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = graph.shape %x : tensor<2x3xf32> -> tensor<3xi64>
  return
}
