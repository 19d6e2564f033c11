// Sequences are lists while importing; nothing of them is left. Pieces of a tensor need not be counted then.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/list.txt -o %t/list.onnx
// RUN: hone compile %t/list.onnx --emit=graph -o - | FileCheck %s --check-prefix=LIST
// RUN: %make-onnx %t/pieces.txt -o %t/pieces.onnx
// RUN: hone compile %t/pieces.onnx --emit=graph -o - | FileCheck %s --check-prefix=PIECES
// RUN: %make-onnx %t/mixed.txt -o %t/mixed.onnx
// RUN: %refuses hone compile %t/mixed.onnx --emit=graph -o - | FileCheck %s --check-prefix=MIXED

// RUN: %npy arange %t/x.npy f4 5x2
// RUN: %npy make %t/sizes.npy i8 2 0 3
// RUN: %npy make %t/at.npy i8 -1 --shape=scalar
// RUN: hone run %t/pieces.onnx --input x=%t/x.npy --input sizes=%t/sizes.npy --input at=%t/at.npy --output-dir %t/out
// RUN: %npy show %t/out/piece.npy | FileCheck %s --check-prefix=PIECE
// RUN: %npy show %t/out/row.npy | FileCheck %s --check-prefix=ROW
// RUN: %npy show %t/out/length.npy | FileCheck %s --check-prefix=LENGTH
// RUN: %npy compare %t/out/whole.npy %t/x.npy
// RUN: %npy make %t/short.npy i8 2 2
// RUN: %refuses hone run %t/pieces.onnx --input x=%t/x.npy --input sizes=%t/short.npy --input at=%t/at.npy --output-dir %t/out | FileCheck %s --check-prefix=SHORT

// LIST-LABEL: func.func @main
// LIST-DAG: graph.slice {{.*}} -> tensor<2x4xf32>
// LIST-DAG: graph.slice {{.*}} -> tensor<1x4xf32>
// LIST: graph.concat {{.*}} dim 0 : tensor<1x4xf32>, tensor<2x4xf32> -> tensor<3x4xf32>

// PIECES-LABEL: func.func @main
// PIECES: graph.scan<add>

// MIXED: node 'i'{{.*}}error: SequenceInsert: input #0 is not a sequence that is known while importing

// PIECE: float32 3x2
// PIECE-NEXT: 4 5 6 7 8 9
// ROW: float32 2
// ROW-NEXT: 8 9
// LENGTH: int64 scalar
// LENGTH-NEXT: 3
// SHORT: node 's'

//--- list.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[5, 4] x) => (float[3, 4] y) {
  two = Constant<value_int: int = 2>()
  last = Constant<value_int: int = -1>()
  first = Constant<value_int: int = 0>()
  pieces = SplitToSequence<axis = 0>(x, two)
  a = SequenceAt(pieces, last)
  b = SequenceAt(pieces, first)
  both = SequenceConstruct(a, b)
  y = ConcatFromSequence<axis = 0>(both)
}
//--- pieces.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[n, 2] x, int64[k] sizes, int64 at) => (float[m, 2] piece, float[2] row, int64 length, float[n, 2] whole) {
  [s] pieces = SplitToSequence<axis = 0>(x, sizes)
  piece = SequenceAt(pieces, at)
  rows = SplitToSequence<axis = 0, keepdims = 0>(x)
  row = SequenceAt(rows, at)
  length = SequenceLength(pieces)
  whole = ConcatFromSequence<axis = 0>(pieces)
}
//--- mixed.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[n, 2] x, float[1, 2] z) => (int64 length) {
  pieces = SplitToSequence<axis = 0>(x)
  [i] more = SequenceInsert(pieces, z)
  length = SequenceLength(more)
}
