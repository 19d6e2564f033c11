// Sequences are lists while importing; nothing of them is left. Pieces of a tensor need not be counted then.
// RUN: rm -rf %t && split-file %s %t
// RUN: %make-onnx %t/list.txt -o %t/list.onnx
// RUN: hone compile %t/list.onnx --emit=graph -o - | FileCheck %s --check-prefix=LIST
// RUN: %make-onnx %t/pieces.txt -o %t/pieces.onnx
// RUN: hone compile %t/pieces.onnx --emit=graph -o - | FileCheck %s --check-prefix=PIECES
// RUN: %make-onnx %t/few.txt -o %t/few.onnx
// RUN: hone compile %t/few.onnx --emit=graph -o - | FileCheck %s --check-prefix=FEW
// RUN: %make-onnx %t/many.txt -o %t/many.onnx
// RUN: hone compile %t/many.onnx --emit=graph -o - | FileCheck %s --check-prefix=MANY
// RUN: %make-onnx %t/refused.txt -o %t/refused.onnx
// RUN: %refuses hone compile %t/refused.onnx --emit=graph -o - | FileCheck %s --check-prefix=REFUSED

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

// RUN: %npy make %t/n.npy i8 3 --shape=scalar
// RUN: %npy make %t/none.npy i8 0 --shape=scalar
// RUN: %npy make %t/before.npy i8 -4 --shape=scalar
// RUN: %npy make %t/one.npy i8 1 --shape=scalar
// RUN: hone run %t/many.onnx --input x=%t/x.npy --input n=%t/n.npy --input at=%t/one.npy --output-dir %t/out
// RUN: %npy show %t/out/rows.npy | FileCheck %s --check-prefix=ROWS
// RUN: %npy show %t/out/second.npy | FileCheck %s --check-prefix=SECOND
// RUN: %npy show %t/out/stack.npy | FileCheck %s --check-prefix=STACK
// RUN: %refuses hone run %t/many.onnx --input x=%t/x.npy --input n=%t/n.npy --input at=%t/before.npy --output-dir %t/out | FileCheck %s --check-prefix=BEFORE
// RUN: %refuses hone run %t/many.onnx --input x=%t/x.npy --input n=%t/none.npy --input at=%t/one.npy --output-dir %t/out | FileCheck %s --check-prefix=BEFORE

// LIST-LABEL: func.func @main
// LIST-DAG: graph.slice {{.*}} -> tensor<2x4xf32>
// LIST-DAG: graph.slice {{.*}} -> tensor<1x4xf32>
// LIST: graph.concat {{.*}} dim 0 : tensor<1x4xf32>, tensor<2x4xf32> -> tensor<3x4xf32>

// PIECES-LABEL: func.func @main
// PIECES: graph.scan<add>

// Few trips that all run are copies of the body.
// FEW-LABEL: func.func @main
// FEW-NOT: graph.loop
// FEW: graph.concat {{.*}} dim 0 : tensor<1x2xf32>, tensor<2x2xf32>, tensor<3x2xf32> -> tensor<6x2xf32>

// Else a tensor grows, and with it the places where elements of several extents begin.
// MANY-LABEL: func.func @main
// MANY: graph.loop {{.*}} init(%{{.*}}, %{{.*}}) : {{.*}}, tensor<0x2xf32>, tensor<1xi64> -> tensor<?x2xf32>, tensor<?xi64>
// What has one shape and is appended by each trip is stacked by the loop.
// MANY: graph.loop %arg1, %{{[^ ]*}} : tensor<i64>, tensor<i1> -> tensor<?x2xf32>

// REFUSED-DAG: node 'kinds'{{.*}}error: Loop: the sequence holds tensors of different kinds: tensor<2xf32> and tensor<2x2xf32>
// REFUSED-DAG: node 'read'{{.*}}error: SequenceAt: the position is out of range for a sequence of 0 elements
// REFUSED-DAG: node 'other'{{.*}}error: ConcatFromSequence: the pieces were cut along dimension 0 and may differ there
// REFUSED-DAG: node 'either'{{.*}}error: If: a value is a tensor in one place and a sequence in another

// PIECE: float32 3x2
// PIECE-NEXT: 4 5 6 7 8 9
// ROW: float32 2
// ROW-NEXT: 8 9
// LENGTH: int64 scalar
// LENGTH-NEXT: 3
// SHORT: node 's'
// ROWS: float32 6x2
// ROWS-NEXT: 0 1 0 1 2 3 0 1 2 3 4 5
// SECOND: float32 2x2
// SECOND-NEXT: 0 1 2 3
// STACK: float32 2x3
// STACK-NEXT: 0 1 2 1 2 3
// BEFORE: node 'second'

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
//--- few.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[5, 2] x) => (float[m, 2] y)
<int64 trips = {3}, bool go = {1}, int64 one = {1}, int64[1] zero = {0}>
{
  start = SequenceEmpty()
  rows = Loop(trips, go, start) <body = b (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {
    c1 = Identity(c)
    j = Add(i, one)
    end = Unsqueeze(j, zero)
    row = Slice(x, zero, end, zero)
    s1 = SequenceInsert(s, row)
  }>
  y = ConcatFromSequence<axis = 0>(rows)
}
//--- many.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[5, 2] x, int64 n, int64 at) => (float[m, 2] rows, float[k, 2] second, float[2, q] stack)
<bool go = {1}, int64 one = {1}, int64[1] zero = {0}>
{
  start = SequenceEmpty()
  ragged = Loop(n, go, start) <body = b (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {
    c1 = Identity(c)
    j = Add(i, one)
    end = Unsqueeze(j, zero)
    row = Slice(x, zero, end, zero)
    s1 = SequenceInsert(s, row)
  }>
  rows = ConcatFromSequence<axis = 0>(ragged)
  [second] second = SequenceAt(ragged, at)
  same = Loop(n, go, start) <body = d (int64 i, bool c, seq(float[]) s) => (bool c1, seq(float[]) s1) {
    c1 = Identity(c)
    f = Cast<to = 1>(i)
    first = Gather<axis = 0>(x, zero)
    flat = Squeeze(first, zero)
    e = Add(flat, f)
    s1 = SequenceInsert(s, e)
  }>
  stack = ConcatFromSequence<axis = 1, new_axis = 1>(same)
}
//--- refused.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[2, 2] x, float[2] z, float[r, 2] w, int64 n, bool c) => (int64 a, int64 b, float[p, q] d, int64 e)
<bool go = {1}, int64 two = {2}, int64[1] list = {2}, int64 last = {-1}>
{
  start = SequenceConstruct(z)
  [kinds] kinds = Loop(n, go, start) <body = b (int64 i, bool c0, seq(float[]) s) => (bool c1, seq(float[]) s1) {
    c1 = Identity(c0)
    s1 = SequenceInsert(s, x)
  }>
  a = SequenceLength(kinds)
  empty = SequenceEmpty()
  read = Loop(n, go, empty) <body = f (int64 i, bool c0, seq(float[]) s) => (bool c1, seq(float[]) s1) {
    c1 = Identity(c0)
    [read] before = SequenceAt(s, last)
    s1 = SequenceInsert(s, before)
  }>
  b = SequenceLength(read)
  sizes = Shape<end = 1>(w)
  pieces = SplitToSequence<axis = 0>(w, sizes)
  [other] d = ConcatFromSequence<axis = 1>(pieces)
  [either] either = If(c) <
    then_branch = h () => (seq(float[]) s1) { s1 = SequenceConstruct(x) },
    else_branch = k () => (float[2, 2] s2) { s2 = Identity(x) }>
  e = SequenceLength(either)
}
