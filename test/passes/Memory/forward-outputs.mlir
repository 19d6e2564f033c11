// RUN: hone-opt %s --pass-pipeline='builtin.module(plan.program(hone-forward-outputs))' | FileCheck %s

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]

// CHECK-LABEL: plan.program @forward
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[Y:.*]] = plan.output_buffer 0, %[[BYTES]]
// CHECK-NOT: plan.alloc
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%{{.*}}, %[[Y]]) writes [1]
// CHECK-NOT: plan.copy
// CHECK: }
plan.program @forward target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [#plan.tensor<"y", f32, ["N"]>] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = plan.input_dim 0, 0
  %x = plan.input 0
  %bytes = arith.muli %n, %c4 : index
  %a = plan.alloc %bytes
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  plan.output_dim 0, 0, %n
  %y = plan.output_buffer 0, %bytes
  plan.copy %a to %y, %bytes
}

// The allocation may be read later, also through a view; two equal constants
// are one size. The second output stays a copy, of the first one.
// CHECK-LABEL: plan.program @read_later
// CHECK: %[[Y:.*]] = plan.output_buffer 0
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%{{.*}}, %[[Y]]) writes [1]
// CHECK: %[[Z:.*]] = plan.output_buffer 1
// CHECK-NEXT: plan.copy %[[Y]] to %[[Z]]
// CHECK: %[[V:.*]] = plan.view %[[Y]]
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%[[V]], %{{.*}}) writes [1]
plan.program @read_later target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [16]>, #plan.tensor<"z", f32, [16]>,
             #plan.tensor<"w", f32, [16]>] {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d64 = arith.constant 64 : index
  %x = plan.input 0
  %a = plan.alloc %c64
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  %y = plan.output_buffer 0, %d64
  plan.copy %a to %y, %c64
  %z = plan.output_buffer 1, %c64
  plan.copy %a to %z, %c64
  %v = plan.view %a[%c0], %c64
  %w = plan.output_buffer 2, %c64
  plan.launch @f grid(%c1) buffers(%v, %w) writes [1]
}

// CHECK-LABEL: plan.program @negative_written_later
// CHECK: plan.copy
plan.program @negative_written_later target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [16]>] {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %a = plan.alloc %c64
  %y = plan.output_buffer 0, %c64
  plan.copy %a to %y, %c64
  %v = plan.view %a[%c0], %c64
  plan.launch @f grid(%c1) buffers(%x, %v) writes [1]
}

// CHECK-LABEL: plan.program @negative_other_size
// CHECK: plan.copy
// CHECK: plan.copy
// CHECK: plan.copy
plan.program @negative_other_size target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [16]>, #plan.tensor<"z", f32, [16]>,
             #plan.tensor<"w", f32, [16]>] {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %a = plan.alloc %c32
  %y = plan.output_buffer 0, %c64
  plan.copy %a to %y, %c32
  %b = plan.alloc %c64
  %z = plan.output_buffer 1, %c64
  plan.copy %b to %z, %c32
  %w = plan.output_buffer 2, %c64
  plan.copy %x to %w, %c64
}

// CHECK-LABEL: plan.program @negative_output_used_elsewhere
// CHECK: plan.copy
plan.program @negative_output_used_elsewhere target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [16]>] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %a = plan.alloc %c64
  %y = plan.output_buffer 0, %c64
  plan.launch @f grid(%c1) buffers(%x, %y) writes [1]
  plan.launch @f grid(%c1) buffers(%y, %a) writes [1]
  plan.copy %a to %y, %c64
}

// What a loop writes after its first iteration is written after the copy in it.
// CHECK-LABEL: plan.program @negative_other_block
// CHECK: plan.copy
plan.program @negative_other_block target "cpu" inputs [#plan.tensor<"x", i1, [1]>]
    outputs [#plan.tensor<"y", f32, [16]>] {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c64
  %c = plan.load %x[%c0] : i1
  %b = arith.cmpi ne, %c, %c0 : index
  plan.if %b {
    %a = plan.alloc %c64
    plan.copy %a to %y, %c64
  }
}
