// RUN: hone-opt %s --pass-pipeline='builtin.module(plan.program(hone-rotate-loop-buffers))' \
// RUN:   --remarks-filter=memory --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @step in @code buffers 2 scalars 0 nodes ["step"]

// CHECK-LABEL: plan.program @rotate
// CHECK: %[[INIT:.*]] = plan.input 0
// CHECK: %[[P:.*]] = plan.alloc %c64
// CHECK: %[[Q:.*]] = plan.alloc %c64
// CHECK: %[[R:.*]]:3 = plan.loop %{{.*}} iter(%[[S:.*]] = %[[INIT]], %[[A:.*]] = %[[P]], %[[B:.*]] = %[[Q]])
// CHECK-NEXT: plan.launch @step grid(%{{.*}}) buffers(%[[S]], %[[A]]) writes [1]
// CHECK-NEXT: plan.yield %true, %[[A]], %[[B]], %[[A]]
// CHECK: plan.copy %[[R]]#0 to
plan.program @rotate target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [16]>] {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  %true = arith.constant true
  %x = plan.input 0
  %r = plan.loop %i to %c9 while %true iter(%s = %x) -> (!plan.buffer) {
    %a = plan.alloc %c64
    plan.launch @step grid(%c1) buffers(%s, %a) writes [1]
    plan.yield %true, %a : i1, !plan.buffer
  }
  %y = plan.output_buffer 0, %c64
  plan.copy %r to %y, %c64
}

// Sizes computed in the body move out once, and are none where they would be
// negative: the loop may never run.
// CHECK-LABEL: plan.program @computed_sizes
// CHECK: %[[SIZE:.*]] = arith.muli
// CHECK: %[[M:.*]] = arith.maxsi %[[SIZE]], %{{.*}}
// CHECK: plan.alloc %[[M]]
// CHECK: plan.alloc %[[M]]
// CHECK: arith.maxsi %[[SIZE]]
// CHECK: plan.loop
// CHECK-NOT: arith.muli
// CHECK: plan.yield
plan.program @computed_sizes target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %true = arith.constant true
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %r:2 = plan.loop %i to %c9 while %true iter(%s = %x, %t = %x) -> (!plan.buffer, !plan.buffer) {
    %bytes = arith.muli %n, %c4 : index
    %a = plan.alloc %bytes
    plan.launch @step grid(%c1) buffers(%s, %a) writes [1]
    %b = plan.alloc %bytes
    plan.launch @step grid(%c1) buffers(%t, %b) writes [1]
    plan.yield %true, %a, %b : i1, !plan.buffer, !plan.buffer
  }
}

// REMARK: carried value #0 keeps memory of its own in every iteration: its size depends on the iteration
// REMARK: carried value #0 keeps memory of its own in every iteration: its value is handed on to the iteration after the next
// REMARK: carried value #1 keeps memory of its own in every iteration: it is no allocation of the body itself
// REMARK: carried value #0 keeps memory of its own in every iteration: it is yielded twice

// CHECK-LABEL: plan.program @negative_growing
// CHECK: plan.loop
// CHECK: plan.alloc
plan.program @negative_growing target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %x = plan.input 0
  %r = plan.loop %i to %c4 while %true iter(%s = %x) -> (!plan.buffer) {
    %bytes = arith.muli %i, %c4 : index
    %a = plan.alloc %bytes
    plan.launch @step grid(%c1) buffers(%s, %a) writes [1]
    plan.yield %true, %a : i1, !plan.buffer
  }
}

// CHECK-LABEL: plan.program @negative_history
// CHECK: plan.loop
// CHECK: plan.alloc
plan.program @negative_history target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %x = plan.input 0
  %r:2 = plan.loop %i to %c4 while %true iter(%s = %x, %t = %x) -> (!plan.buffer, !plan.buffer) {
    %a = plan.alloc %c4
    plan.launch @step grid(%c1) buffers(%s, %a) writes [1]
    plan.yield %true, %a, %s : i1, !plan.buffer, !plan.buffer
  }
}

// CHECK-LABEL: plan.program @negative_through_if
// CHECK: plan.loop
// CHECK: plan.alloc
plan.program @negative_through_if target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [] {
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %x = plan.input 0
  %r:2 = plan.loop %i to %c4 while %true iter(%s = %x, %t = %x) -> (!plan.buffer, !plan.buffer) {
    %a = plan.alloc %c4
    %odd = arith.cmpi eq, %i, %c4 : index
    %v = plan.if %odd -> (!plan.buffer) {
      plan.yield %a : !plan.buffer
    } else {
      plan.yield %x : !plan.buffer
    }
    plan.yield %true, %a, %v : i1, !plan.buffer, !plan.buffer
  }
}
