// Whether a signal is real or complex may be up to the run.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/dft.txt -o %t/dft.onnx
// RUN: hone compile %t/dft.onnx --emit=graph -o - | FileCheck %s --check-prefix=WHOLE
// RUN: %make-onnx %t/onesided.txt -o %t/onesided.onnx
// RUN: hone compile %t/onesided.onnx --emit=graph -o - | FileCheck %s --check-prefix=ONESIDED
// RUN: %make-onnx %t/three.txt -o %t/three.onnx
// RUN: %refuses hone compile %t/three.onnx --emit=graph -o - | FileCheck %s --check-prefix=THREE

// RUN: %npy make %t/real.npy f4 1 2 0 0 --shape=1x4x1
// RUN: hone run %t/dft.onnx --input x=%t/real.npy --output-dir %t/out
// RUN: %npy show %t/out/y.npy | FileCheck %s --check-prefix=REAL
// RUN: %npy make %t/complex.npy f4 0 1 0 2 0 0 0 0 --shape=1x4x2
// RUN: hone run %t/dft.onnx --input x=%t/complex.npy --output-dir %t/out
// RUN: %npy show %t/out/y.npy | FileCheck %s --check-prefix=COMPLEX
// RUN: %refuses hone run %t/onesided.onnx --input x=%t/complex.npy --output-dir %t/out | FileCheck %s --check-prefix=HALF

// WHOLE-LABEL: func.func @main
// WHOLE: graph.pad<constant>
// WHOLE: graph.contract

// ONESIDED-LABEL: func.func @main
// ONESIDED: graph.reshape {{.*}} -> tensor<?x?x1xf32>

// THREE: node 'f'{{.*}}error: DFT: the last extent of the signal must be 1 (real) or 2 (complex), not 3

// REAL: float32 1x4x2
// REAL-NEXT: 3 0 1 -2 -1 {{.*}} 1 2
// COMPLEX: float32 1x4x2
// COMPLEX-NEXT: 0 3 2 1 {{.*}} -1 -2 1

// HALF: node 'f'

//--- dft.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[b,n,parts] x) => (float[b,n,2] y) {
  [f] y = DFT(x)
}
//--- onesided.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[b,n,parts] x) => (float[b,k,2] y) {
  [f] y = DFT<onesided = 1>(x)
}
//--- three.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,4,3] x) => (float[b,n,2] y) {
  [f] y = DFT(x)
}
