// RUN: hone-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(plan.program(hone-plan-memory))' | FileCheck %s

// One frame at the head for all sizes known there, with its arithmetic and the
// check that guards it; in place where a launch allows it; released when dead.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @head
// CHECK: %[[N:.*]] = plan.input_dim 0, 0
// CHECK: plan.check %{{.*}}, "an odd number of rows"
// CHECK: %[[HALF:.*]] = arith.divsi %[[N]], %c2
// CHECK: %[[S:.*]] = arith.muli %[[HALF]], %c4
// CHECK: %[[R:.*]]:3 = plan.reserve %[[S]] live [0, 1], %[[N]] live [1, 2], %[[HALF]] live [2, 3]
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%{{.*}}, %[[R]]#0) writes [1]
// CHECK-NEXT: plan.launch @f grid(%{{.*}}) buffers(%[[R]]#0, %[[R]]#0) writes [1] inplace [0 -> 1]
// CHECK-NEXT: plan.launch @f grid(%{{.*}}) buffers(%[[R]]#0, %[[R]]#1) writes [1] inplace [0 -> 1]
// CHECK-NEXT: plan.launch @f grid(%{{.*}}) buffers(%[[R]]#1, %[[R]]#2) writes [1]
// CHECK: plan.release{{ *$}}
// CHECK-NEXT: }
plan.program @head target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  plan.launch @f grid(%c1) buffers(%x, %x)
  %rest = arith.remsi %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  plan.check %even, "an odd number of rows"
  %half = arith.divsi %n, %c2 : index
  %size = arith.muli %half, %c4 : index
  %a = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  %b = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1] inplace [0 -> 1]
  %c = plan.alloc %n
  plan.launch @f grid(%c1) buffers(%b, %c) writes [1] inplace [0 -> 1]
  %d = plan.alloc %half
  plan.launch @f grid(%c1) buffers(%c, %d) writes [1]
  %y = plan.output_buffer 0, %half
  plan.copy %d to %y, %half
}

// -----

// Loaded sizes get a frame behind the load. The frame at the head is dead then
// and closed before.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @loaded
// CHECK: %[[A:.*]] = plan.reserve %{{.*}} live [0, 1]
// CHECK: plan.launch
// CHECK: %[[K:.*]] = plan.load %[[A]]
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[K]]
// CHECK-NEXT: plan.release{{ *$}}
// CHECK-NEXT: %[[B:.*]] = plan.reserve %[[S]] live [0, 1]
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%{{.*}}, %[[B]]) writes [1]
// CHECK: plan.copy
// CHECK-NEXT: plan.release
// CHECK-NEXT: }
plan.program @loaded target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %a = plan.alloc %n
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  %k = plan.load %a[%c0] : i64
  plan.launch @f grid(%c1) buffers(%x, %x)
  %size = arith.muli %k, %c8 : index
  %b = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%x, %b) writes [1]
  %y = plan.output_buffer 0, %size
  plan.copy %b to %y, %size
}

// -----

// What two frames need moves up to the first.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @shared_arithmetic
// CHECK: %[[S:.*]] = arith.muli
// CHECK: plan.reserve %[[S]]
// CHECK: plan.load
// CHECK: %[[T:.*]] = arith.addi %{{.*}}, %[[S]]
// CHECK: plan.reserve %[[T]]
plan.program @shared_arithmetic target "cpu" inputs [#plan.tensor<"x", i64, ["N"]>] outputs [] {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %k = plan.load %x[%c0] : i64
  %s = arith.muli %n, %c8 : index
  %a = plan.alloc %s
  %t = arith.addi %k, %s : index
  %b = plan.alloc %t
  plan.launch @f grid(%c8) buffers(%a, %b) writes [1]
  plan.launch @f grid(%c8) buffers(%b, %a) writes [1]
}

// -----

// A loop's own buffers come and go with each iteration.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @iteration
// CHECK: plan.loop %[[I:.*]] to
// CHECK: %[[B:.*]] = plan.reserve %[[I]] live [0, 0]
// CHECK: plan.launch
// CHECK: plan.release{{ *$}}
// CHECK-NEXT: plan.yield
plan.program @iteration target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>] outputs [] {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  plan.loop %i to %n while %true {
    %b = plan.alloc %i
    plan.launch @f grid(%c1) buffers(%x, %b) writes [1]
    plan.yield %true : i1
  }
}

// -----

// What outlives its iteration leaves its frame open; the loop counts them.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @growing
// CHECK: %[[R:.*]]:2 = plan.loop %[[I:.*]] to %{{.*}} iter(%[[S:.*]] = %{{.*}}, %[[OPEN:.*]] = %c0{{.*}}) -> (!plan.buffer, index)
// CHECK: %[[B:.*]] = plan.reserve %[[I]] live [0, 1]
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%[[S]], %[[B]]) writes [1]
// CHECK-NOT: plan.release
// CHECK: %[[SUM:.*]] = arith.addi %[[OPEN]], %c1
// CHECK: plan.yield %{{.*}}, %[[B]], %[[SUM]] : i1, !plan.buffer, index
// CHECK: plan.copy %[[R]]#0
// CHECK: plan.release %[[R]]#1
plan.program @growing target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %r = plan.loop %i to %n while %true iter(%s = %x) -> (!plan.buffer) {
    %b = plan.alloc %i
    plan.launch @f grid(%c1) buffers(%s, %b) writes [1]
    plan.yield %true, %b : i1, !plan.buffer
  }
  %y = plan.output_buffer 0, %n
  plan.copy %r to %y, %n
}

// -----

// An if hands out what one of its branches leaves open; a frame above it that
// does not leave is closed first. An allocation of constant size that outlives
// an iteration is no part of the arena.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @branch
// CHECK: %[[R:.*]]:2 = plan.if %{{.*}} -> (!plan.buffer, index) {
// CHECK: %[[A:.*]] = plan.reserve %{{.*}} live [0, 1]
// CHECK: %[[T:.*]] = plan.load
// CHECK: plan.reserve %[[T]] live [0, 0]
// CHECK: plan.launch
// CHECK: plan.release{{ *$}}
// CHECK: plan.yield %[[A]], %c1{{.*}} : !plan.buffer, index
// CHECK: } else {
// CHECK: plan.yield %{{.*}}, %c0{{.*}} : !plan.buffer, index
// CHECK: plan.copy %[[R]]#0
// CHECK: plan.release %[[R]]#1
plan.program @branch target "cpu" inputs [#plan.tensor<"x", i64, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %b = arith.cmpi ne, %n, %c0 : index
  %r = plan.if %b -> (!plan.buffer) {
    %a = plan.alloc %n
    plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
    %size = plan.load %x[%c0] : i64
    %t = plan.alloc %size
    plan.launch @f grid(%c1) buffers(%x, %t) writes [1]
    plan.yield %a : !plan.buffer
  } else {
    plan.yield %x : !plan.buffer
  }
  %y = plan.output_buffer 0, %n
  plan.copy %r to %y, %n
}

// -----

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @constant_size_outlives
// CHECK-SAME: static_bytes = 0
// CHECK: plan.loop
// CHECK: plan.reserve %c64 live [0, 1]
plan.program @constant_size_outlives target "cpu" inputs [#plan.tensor<"x", i64, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %x = plan.input 0
  %r:2 = plan.loop %i to %c64 while %true iter(%s = %x, %t = %x) -> (!plan.buffer, !plan.buffer) {
    %b = plan.alloc %c64
    plan.launch @f grid(%c1) buffers(%t, %b) writes [1]
    plan.yield %true, %b, %s : i1, !plan.buffer, !plan.buffer
  }
  %y = plan.output_buffer 0, %c64
  plan.copy %r#1 to %y, %c64
}

// -----

// With a range of extents, what a run takes at most is known: two of the three buffers live at one time, and a packing
// never takes more than all of them.
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
// CHECK-LABEL: plan.program @ranged
// CHECK-SAME: attributes {arena_bound = 3072 : i64,
// CHECK-LABEL: plan.program @open
// CHECK-NOT: arena_bound
// CHECK: plan.reserve
plan.program @ranged target "cpu" inputs [#plan.tensor<"x", f32, ["N" in 1 to 16]>]
    outputs [#plan.tensor<"y", f32, ["N" in 1 to 16]>] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %size = arith.muli %n, %c64 : index
  %a = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  %b = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1]
  %c = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%b, %c) writes [1]
  %y = plan.output_buffer 0, %size
  plan.copy %c to %y, %size
}
plan.program @open target "cpu" inputs [#plan.tensor<"x", f32, ["N" in 1 to ?]>]
    outputs [#plan.tensor<"y", f32, ["N" in 1 to ?]>] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = plan.input 0
  %n = plan.input_dim 0, 0
  %size = arith.muli %n, %c64 : index
  %a = plan.alloc %size
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  %y = plan.output_buffer 0, %size
  plan.copy %a to %y, %size
}
