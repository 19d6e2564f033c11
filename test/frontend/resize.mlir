// Scales and sizes, known and computed; regions; the coordinates of grids.
// RUN: split-file %s %t
// RUN: %make-onnx %t/scales.txt -o %t/scales.onnx
// RUN: hone compile %t/scales.onnx --emit=graph -o - | FileCheck %s --check-prefix=SCALES
// RUN: %make-onnx %t/aspect.txt -o %t/aspect.onnx
// RUN: hone compile %t/aspect.onnx --emit=graph -o - | FileCheck %s --check-prefix=ASPECT
// RUN: %make-onnx %t/grid.txt -o %t/grid.onnx
// RUN: hone compile %t/grid.onnx --emit=graph -o - | FileCheck %s --check-prefix=GRID
// RUN: %make-onnx %t/roi.txt -o %t/roi.onnx
// RUN: hone compile %t/roi.onnx --emit=graph -o - | FileCheck %s --check-prefix=ROI
// RUN: %make-onnx %t/neither.txt -o %t/neither.onnx
// RUN: %refuses hone compile %t/neither.onnx --emit=graph -o - | FileCheck %s --check-prefix=NEITHER

// A whole scale of an open extent stays integer arithmetic.
// SCALES-LABEL: func.func @main
// SCALES: graph.binary<mul> {{.*}} : tensor<1xi64>
// SCALES: graph.resize<nearest> {{.*}} coordinate <asymmetric> nearest <floor> {{.*}} -> tensor<1x8x?x8xf32>

// ASPECT-LABEL: func.func @main
// ASPECT: graph.resize<cubic> {{.*}} -> tensor<1x1x4x8xf32>

// GRID-LABEL: func.func @main
// GRID: graph.grid_sample<cubic> {{.*}} outside <reflection> align_corners {{.*}} -> tensor<1x3x5x6xf32>

// ROI-LABEL: func.func @main
// ROI: graph.roi_align<avg> {{.*}} size [5, 5] sampling 2 scale 5.000000e-01 half_pixel

// NEITHER: node 'r'{{.*}}error:{{.*}}needs either input 'scales' or input 'sizes'

//--- scales.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,8,h,4] x) => (float[1,8,n,8] y) {
  s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>()
  y = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(x, , s)
}
//--- aspect.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,1,2,4] x) => (float[1,1,a,b] y) {
  s = Constant<value_ints = [7, 8]>()
  y = Resize<mode = "cubic", axes = [2, 3], keep_aspect_ratio_policy = "not_larger">(x, , , s)
}
//--- grid.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,8,8] x, float[1,5,6,2] grid) => (float[1,3,5,6] y) {
  y = GridSample<mode = "cubic", padding_mode = "reflection", align_corners = 1>(x, grid)
}
//--- roi.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,3,10,10] x, float[4,4] rois, int64[4] batch) => (float[4,3,5,5] y) {
  y = RoiAlign<output_height = 5, output_width = 5, sampling_ratio = 2, spatial_scale = 0.5>(x, rois, batch)
}
//--- neither.txt
<ir_version: 10, opset_import: ["" : 22]>
g (float[1,8,4,4] x) => (float[a,b,c,d] y) {
  [r] y = Resize(x)
}
