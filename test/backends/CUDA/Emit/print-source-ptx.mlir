// REQUIRES: nvrtc
// RUN: hone-opt %s --hone-cuda-print-source=ptx -o /dev/null | FileCheck %s
// RUN: hone-opt %s --hone-cuda-print-source="ptx architecture=sm_90a" -o /dev/null | FileCheck %s --check-prefix=SM90
// RUN: hone-opt %S/print-source.mlir --hone-cuda-print-source=ptx -o /dev/null | FileCheck %s --check-prefix=ALL
// RUN: env HONE_CACHE_DIR= hone-opt %s --hone-cuda-print-source=ptx -o /dev/null | FileCheck %s
// RUN: env HONE_NVRTC=/nowhere/libnvrtc.so not hone-opt %s --hone-cuda-print-source=ptx -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// Sums and products stay apart unless the IR fuses them; code of plain architectures runs on later ones.
// CHECK: .target sm_80
// CHECK-LABEL: .entry k(
// CHECK: mul.{{(rn.)?}}f32
// CHECK: add.{{(rn.)?}}f32
// CHECK-NOT: fma
// SM90: .target sm_90{{$}}
// ALL: .entry elementwise(
// ALL-COUNT-7: .visible .entry
// NONE: HONE_NVRTC names '/nowhere/libnvrtc.so', which cannot be loaded
func.func @k(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = gpu.thread_id x
  %0 = memref.load %x[%i] : memref<?xf32>
  %1 = arith.mulf %0, %0 : f32
  %2 = arith.addf %1, %0 : f32
  memref.store %2, %y[%i] : memref<?xf32>
  return
}
