// RUN: hone-opt %s --pass-pipeline='builtin.module(plan.program(hone-plan-memory))' \
// RUN:   --remarks-filter=memory --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes ["f"]
plan.kernel @add in @code buffers 3 scalars 0 nodes ["add"]

// REMARK: 3 buffers of 768 bytes in 512, lower bound 512, gap 0.0 %, 0 in place, strategy by-size

// a and c never live at one time.
// CHECK-LABEL: plan.program @chain
// CHECK-SAME: lower_bound = 512 : i64, static_bytes = 512 : i64, total_bytes = 768 : i64
// CHECK: plan.alloc %c256 at [[A:[0-9]+]]{{ *$}}
// CHECK: plan.alloc %c250 at [[B:[0-9]+]]{{ *$}}
// CHECK: plan.alloc %c256 at [[A]]{{ *$}}
plan.program @chain target "cpu" inputs [#plan.tensor<"x", f32, [64]>]
    outputs [#plan.tensor<"y", f32, [64]>] {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c250 = arith.constant 250 : index
  %x = plan.input 0
  %a = plan.alloc %c256
  %b = plan.alloc %c250
  %c = plan.alloc %c256
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1]
  plan.launch @f grid(%c1) buffers(%b, %c) writes [1]
  %y = plan.output_buffer 0, %c256
  plan.copy %c to %y, %c256
}

// REMARK: 3 buffers of 768 bytes in 256, lower bound 256, gap 0.0 %, 2 in place
// CHECK-LABEL: plan.program @inplace
// CHECK-SAME: static_bytes = 256
// CHECK-COUNT-3: plan.alloc %c256 at 0
plan.program @inplace target "cpu" inputs [#plan.tensor<"x", f32, [64]>]
    outputs [#plan.tensor<"y", f32, [64]>] {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %x = plan.input 0
  %a = plan.alloc %c256
  %b = plan.alloc %c256
  %c = plan.alloc %c256
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1] inplace [0 -> 1]
  plan.launch @add grid(%c1) buffers(%b, %b, %c) writes [2] inplace [0 -> 2, 1 -> 2]
  %y = plan.output_buffer 0, %c256
  plan.copy %c to %y, %c256
}

// Read again later; read through the other operand, of which nothing is said;
// read through a view; of another size.
// REMARK: 0 in place
// CHECK-LABEL: plan.program @negative_inplace
plan.program @negative_inplace target "cpu" inputs [#plan.tensor<"x", f32, [64]>]
    outputs [#plan.tensor<"y", f32, [64]>] {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %x = plan.input 0
  %a = plan.alloc %c256
  %b = plan.alloc %c256
  %c = plan.alloc %c256
  %d = plan.alloc %c256
  %e = plan.alloc %c128
  plan.launch @f grid(%c1) buffers(%x, %a) writes [1]
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1] inplace [0 -> 1]
  plan.launch @f grid(%c1) buffers(%a, %x)
  plan.launch @add grid(%c1) buffers(%b, %b, %c) writes [2] inplace [0 -> 2]
  %v = plan.view %c[%c0], %c256
  plan.launch @add grid(%c1) buffers(%c, %v, %d) writes [2] inplace [0 -> 2, 1 -> 2]
  plan.launch @f grid(%c1) buffers(%d, %e) writes [1] inplace [0 -> 1]
  %y = plan.output_buffer 0, %c128
  plan.copy %e to %y, %c128
}

// A view keeps its base alive; what lives across a loop lives all through it;
// what the loop's body allocates for itself shares with what is dead by then.
// CHECK-LABEL: plan.program @loop
// CHECK-SAME: static_bytes = 512
// CHECK: plan.alloc %c256 at [[DEAD:[0-9]+]]{{ *$}}
// CHECK: plan.alloc %c256 at [[KEPT:[0-9]+]]{{ *$}}
// CHECK: plan.loop
// CHECK: plan.alloc %c256 at [[DEAD]]{{ *$}}
// CHECK: plan.view %{{.*}}[%c0]
// CHECK: plan.launch @f grid(%{{.*}}) buffers(%{{.*}}) writes [1]
plan.program @loop target "cpu" inputs [#plan.tensor<"x", f32, [64]>]
    outputs [#plan.tensor<"y", f32, [64]>] {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %true = arith.constant true
  %x = plan.input 0
  %y = plan.output_buffer 0, %c256
  %dead = plan.alloc %c256
  plan.launch @f grid(%c1) buffers(%x, %dead) writes [1]
  %kept = plan.alloc %c256
  plan.launch @f grid(%c1) buffers(%dead, %kept) writes [1]
  plan.loop %i to %c256 while %true {
    %t = plan.alloc %c256
    %v = plan.view %kept[%c0], %c256
    plan.launch @f grid(%c1) buffers(%v, %t) writes [1]
    plan.launch @f grid(%c1) buffers(%t, %y) writes [1]
    plan.yield %true : i1
  }
}

// The branches of an if never run both; what they yield lives on.
// CHECK-LABEL: plan.program @branches
// CHECK-SAME: static_bytes = 320
// CHECK: plan.if
// CHECK: plan.alloc %c256 at 0
// CHECK: plan.alloc %c64 at 256
// CHECK: else
// CHECK: plan.alloc %c256 at 0
plan.program @branches target "cpu" inputs [#plan.tensor<"x", i1, [1]>]
    outputs [#plan.tensor<"y", f32, [64]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %x = plan.input 0
  %y = plan.output_buffer 0, %c64
  %n = plan.load %x[%c0] : i1
  %b = arith.cmpi ne, %n, %c0 : index
  %r = plan.if %b -> (!plan.buffer) {
    %t = plan.alloc %c256
    plan.launch @f grid(%c1) buffers(%x, %t) writes [1]
    %a = plan.alloc %c64
    plan.launch @f grid(%c1) buffers(%t, %a) writes [1]
    plan.yield %a : !plan.buffer
  } else {
    %t = plan.alloc %c256
    plan.launch @f grid(%c1) buffers(%x, %t) writes [1]
    plan.launch @f grid(%c1) buffers(%t, %y) writes [1]
    plan.yield %x : !plan.buffer
  }
  plan.launch @f grid(%c1) buffers(%r, %y) writes [1]
}

// Larger alignments are kept.
// CHECK-LABEL: plan.program @alignment
// CHECK-DAG: plan.alloc %c64 at {{[0-9]+}}{{ *$}}
// CHECK-DAG: plan.alloc %c256 at {{0|4096}} align 4096
plan.program @alignment target "cpu" inputs [] outputs [] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %a = plan.alloc %c64
  %b = plan.alloc %c256 align 4096
  plan.launch @f grid(%c1) buffers(%a, %b) writes [1]
}

// CHECK-LABEL: plan.program @planned_already
// CHECK: plan.alloc %c64 at 1024
plan.program @planned_already target "cpu" inputs [] outputs [] attributes {static_bytes = 2048} {
  %c64 = arith.constant 64 : index
  %a = plan.alloc %c64 at 1024
  plan.fill %a, %c64, %c64
}
