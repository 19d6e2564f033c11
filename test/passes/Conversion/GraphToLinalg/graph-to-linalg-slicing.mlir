// RUN: hone-opt %s --hone-graph-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @slice_is_a_view
// CHECK:         tensor.extract_slice %{{.*}}[0, 1] [5, 2] [1, 3]
// CHECK-NOT:     linalg
func.func @slice_is_a_view(%x: tensor<5x6xf32>) -> tensor<5x2xf32> {
  %starts = graph.constant dense<1> : tensor<1xi64>
  %ends = graph.constant dense<100> : tensor<1xi64>
  %steps = graph.constant dense<3> : tensor<1xi64>
  %0 = graph.slice %x[%starts, %ends, %steps] dims [1]
      : tensor<5x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// Dimensions and their offsets follow the layout.
// CHECK-LABEL: @slice_of_a_layout
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 1] [1, 4, 4, 3] [1, 1, 1, 1]
func.func @slice_of_a_layout(%x: tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>)
    -> tensor<1x3x4x4xf32, #graph.layout<[0, 2, 3, 1]>> {
  %starts = graph.constant dense<1> : tensor<1xi64>
  %ends = graph.constant dense<4> : tensor<1xi64>
  %steps = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.slice %x[%starts, %ends, %steps] dims [1]
      : tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>
      -> tensor<1x3x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
  return %0 : tensor<1x3x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
}

// -----

// CHECK-LABEL: @slice_of_nothing
// CHECK-NOT:     tensor.extract_slice
// CHECK:         tensor.empty() : tensor<0xf32>
func.func @slice_of_nothing(%x: tensor<4xf32>) -> tensor<0xf32> {
  %starts = graph.constant dense<4> : tensor<1xi64>
  %ends = graph.constant dense<9> : tensor<1xi64>
  %steps = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.slice %x[%starts, %ends, %steps] dims [0]
      : tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// CHECK-LABEL: @slice_backwards
// CHECK-DAG:     arith.constant -1 : index
// CHECK:         linalg.generic
// CHECK:           arith.muli
// CHECK:           arith.addi
// CHECK:           tensor.extract
func.func @slice_backwards(%x: tensor<9xf32>) -> tensor<9xf32> {
  %starts = graph.constant dense<-1> : tensor<1xi64>
  %ends = graph.constant dense<-100> : tensor<1xi64>
  %steps = graph.constant dense<-1> : tensor<1xi64>
  %0 = graph.slice %x[%starts, %ends, %steps] dims [0]
      : tensor<9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// Whether a step is negative is known when it runs.
// CHECK-LABEL: @slice_by_data
// CHECK:         linalg.generic
// CHECK:           tensor.extract
func.func @slice_by_data(%x: tensor<9xf32>, %starts: tensor<1xi64>, %ends: tensor<1xi64>, %steps: tensor<1xi64>) -> tensor<?xf32> {
  %0 = graph.slice %x[%starts, %ends, %steps] dims [0]
      : tensor<9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: @pad_constant
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3xf32>
// CHECK:         %[[ALL:.*]] = linalg.fill
// CHECK:         tensor.insert_slice %[[X]] into %[[ALL]][1, 0] [2, 3] [1, 1]
func.func @pad_constant(%x: tensor<2x3xf32>) -> tensor<4x5xf32> {
  %pads = graph.constant dense<[1, 0, 1, 2]> : tensor<4xi64>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.pad<constant> %x, %pads, %zero : tensor<2x3xf32>, tensor<4xi64>, tensor<f32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Negative pads cut.
// CHECK-LABEL: @pad_and_cut
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// CHECK:         %[[ALL:.*]] = linalg.fill
// CHECK:         %[[KEPT:.*]] = tensor.extract_slice %[[X]][1] [2] [1]
// CHECK:         tensor.insert_slice %[[KEPT]] into %[[ALL]][0] [2] [1]
func.func @pad_and_cut(%x: tensor<3xf32>) -> tensor<4xf32> {
  %pads = graph.constant dense<[-1, 2]> : tensor<2xi64>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.pad<constant> %x, %pads, %zero : tensor<3xf32>, tensor<2xi64>, tensor<f32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A short reflection needs no division; a dimension without pads is left as it is.
// CHECK-LABEL: @pad_reflect
// CHECK:         linalg.generic
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK-NOT:       arith.remsi
// CHECK:           tensor.extract %{{.*}}[%[[ROW]], %{{.*}}]
func.func @pad_reflect(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %pads = graph.constant dense<[0, 1, 0, 2]> : tensor<4xi64>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.pad<reflect> %x, %pads, %zero : tensor<4x5xf32>, tensor<4xi64>, tensor<f32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// With nothing to repeat nothing is read.
// CHECK-LABEL: @pad_wrap_by_data
// CHECK:         linalg.generic
// CHECK:           scf.if
// CHECK:             arith.remsi
// CHECK:           } else {
func.func @pad_wrap_by_data(%x: tensor<?xf32>, %pads: tensor<2xi64>) -> tensor<?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.pad<wrap> %x, %pads, %zero : tensor<?xf32>, tensor<2xi64>, tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Parts without elements are left out.
// CHECK-LABEL: @concat
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x3xi16>, %{{.*}}: tensor<2x0xi16>, %[[C:[^:]*]]: tensor<2x4xi16>
// CHECK:         %[[INIT:.*]] = tensor.empty() : tensor<2x7xi16>
// CHECK:         %[[ONE:.*]] = tensor.insert_slice %[[A]] into %[[INIT]][0, 0] [2, 3] [1, 1]
// CHECK:         %[[ALL:.*]] = tensor.insert_slice %[[C]] into %[[ONE]][0, 3] [2, 4] [1, 1]
// CHECK:         return %[[ALL]]
func.func @concat(%a: tensor<2x3xui16>, %b: tensor<2x0xui16>, %c: tensor<2x4xui16>) -> tensor<2x7xui16> {
  %0 = graph.concat %a, %b, %c dim 1 : tensor<2x3xui16>, tensor<2x0xui16>, tensor<2x4xui16> -> tensor<2x7xui16>
  return %0 : tensor<2x7xui16>
}

// -----

// CHECK-LABEL: @concat_of_open_extents
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x3xf32>, %[[B:[^:]*]]: tensor<?x3xf32>
// CHECK:         %[[ONE:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [%[[N:.*]], 3] [1, 1]
// CHECK:         tensor.insert_slice %[[B]] into %[[ONE]][%{{.*}}, 0] [%{{.*}}, 3] [1, 1]
func.func @concat_of_open_extents(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = graph.concat %a, %b dim 0 : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
