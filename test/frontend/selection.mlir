// Results whose extents depend on the data: everything is computed, then cut to the count.
// RUN: split-file %s %t
// RUN: %make-onnx %t/nonzero.txt -o %t/nonzero.onnx
// RUN: hone compile %t/nonzero.onnx --emit=graph -o - | FileCheck %s --check-prefix=NONZERO
// RUN: %make-onnx %t/unique.txt -o %t/unique.onnx
// RUN: hone compile %t/unique.onnx --emit=graph -o - | FileCheck %s --check-prefix=UNIQUE
// RUN: %make-onnx %t/boxes.txt -o %t/boxes.onnx
// RUN: hone compile %t/boxes.onnx --emit=graph -o - | FileCheck %s --check-prefix=BOXES
// RUN: %make-onnx %t/onehot.txt -o %t/onehot.onnx
// RUN: hone compile %t/onehot.onnx --emit=graph -o - | FileCheck %s --check-prefix=ONEHOT

// NONZERO-LABEL: func.func @main
// NONZERO: %[[AT:.*]], %[[COUNT:.*]] = graph.nonzero %arg0 : tensor<2x3xf32> -> tensor<2x6xi64>, tensor<1xi64>
// NONZERO: graph.slice %[[AT]][%{{.*}}, %[[COUNT]], %{{.*}}] dims [1] {{.*}} -> tensor<2x?xi64>

// Rows are sorted column by column, from the last.
// UNIQUE-LABEL: func.func @main
// UNIQUE: graph.loop
// UNIQUE: graph.topk
// UNIQUE: graph.yield
// UNIQUE: graph.reduce<any>
// UNIQUE: graph.scan<add>
// UNIQUE: return {{.*}} : tensor<?x3xf32>, tensor<4xi64>

// BOXES-LABEL: func.func @main
// BOXES: %[[ROWS:.*]], %[[COUNT:.*]] = graph.nms
// BOXES: graph.slice %[[ROWS]][%{{.*}}, %[[COUNT]], %{{.*}}] dims [0] {{.*}} -> tensor<?x3xi64>

// ONEHOT-LABEL: func.func @main
// ONEHOT: graph.compare<eq>
// ONEHOT: graph.select {{.*}} -> tensor<2x5x3xf32>

//--- nonzero.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[2,3] x) => (int64[2,n] y) {
  y = NonZero(x)
}
//--- unique.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[4,3] x) => (float[n,3] y, int64[4] inverse) {
  y, first, inverse = Unique<axis = 0>(x)
}
//--- boxes.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,6,4] boxes, float[1,2,6] scores, int64[1] limit) => (int64[n,3] y) {
  y = NonMaxSuppression(boxes, scores, limit)
}
//--- onehot.txt
<ir_version: 10, opset_import: ["" : 22]>
g (int64[2,3] x, float[2] values) => (float[2,5,3] y) {
  depth = Constant<value_int = 5>()
  y = OneHot<axis = 1>(x, depth, values)
}
