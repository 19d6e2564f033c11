// RUN: hone-opt %s --hone-cuda-print-source -o /dev/null | FileCheck %s

#shared = #gpu.address_space<workgroup>

// Only what kernels mention is defined.
// CHECK-NOT: warp_reduce
// CHECK: using u32 = unsigned int;
// CHECK: using idx = long long;
// CHECK: struct f16 {

// CHECK: // elementwise: a, b{{$}}
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(128)
// CHECK-NEXT: elementwise(const float *__restrict__ b0, float *__restrict__ b1, idx s0) {
// CHECK-NEXT:   const idx p0 = (idx)blockIdx.x * 128 + (idx)threadIdx.x;
// CHECK-NEXT:   if (p0 < s0) {
// CHECK-NEXT:     b1[p0] = expf(b0[p0]) + 1.5f;
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @elementwise(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 128 : i32} {
  %c128 = arith.constant 128 : index
  %cst = arith.constant 1.5 : f32
  %b = gpu.block_id x
  %t = gpu.thread_id x
  %0 = arith.muli %b, %c128 : index
  %1 = arith.addi %0, %t : index
  %2 = arith.cmpi slt, %1, %n : index
  scf.if %2 {
    %3 = memref.load %x[%1] : memref<?xf32>
    %4 = math.exp %3 : f32
    %5 = arith.addf %4, %cst : f32
    memref.store %5, %y[%1] : memref<?xf32>
  }
  return
} loc(fused["a"("m.onnx":0:0), "b"("m.onnx":1:0)])

// A product that may be contracted with its sum is; others stay what they are.
// CHECK-LABEL: dot(
// CHECK:   float acc0 = 0.0f;
// CHECK-NEXT:   for (idx i = 0; i < s0; ++i) {
// CHECK-NEXT:     acc0 = fmaf(b0[i], b1[i], acc0);
// CHECK-NEXT:   }
// CHECK-NEXT:   b2[0] = acc0;
// CHECK-NEXT:   b2[1] = acc0 * 2.0f + 0.1f;
func.func @dot(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %tenth = arith.constant 0.1 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %a, %b fastmath<reassoc,contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32
    scf.yield %s : f32
  }
  memref.store %sum, %z[%c0] : memref<?xf32>
  %q = arith.mulf %sum, %two : f32
  %r = arith.addf %q, %tenth : f32
  memref.store %r, %z[%c1] : memref<?xf32>
  return
}

// Values that swap places do so at once; loads do not move over stores.
// CHECK-LABEL: swap(
// CHECK:   for (idx i = 0; i < s0; i += 2) {
// CHECK-NEXT:     const u32 next0 = acc1;
// CHECK-NEXT:     acc1 = acc0 + 1u;
// CHECK-NEXT:     acc0 = next0;
// CHECK-NEXT:   }
// CHECK-NEXT:   const u32 v0 = b0[1];
// CHECK-NEXT:   b0[1] = acc0;
// CHECK-NEXT:   b0[2] = v0;
func.func @swap(%x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r:2 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %zero, %b = %one) -> (i32, i32) {
    %next = arith.addi %a, %one : i32
    scf.yield %b, %next : i32, i32
  }
  %old = memref.load %x[%c1] : memref<?xi32>
  memref.store %r#0, %x[%c1] : memref<?xi32>
  memref.store %old, %x[%c2] : memref<?xi32>
  return
}

// Integers have a sign where an op sees one, and wrap.
// CHECK-LABEL: integers(
// CHECK:   const u8 v0 = b0[0];
// CHECK-NEXT:   const u8 v1 = b0[1];
// CHECK-NEXT:   b0[0] = (u8)(v0 + v1);
// CHECK-NEXT:   b0[1] = (u8)((i8)v0 / (i8)v1);
// CHECK-NEXT:   b0[2] = (u8)min((i8)v0, (i8)-3);
// CHECK-NEXT:   const u32 n0 = (u32)(i8)v0;
// CHECK-NEXT:   b1[0] = n0 * 4294967291u;
// CHECK-NEXT:   b1[1] = (u32)((i32)n0 >> 3u);
// CHECK-NEXT:   b1[2] = (i32)n0 < -5 ? (u32)v0 : (u32)((idx)threadIdx.x);
// CHECK-NEXT:   b1[3] = (u32)floor_div((i32)n0, 7);
// CHECK-NEXT:   b1[4] = (u32)(i32)((float)(i32)n0 * 0.5f);
func.func @integers(%x: memref<?xi8>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %minus3 = arith.constant -3 : i8
  %minus5 = arith.constant -5 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %half = arith.constant 0.5 : f32
  %a = memref.load %x[%c0] : memref<?xi8>
  %b = memref.load %x[%c1] : memref<?xi8>
  %0 = arith.addi %a, %b : i8
  memref.store %0, %x[%c0] : memref<?xi8>
  %1 = arith.divsi %a, %b : i8
  memref.store %1, %x[%c1] : memref<?xi8>
  %2 = arith.minsi %a, %minus3 : i8
  memref.store %2, %x[%c2] : memref<?xi8>
  %3 = arith.extsi %a : i8 to i32
  %4 = arith.muli %3, %minus5 : i32
  memref.store %4, %y[%c0] : memref<?xi32>
  %5 = arith.shrsi %3, %three : i32
  memref.store %5, %y[%c1] : memref<?xi32>
  %6 = arith.cmpi slt, %3, %minus5 : i32
  %7 = arith.extui %a : i8 to i32
  %t = gpu.thread_id x
  %8 = arith.index_cast %t : index to i32
  %9 = arith.select %6, %7, %8 : i32
  memref.store %9, %y[%c2] : memref<?xi32>
  %10 = arith.floordivsi %3, %seven : i32
  memref.store %10, %y[%c3] : memref<?xi32>
  %11 = arith.sitofp %3 : i32 to f32
  %12 = arith.mulf %11, %half : f32
  %13 = arith.fptosi %12 : f32 to i32
  memref.store %13, %y[%c4] : memref<?xi32>
  return
}

// A literal says its type where nothing beside it does.
// CHECK-LABEL: literals(
// CHECK:   b0[0] = (u64)min(s0, s0 > 0 ? 20ll : 19ll);
// CHECK-NEXT:   b0[1] = (u64)(1ll << (u64)s0);
func.func @literals(%y: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %0 = arith.cmpi sgt, %n, %c0 : index
  %1 = arith.select %0, %c20, %c19 : index
  %2 = arith.minsi %n, %1 : index
  %3 = arith.index_cast %2 : index to i64
  memref.store %3, %y[%c0] : memref<?xi64>
  %4 = arith.shli %c1, %n : index
  %5 = arith.index_cast %4 : index to i64
  memref.store %5, %y[%c1] : memref<?xi64>
  return
}

// NaN: maximumf keeps it, maxnumf loses it; comparisons say which they want.
// CHECK-LABEL: floats(
// CHECK:   b0[0] = maximum(v0, v1);
// CHECK-NEXT:   b0[1] = fmaxf(v0, v1);
// CHECK-NEXT:   b0[2] = !(v0 >= v1) ? v0 : of_bits<float>((u32)0x7F800000u);
// CHECK-NEXT:   b0[3] = is_unordered(v0, v1) ? v0 - (v1 - v0) : -(v0 * v1);
// CHECK-NEXT:   b1[0] = (f16)((float)(f16)v0 + 0.33325195f);
// CHECK-NEXT:   b2[0] = (double)v0 / 3.14;
func.func @floats(%x: memref<?xf32>, %h: memref<?xf16>, %d: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %inf = arith.constant 0x7F800000 : f32
  %third = arith.constant 0.333333 : f16
  %pi = arith.constant 3.14 : f64
  %a = memref.load %x[%c0] : memref<?xf32>
  %b = memref.load %x[%c1] : memref<?xf32>
  %0 = arith.maximumf %a, %b : f32
  memref.store %0, %x[%c0] : memref<?xf32>
  %1 = arith.maxnumf %a, %b : f32
  memref.store %1, %x[%c1] : memref<?xf32>
  %2 = arith.cmpf ult, %a, %b : f32
  %3 = arith.select %2, %a, %inf : f32
  memref.store %3, %x[%c2] : memref<?xf32>
  %4 = arith.cmpf uno, %a, %b : f32
  %5 = arith.subf %b, %a : f32
  %6 = arith.subf %a, %5 : f32
  %7 = arith.mulf %a, %b : f32
  %8 = arith.negf %7 : f32
  %9 = arith.select %4, %6, %8 : f32
  memref.store %9, %x[%c3] : memref<?xf32>
  %10 = arith.truncf %a : f32 to f16
  %11 = arith.addf %10, %third : f16
  memref.store %11, %h[%c0] : memref<?xf16>
  %12 = arith.extf %a : f32 to f64
  %13 = arith.divf %12, %pi : f64
  memref.store %13, %d[%c0] : memref<?xf64>
  return
}

// CHECK-LABEL: control(
// CHECK:   idx state0 = 1;
// CHECK-NEXT:   idx passed0;
// CHECK-NEXT:   while (true) {
// CHECK-NEXT:     passed0 = state0 * 2;
// CHECK-NEXT:     if (!(state0 < s0))
// CHECK-NEXT:       break;
// CHECK-NEXT:     state0 = passed0 + 1;
// CHECK-NEXT:   }
// CHECK-NEXT:   float r0;
// CHECK-NEXT:   if (passed0 == 7 || s0 > 3) {
// CHECK-NEXT:     r0 = 1.0f;
// CHECK-NEXT:   } else {
// CHECK-NEXT:     r0 = 2.0f;
// CHECK-NEXT:   }
// CHECK-NEXT:   b0[passed0] = r0;
func.func @control(%x: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %w = scf.while (%a = %c1) : (index) -> index {
    %go = arith.cmpi slt, %a, %n : index
    %twice = arith.muli %a, %c2 : index
    scf.condition(%go) %twice : index
  } do {
  ^bb0(%b: index):
    %next = arith.addi %b, %c1 : index
    scf.yield %next : index
  }
  %is7 = arith.cmpi eq, %w, %c7 : index
  %large = arith.cmpi sgt, %n, %c3 : index
  %either = arith.ori %is7, %large : i1
  %r = scf.if %either -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %two : f32
  }
  memref.store %r, %x[%w] : memref<?xf32>
  return
}

// Memory of a thread, of the workgroup, of the launch; lanes.
// CHECK-LABEL: memories(
// CHECK-SAME: const float *__restrict__ b0, u8 *b1)
// CHECK:   __shared__ __align__(16) float shared0[64];
// CHECK-NEXT:   float local0[4];
// CHECK-NEXT:   const idx p0 = (idx)threadIdx.x;
// CHECK-NEXT:   float *view0 = (float *)(b1 + 128);
// CHECK-NEXT:   shared0[p0] = b0[p0];
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   local0[1] = shared0[p0 + 1];
// CHECK-NEXT:   const float x0 = shuffle_xor(local0[1], (i32)16, (i32)32);
// CHECK-NEXT:   const float x1 = warp_reduce<32>(x0, [](float a, float b) { return a + b; });
// CHECK-NEXT:   view0[p0] = x1;
func.func @memories(%x: memref<?xf32>, %scratch: memref<?xi8>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c1000 = arith.constant 1000 : index
  %offset = arith.constant 16 : i32
  %width = arith.constant 32 : i32
  %shared = memref.alloc() : memref<64xf32, #shared>
  %local = memref.alloca() : memref<4xf32>
  %t = gpu.thread_id x
  %view = memref.view %scratch[%c128][%c1000] : memref<?xi8> to memref<?xf32>
  %0 = memref.load %x[%t] : memref<?xf32>
  memref.store %0, %shared[%t] : memref<64xf32, #shared>
  gpu.barrier
  %next = arith.addi %t, %c1 : index
  %1 = memref.load %shared[%next] : memref<64xf32, #shared>
  memref.store %1, %local[%c1] : memref<4xf32>
  %2 = memref.load %local[%c1] : memref<4xf32>
  %3, %valid = gpu.shuffle xor %2, %offset, %width : f32
  %4 = gpu.subgroup_reduce add %3 : (f32) -> f32
  memref.store %4, %view[%t] : memref<?xf32>
  return
}

// Functions of a kernel, whose statements may be given as text. Where indices fit, they have 32 bits.
// CHECK-LABEL: __device__ __forceinline__ float texts_value(i32 s0, const bf16 *__restrict__ b0) {
// CHECK-NEXT:   return (float)b0[s0 % 7 + 1];
// CHECK-NEXT: }
// CHECK:      extern "C" __global__ void __launch_bounds__(64)
// CHECK-NEXT: texts(const bf16 *__restrict__ b0, float *__restrict__ b1, idx s0) {
// CHECK-NEXT:   const i32 n0 = (i32)s0;
// CHECK-NEXT:   b1[threadIdx.x] = texts_value((i32)threadIdx.x, b0);
// CHECK-NEXT: }
func.func private @texts.value(%i: index, %x: memref<?xbf16>) -> f32 attributes {hone.index_bits = 32 : i32} {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %0 = arith.remsi %i, %c7 : index
  %1 = arith.addi %0, %c1 : index
  %2 = memref.load %x[%1] : memref<?xbf16>
  %3 = arith.extf %2 : bf16 to f32
  return %3 : f32
}
func.func @texts(%x: memref<?xbf16>, %y: memref<?xf32> {hone.written}, %n: index)
    attributes {hone.workgroup_size = 64 : i32, hone.index_bits = 32 : i32,
                hone.cuda_text = "  b1[threadIdx.x] = texts_value((i32)threadIdx.x, b0);\0A"} {
  return
}

// Several elements move as one.
// CHECK-LABEL: several(const float *__restrict__ b0, float *__restrict__ b1, u8 *__restrict__ b2, idx s0) {
// CHECK-NEXT:   Pack<u8, 2> pack0;
// CHECK-NEXT:   pack0.elements[0] = 7;
// CHECK-NEXT:   pack0.elements[1] = 8;
// CHECK-NEXT:   const idx p0 = s0 * 4;
// CHECK-NEXT:   const Pack<float> pack1 = *(const Pack<float> *)(b0 + p0);
// CHECK-NEXT:   Pack<float> pack2;
// CHECK-NEXT:   pack2.elements[0] = fabsf(pack1.elements[3]);
// CHECK-NEXT:   pack2.elements[1] = pack1.elements[1] + pack1.elements[2];
// CHECK-NEXT:   pack2.elements[2] = pack1.elements[1];
// CHECK-NEXT:   pack2.elements[3] = 1.0f;
// CHECK-NEXT:   *(Pack<float> *)(b1 + p0) = pack2;
// CHECK-NEXT:   *(Pack<u8, 2> *)b2 = pack0;
// CHECK-NEXT:   Pack<float, 2> pack3;
// CHECK-NEXT:   pack3.elements[0] = pack1.elements[0];
// CHECK-NEXT:   pack3.elements[1] = pack1.elements[0];
// CHECK-NEXT:   *(Pack<float, 2> *)(b1 + 2) = pack3;
// CHECK-NEXT: }
func.func @several(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xi8>, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %bytes = arith.constant dense<[7, 8]> : vector<2xi8>
  %at = arith.muli %n, %c4 : index
  %v = vector.load %x[%at] : memref<?xf32>, vector<4xf32>
  %v0 = vector.extract %v[0] : f32 from vector<4xf32>
  %v1 = vector.extract %v[1] : f32 from vector<4xf32>
  %v2 = vector.extract %v[2] : f32 from vector<4xf32>
  %v3 = vector.extract %v[3] : f32 from vector<4xf32>
  %a = math.absf %v3 : f32
  %b = arith.addf %v1, %v2 : f32
  %w = vector.from_elements %a, %b, %v1, %one : vector<4xf32>
  vector.store %w, %y[%at] : memref<?xf32>, vector<4xf32>
  vector.store %bytes, %z[%c0] : memref<?xi8>, vector<2xi8>
  %all = vector.broadcast %v0 : f32 to vector<2xf32>
  vector.store %all, %y[%c2] : memref<?xf32>, vector<2xf32>
  return
}
