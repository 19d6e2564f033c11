// REQUIRES: nvrtc
// RUN: split-file %s %t
// RUN: not hone-opt %t/op.mlir --hone-cuda-print-source -o /dev/null 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not hone-opt %t/buffer.mlir --hone-cuda-print-source -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not hone-opt %t/text.mlir --hone-cuda-print-source=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT

// What has no C++ is an error at its node; what NVRTC refuses, at the kernel's nodes.
// OP: error: 'memref.copy' op cannot be printed as CUDA C++
// BUFFER: error: argument 0 is no flat buffer of numbers: 'memref<2x2xf32>'
// TEXT: error: {{.*}}NVRTC {{.*}} refuses kernel 'bad':
// TEXT-NEXT: kernels.cu({{[0-9]+}}): error: identifier "nonsense" is undefined

//--- op.mlir
func.func @k(%x: memref<?xf32>, %y: memref<?xf32>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}
//--- buffer.mlir
func.func @k(%x: memref<2x2xf32>) {
  return
}
//--- text.mlir
func.func @good(%x: memref<?xf32> {hone.written}) attributes {hone.cuda_text = "  b0[0] = 1.0f;\0A"} {
  return
}
func.func @bad(%x: memref<?xf32> {hone.written}) attributes {hone.cuda_text = "  b0[0] = nonsense;\0A"} {
  return
} loc("Conv_7")
func.func @better(%x: memref<?xf32> {hone.written}) attributes {hone.cuda_text = "  b0[0] = 2.0f;\0A"} {
  return
}
