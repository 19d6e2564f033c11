// RUN: hone-opt %s --pass-pipeline='builtin.module(func.func(hone-vulkan-type-buffers),hone-vulkan-kernels-to-spirv)' \
// RUN:   --split-input-file --verify-diagnostics | FileCheck %s

// A grid of rows of 32768 workgroups; scalars are push constants.
// CHECK-LABEL: spirv.module @elementwise Logical GLSL450
// CHECK-SAME:    hone.buffers = 2 : i32, hone.scalars = 2 : i32
// CHECK-DAG:     spirv.GlobalVariable @scalars : !spirv.ptr<!spirv.struct<(i64 [0], i64 [8]), Block>, PushConstant>
// CHECK-DAG:     spirv.GlobalVariable @buffer1 bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>
// CHECK:         spirv.func @main() "None"
// CHECK:           %[[N:.*]] = spirv.Load "PushConstant" %{{.*}} : i64
// CHECK:           %[[ROW:.*]] = spirv.Constant 32768 : i32
// CHECK:           spirv.IMul %{{.*}}, %[[ROW]] : i32
// CHECK:           spirv.ULessThan %{{.*}}, %[[N]] : i64
// CHECK:           spirv.FMul %{{.*}}, %{{.*}} {no_contraction} : f32
// CHECK:           spirv.FAdd %{{.*}}, %{{.*}} : f32
// CHECK:         spirv.EntryPoint "GLCompute" @main, @__builtin__LocalInvocationId__, @__builtin__WorkgroupId__
// CHECK:         spirv.ExecutionMode @main "LocalSize", 64, 1, 1
// CHECK:         spirv.ExecutionMode @main "SignedZeroInfNanPreserve", 32
// CHECK:         spirv.ExecutionMode @main "RoundingModeRTE", 16
func.func @elementwise(%x: memref<?xf32>, %y: memref<?xf16>, %unused: index, %n: index) attributes {hone.workgroup_size = 64 : i32} {
  %c64 = arith.constant 64 : index
  %b = gpu.block_id x
  %t = gpu.thread_id x
  %base = arith.muli %b, %c64 : index
  %i = arith.addi %base, %t : index
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %v : f32
    %u = arith.addf %w, %v fastmath<contract> : f32
    %h = arith.truncf %u : f32 to f16
    memref.store %h, %y[%i] : memref<?xf16>
  }
  return
}

// -----

// What goes round barriers is coherent; a buffer of two types is aliased.
// CHECK-LABEL: spirv.module @workgroup
// CHECK-SAME:    hone.workgroup_bytes = 128 : i32
// CHECK-DAG:     spirv.GlobalVariable @shared{{.*}} : !spirv.ptr<!spirv.array<32 x f32>, Workgroup>
// CHECK-DAG:     spirv.GlobalVariable @buffer1 bind(0, 1) {aliased, coherent} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, StorageBuffer>
// CHECK-DAG:     spirv.GlobalVariable @buffer2 bind(0, 1) {aliased, coherent} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
// CHECK-DAG:     spirv.GlobalVariable @buffer0 bind(0, 0) : !spirv.ptr
// CHECK:         spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
func.func @workgroup(%x: memref<?xf32>, %scratch: memref<?xi8>) attributes {hone.workgroup_size = 32 : i32} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %t = gpu.thread_id x
  %shared = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
  %private = memref.alloca() : memref<4xf32>
  %view = memref.view %scratch[%c0][] : memref<?xi8> to memref<8xf32>
  %v = memref.load %x[%t] : memref<?xf32>
  memref.store %v, %shared[%t] : memref<32xf32, #gpu.address_space<workgroup>>
  memref.store %v, %private[%c0] : memref<4xf32>
  memref.store %v, %view[%t] : memref<8xf32>
  memref.store %one, %scratch[%t] : memref<?xi8>
  gpu.barrier
  %w = memref.load %view[%c0] : memref<8xf32>
  memref.store %w, %private[%t] : memref<4xf32>
  return
}

// -----

// The results of a loop are stored before it is left, so a loop that does nothing has its initial values.
// CHECK-LABEL: spirv.module @loops
// CHECK:         spirv.mlir.loop {
// CHECK:           spirv.Branch ^[[HEADER:.*]](%{{.*}}, %[[INIT:.*]] : i64, f32)
// CHECK:         ^[[HEADER]](%{{.*}}: i64, %[[SUM:.*]]: f32):
// CHECK:           spirv.Store "Function" %[[RESULT:.*]], %[[SUM]] : f32
// CHECK:           spirv.SLessThan
// CHECK:           spirv.BranchConditional %{{.*}}, ^[[BODY:.*]], ^[[MERGE:.*]]
// CHECK:         ^[[BODY]]:
// CHECK:           %[[NEXT:.*]] = spirv.FAdd
// CHECK:           spirv.Branch ^[[CONTINUE:.*]](%[[NEXT]] : f32)
// CHECK:         ^[[CONTINUE]](%{{.*}}: f32):
// CHECK:           spirv.IAdd
// CHECK:           spirv.Branch ^[[HEADER]]
// CHECK:         spirv.Load "Function" %[[RESULT]]
// CHECK:         spirv.mlir.loop {
// CHECK:           spirv.mlir.selection
// CHECK:           spirv.mlir.merge
// CHECK:           %[[B:.*]] = spirv.Load "Function"
// CHECK-NEXT:      spirv.Store "Function" %[[RESULT:.*]], %[[B]] : f32
// CHECK-NEXT:      spirv.Store "Function" %{{.*}} : i64
// CHECK-NEXT:      spirv.BranchConditional
// CHECK:         spirv.Load "Function" %[[RESULT]]
func.func @loops(%x: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 1 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    %next = arith.addf %a, %v : f32
    scf.yield %next : f32
  }
  %r:2 = scf.while (%a = %sum, %i = %c0) : (f32, index) -> (f32, index) {
    %goes = arith.cmpf ogt, %a, %zero : f32
    %b = scf.if %goes -> f32 {
      %v = memref.load %x[%i] : memref<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %a : f32
    }
    scf.condition(%goes) %b, %i : f32, index
  } do {
  ^bb0(%a: f32, %i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %a, %j : f32, index
  }
  memref.store %r#0, %x[%r#1] : memref<?xf32>
  return
}

// -----

// More scalars than push constants hold are the last buffer.
// CHECK-LABEL: spirv.module @scalars
// CHECK-SAME:    hone.buffers = 1 : i32, hone.scalars = 17 : i32
// CHECK:         spirv.GlobalVariable @scalars bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i64, stride=8> [0]), Block>, StorageBuffer>
func.func @scalars(%x: memref<?xi64>, %0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index, %7: index, %8: index,
                   %9: index, %10: index, %11: index, %12: index, %13: index, %14: index, %15: index, %16: index)
    attributes {hone.workgroup_size = 1 : i32} {
  %v = arith.index_cast %16 : index to i64
  memref.store %v, %x[%0] : memref<?xi64>
  return
}

// -----

// expected-error @below {{needs 33 buffers in one kernel; Vulkan devices have 32}}
func.func @negative_buffers(
    %b0: memref<?xf32>, %b1: memref<?xf32>, %b2: memref<?xf32>, %b3: memref<?xf32>, %b4: memref<?xf32>, %b5: memref<?xf32>,
    %b6: memref<?xf32>, %b7: memref<?xf32>, %b8: memref<?xf32>, %b9: memref<?xf32>, %b10: memref<?xf32>, %b11: memref<?xf32>,
    %b12: memref<?xf32>, %b13: memref<?xf32>, %b14: memref<?xf32>, %b15: memref<?xf32>, %b16: memref<?xf32>, %b17: memref<?xf32>,
    %b18: memref<?xf32>, %b19: memref<?xf32>, %b20: memref<?xf32>, %b21: memref<?xf32>, %b22: memref<?xf32>, %b23: memref<?xf32>,
    %b24: memref<?xf32>, %b25: memref<?xf32>, %b26: memref<?xf32>, %b27: memref<?xf32>, %b28: memref<?xf32>, %b29: memref<?xf32>,
    %b30: memref<?xf32>, %b31: memref<?xf32>, %b32: memref<?xf32>) attributes {hone.workgroup_size = 1 : i32} {
  return
}

// -----

// expected-error @below {{has no workgroup size}}
func.func @negative_size(%x: memref<?xf32>) {
  return
}

// -----

// CHECK-LABEL: spirv.module @booleans_as_indices
// CHECK:         %[[ONE:.*]] = spirv.Constant 1 : i64
// CHECK:         %[[ZERO:.*]] = spirv.Constant 0 : i64
// CHECK:         spirv.Select %{{.*}}, %[[ONE]], %[[ZERO]] : i1, i64
func.func @booleans_as_indices(%x: memref<?xf32>, %n: index) attributes {hone.workgroup_size = 32 : i32} {
  %t = gpu.thread_id x
  %yes = arith.cmpi ult, %t, %n : index
  %i = arith.index_castui %yes : i1 to index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %x[%t] : memref<?xf32>
  return
}
