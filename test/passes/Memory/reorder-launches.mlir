// RUN: hone-opt %s --pass-pipeline='builtin.module(plan.program(hone-reorder-launches))' \
// RUN:   --remarks-filter=memory --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @expand in @code buffers 2 scalars 0 nodes ["expand"]
plan.kernel @reduce in @code buffers 2 scalars 0 nodes ["reduce"]

// REMARK: at most 4160 bytes alive instead of 8256
// CHECK-LABEL: plan.program @reorder
// CHECK: plan.launch @expand grid(%{{.*}}) buffers(%{{.*}}, %[[A:.*]]) writes [1]
// CHECK: plan.launch @reduce grid(%{{.*}}) buffers(%[[A]], %[[P:.*]]) writes [1]
// CHECK: plan.copy %[[P]]
// CHECK: plan.launch @expand grid(%{{.*}}) buffers(%{{.*}}, %[[B:.*]]) writes [1]
// CHECK: plan.launch @reduce grid(%{{.*}}) buffers(%[[B]], %[[Q:.*]]) writes [1]
// CHECK: plan.copy %[[Q]]
plan.program @reorder target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [32]>] {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %x = plan.input 0
  %a = plan.alloc %c4096
  plan.launch @expand grid(%c1) buffers(%x, %a) writes [1]
  %b = plan.alloc %c4096
  plan.launch @expand grid(%c1) buffers(%x, %b) writes [1]
  %p = plan.alloc %c64
  plan.launch @reduce grid(%c1) buffers(%a, %p) writes [1]
  %q = plan.alloc %c64
  plan.launch @reduce grid(%c1) buffers(%b, %q) writes [1]
  %y = plan.output_buffer 0, %c128
  %y0 = plan.view %y[%c0], %c64
  %y1 = plan.view %y[%c64], %c64
  plan.copy %p to %y0, %c64
  plan.copy %q to %y1, %c64
}

// Both launches write one buffer, and the loads keep their places.
// CHECK-LABEL: plan.program @negative_same_bytes
// CHECK: plan.launch @expand
// CHECK: plan.load
// CHECK: plan.launch @expand
// CHECK: plan.load
// CHECK: plan.launch @reduce
plan.program @negative_same_bytes target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %x = plan.input 0
  %a = plan.alloc %c4096
  plan.launch @expand grid(%c1) buffers(%x, %a) writes [1]
  %n = plan.load %a[%c1] : i64
  plan.launch @expand grid(%c1) buffers(%x, %a) writes [1]
  %m = plan.load %a[%c1] : i64
  %p = plan.alloc %c64
  plan.launch @reduce grid(%c1) buffers(%a, %p) writes [1]
  %s = arith.addi %n, %m : index
  plan.output_dim 0, 0, %s
  %y = plan.output_buffer 0, %c64
  plan.copy %p to %y, %c64
}

// CHECK-LABEL: plan.program @negative_unknown_sizes
// CHECK: plan.launch @expand
// CHECK: plan.launch @expand
// CHECK: plan.launch @reduce
plan.program @negative_unknown_sizes target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [] {
  %c1 = arith.constant 1 : index
  %n = plan.input_dim 0, 0
  %x = plan.input 0
  %a = plan.alloc %n
  plan.launch @expand grid(%c1) buffers(%x, %a) writes [1]
  %b = plan.alloc %n
  plan.launch @expand grid(%c1) buffers(%x, %b) writes [1]
  plan.launch @reduce grid(%c1) buffers(%a, %b) writes [1]
}
