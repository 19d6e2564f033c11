// REQUIRES: spirv-val
// RUN: hone-opt %s --hone-vulkan-print-assembly -o /dev/null > %t.spvasm
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.1 %t.spvasm -o %t.spv
// RUN: spirv-val --target-env vulkan1.1 %t.spv

// Indices of 31 bits: no 64-bit arithmetic, no such capability.
// CHECK: ; kernel k.0
// CHECK-NOT: Int64
// CHECK: OpEntryPoint GLCompute %[[MAIN:.*]] "main"
// CHECK: OpExecutionMode %[[MAIN]] LocalSize 64 1 1
// CHECK: OpExecutionMode %[[MAIN]] SignedZeroInfNanPreserve 32
// CHECK: OpDecorate %[[SCRATCH:.*]] Coherent
// CHECK: OpDecorate %[[PRODUCT:.*]] NoContraction
// CHECK-NOT: ulong
// CHECK: OpControlBarrier
// CHECK: OpLoopMerge
// CHECK: %[[PRODUCT]] = OpFMul
func.func @k.0(%x: memref<?xf32>, %y: memref<?xf32>, %scratch: memref<?xi8>, %n: index, %m: index) attributes {hone.workgroup_size = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %t = gpu.thread_id x
  %base = arith.muli %b, %c64 : index
  %i = arith.addi %base, %t : index
  %partial = memref.view %scratch[%c64][] : memref<?xi8> to memref<64xf32>
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %row = arith.divsi %i, %m : index
    %column = arith.remsi %i, %m : index
    %at = arith.muli %column, %n : index
    %j = arith.addi %at, %row : index
    %v = memref.load %x[%j] : memref<?xf32>
    memref.store %v, %partial[%t] : memref<64xf32>
  }
  gpu.barrier
  %sum = scf.for %k = %c0 to %m step %c1 iter_args(%a = %zero) -> f32 {
    %v = memref.load %partial[%k] : memref<64xf32>
    %w = arith.mulf %v, %v : f32
    %next = arith.addf %a, %w : f32
    scf.yield %next : f32
  }
  scf.if %inside {
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
