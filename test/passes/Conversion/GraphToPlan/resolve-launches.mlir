// RUN: hone-opt %s --hone-resolve-launches --split-input-file --verify-diagnostics | FileCheck %s

// A kernel with scratch memory takes one more buffer, which it writes.
// CHECK-DAG: plan.kernel @k entry "k" in @code buffers 2 scalars 1
// CHECK-DAG: plan.kernel @scratch entry "scratch" in @code buffers 3 scalars 1
// Every stage is a kernel and a launch; they share scratch memory. One may need some of the buffers only.
// CHECK-DAG: plan.kernel @staged.0 entry "s.0" in @code buffers 3 scalars 1 workgroup 256 nodes ["a"]
// CHECK-DAG: plan.kernel @staged.1 entry "s.1" in @code buffers 2 scalars 1 workgroup 32 shared 128 nodes ["a"]
// CHECK-NOT: plan.kernel @staged entry
// Nothing to do, nothing to launch.
// CHECK-NOT: plan.kernel @idle
// CHECK-DAG: plan.kernel @alone entry "alone" in @code buffers 2 scalars 1
// CHECK-LABEL: plan.program @main
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[X:.*]] = plan.input 0
//   CHECK-DAG:   %[[N:.*]] = plan.input_dim 0, 0
//   CHECK-DAG:   %[[Y:.*]] = plan.output_buffer 0
//       CHECK:   %[[GRID:.*]] = arith.ceildivsi %[[N]], %{{.*}} : index
//  CHECK-NEXT:   plan.launch @k grid(%[[GRID]]) buffers(%[[X]], %[[Y]]) scalars(%[[N]]) writes [1]
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[N]], %{{.*}} : index
//  CHECK-NEXT:   %[[MEMORY:.*]] = plan.alloc %[[BYTES]]
//  CHECK-NEXT:   plan.launch @scratch grid(%[[N]]) buffers(%[[X]], %[[Y]], %[[MEMORY]]) scalars(%[[N]]) writes [1, 2]
//       CHECK:   %[[MORE:.*]] = plan.alloc %[[N]]
//  CHECK-NEXT:   plan.launch @staged.0 grid(%[[N]]) buffers(%[[X]], %[[Y]], %[[MORE]]) scalars(%[[N]]) writes [1, 2]{{ *$}}
//  CHECK-NEXT:   plan.launch @staged.1 grid(%{{.*}}) buffers(%[[Y]], %[[MORE]]) scalars(%[[N]]) writes [0]{{ *$}}
//       CHECK:   plan.launch @staged.0
//  CHECK-NEXT:   plan.launch @staged.1
//   CHECK-NOT:   plan.launch @idle
// Left alone: no such function.
//       CHECK:   plan.launch @alone grid(%[[C1]]) buffers(%[[X]], %[[Y]]) scalars(%[[N]]) writes [1]
//       CHECK: module @kernels {
//  CHECK-NEXT:   func.func @k(
//   CHECK-NOT:   .launch
plan.kernel @k entry "k" in @code buffers 2 scalars 1 nodes []
plan.kernel @scratch entry "scratch" in @code buffers 2 scalars 1 nodes []
plan.kernel @staged entry "s" in @code buffers 2 scalars 1 nodes ["a"]
plan.kernel @alone entry "alone" in @code buffers 2 scalars 1 nodes []
plan.kernel @idle entry "idle" in @code buffers 2 scalars 1 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, ["n"]>] outputs [#plan.tensor<"y", f32, [?]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %bytes = arith.muli %n, %c4 : index
  %y = plan.output_buffer 0, %bytes
  plan.launch @k grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
  plan.launch @scratch grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
  plan.launch @staged grid(%c1) buffers(%x, %y) scalars(%n) writes [1] inplace [0 -> 1]
  plan.launch @staged grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
  plan.launch @idle grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
  plan.launch @alone grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
  plan.output_dim 0, 0, %n
}
module @kernels {
  func.func @k(%x: memref<?xf32>, %y: memref<?xf32>, %begin: index, %end: index) {
    return
  }
  func.func @k.launch(%n: index) -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %g = arith.ceildivsi %n, %c64 : index
    return %c0, %g : index, index
  }
  func.func @scratch.launch(%n: index) -> (index, index) attributes {stages = ["scratch"]} {
    %c64 = arith.constant 64 : index
    %b = arith.muli %n, %c64 : index
    return %b, %n : index, index
  }
  func.func private @s.0(memref<?xf32>, memref<?xf32>, memref<?xi8>, index) attributes {hone.workgroup_size = 256 : i32}
  func.func private @s.1(memref<?xf32>, memref<?xi8>, index)
      attributes {hone.workgroup_size = 32 : i32, hone.shared_bytes = 128 : i32,
                  hone.accessed_buffers = array<i64: 1, 2>, hone.written_buffers = array<i64: 1>}
  func.func @s.launch(%n: index) -> (index, index, index) attributes {stages = ["s.0", "s.1"]} {
    %c1 = arith.constant 1 : index
    return %n, %n, %c1 : index, index, index
  }
  func.func @idle.launch(%n: index) -> index attributes {stages = []} {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}

// -----

plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [1]>] outputs [#plan.tensor<"y", f32, [1]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c4
  // expected-error @+1 {{passes 0 scalars to a kernel that takes 1}}
  plan.launch @k grid(%c1) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c1
}
module @kernels {
  func.func @k.launch(%n: index) -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    return %c0, %n : index, index
  }
}

// -----

plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [1]>] outputs [#plan.tensor<"y", f32, [1]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c4
  plan.launch @k grid(%c1) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c1
}
module @kernels {
  // expected-error @+1 {{does not return scratch bytes and a grid for each of its stages}}
  func.func @k.launch() -> (index, index) attributes {stages = ["a", "b"]} {
    %c0 = arith.constant 0 : index
    return %c0, %c0 : index, index
  }
}

// -----

plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [1]>] outputs [#plan.tensor<"y", f32, [1]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c4
  plan.launch @k grid(%c1) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c1
}
module @kernels {
  // expected-error @+1 {{needs buffers that its kernel does not have}}
  func.func private @k(memref<1xf32>) attributes {hone.accessed_buffers = array<i64: 2>, hone.written_buffers = array<i64>}
  func.func @k.launch() -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    return %c0, %c0 : index, index
  }
}

// -----

// What no device of the target can launch, or reach to its end.
plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [1]>] outputs [#plan.tensor<"y", f32, [1]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c4
  // expected-error @+1 {{takes 1001 workgroups; a launch for some has at most 1000}}
  plan.launch @k grid(%c1) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c1
}
module @kernels attributes {graph.target = {name = "some", max_grid = 1000 : i64}} {
  func.func private @k(memref<1xf32>, memref<1xf32>) attributes {hone.workgroup_size = 64 : i32}
  func.func @k.launch() -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    %g = arith.constant 1001 : index
    return %c0, %g : index, index
  }
}

// -----

plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes []
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [1]>] outputs [#plan.tensor<"y", f32, [1]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c4
  // expected-error @+1 {{takes 16 workgroups of 64 threads; a launch for some has at most 1023 threads}}
  plan.launch @k grid(%c1) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c1
}
module @kernels attributes {graph.target = {name = "some", max_threads = 1023 : i64}} {
  func.func private @k(memref<1xf32>, memref<1xf32>) attributes {hone.workgroup_size = 64 : i32}
  func.func @k.launch() -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    %g = arith.constant 16 : index
    return %c0, %g : index, index
  }
}

// -----

plan.kernel @k entry "k" in @code buffers 2 scalars 0 nodes [] {hone.tensors = [tensor<25xf32>, tensor<26xf32>]}
plan.executable @code target "cpu" format "" features [] code dense<> : tensor<0xi8>
plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, [25]>] outputs [#plan.tensor<"y", f32, [26]>] {
  %c26 = arith.constant 26 : index
  %c104 = arith.constant 104 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c104
  // expected-error @+1 {{takes a tensor of 104 bytes; kernels for some reach 100}}
  plan.launch @k grid(%c26) buffers(%x, %y) writes [1]
  plan.output_dim 0, 0, %c26
}
module @kernels attributes {graph.target = {name = "some", max_buffer_bytes = 100 : i64}} {
  func.func private @k(memref<25xf32>, memref<26xf32>) attributes {hone.workgroup_size = 64 : i32}
  func.func @k.launch() -> (index, index) attributes {stages = ["k"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    return %c0, %c1 : index, index
  }
}
