// RUN: hone-opt %s | FileCheck %s
// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s
// RUN: hone-opt %s --emit-bytecode | hone-opt | FileCheck %s

// CHECK: plan.executable @code target "cpu:avx2" format "elf" features ["avx2", "fma"] code dense<[127, 69, 76, 70]> : tensor<4xi8>
plan.executable @code target "cpu:avx2" format "elf" features ["avx2", "fma"]
    code dense<[127, 69, 76, 70]> : tensor<4xi8>
// CHECK: plan.kernel @add in @code buffers 3 scalars 2 nodes ["Add_0", "Relu_1"]
plan.kernel @add in @code buffers 3 scalars 2 nodes ["Add_0", "Relu_1"]
// CHECK: plan.kernel @add_2 entry "add" in @code buffers 1 scalars 0 nodes []
plan.kernel @add_2 entry "add" in @code buffers 1 scalars 0 nodes []
// CHECK: plan.kernel @add_3 in @code buffers 1 scalars 0 workgroup 256 shared 4096 nodes []
plan.kernel @add_3 in @code buffers 1 scalars 0 workgroup 256 shared 4096 nodes []
// CHECK: plan.kernel @add_4 in @code buffers 1 scalars 0 workgroup 64 nodes []
plan.kernel @add_4 in @code buffers 1 scalars 0 workgroup 64 shared 0 nodes []

// CHECK: plan.program @tensors target "cpu:avx2"
// CHECK-SAME: inputs [#plan.tensor<"x", f32, ["N" in 1 to 64, 3, "H", ?]>, #plan.tensor<"scalar", i1, []>, #plan.tensor<"\00\FF", f8E4M3FN, [? in 8 to ?]>]
// CHECK-SAME: outputs [#plan.tensor<"y", ui4, [0, "N" in 2 to ?, "M" = 4]>] attributes {lower_bound = 64 : i64, static_bytes = 128 : i64, total_bytes = 192 : i64} {
plan.program @tensors target "cpu:avx2"
    inputs [#plan.tensor<"x", f32, ["N" in 1 to 64, 3, "H", ?]>,
            #plan.tensor<"scalar", i1, []>,
            #plan.tensor<"\00\FF", f8E4M3FN, [? in 8 to ?]>]
    outputs [#plan.tensor<"y", ui4, [0, "N" in 2 to ?, "M" = 4]>]
    attributes {static_bytes = 128, lower_bound = 64, total_bytes = 192} {
}

// CHECK-LABEL: plan.program @buffers
plan.program @buffers target "cpu"
    inputs [#plan.tensor<"x", f32, ["N", 16]>] outputs [#plan.tensor<"y", f32, ["N", 16]>] {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[X:.*]] = plan.input 0
  %x = plan.input 0
  // CHECK: %[[N:.*]] = plan.input_dim 0, 0
  %n = plan.input_dim 0, 0
  %bytes = arith.muli %n, %c64 : index
  // CHECK: %[[W:.*]] = plan.constant dense<1.000000e+00> : tensor<16xf32>
  %w = plan.constant dense<1.0> : tensor<16xf32>
  // CHECK: plan.constant dense_resource<big> : tensor<2xi64>
  %big = plan.constant dense_resource<big> : tensor<2xi64>
  // CHECK: %[[A:.*]] = plan.alloc %{{.*}}
  %a = plan.alloc %bytes
  // CHECK: plan.alloc %{{.*}} at 4096 align 256
  %b = plan.alloc %bytes at 4096 align 256
  // CHECK: plan.alloc %{{.*}} align 128
  %c = plan.alloc %bytes align 128
  // CHECK: %[[R:.*]]:2 = plan.reserve %[[BYTES:.*]] live [0, 3], %{{.*}} live [2, 5]
  %r:2 = plan.reserve %bytes live [0, 3], %c64 live [2, 5]
  // CHECK: plan.grow 3, %{{.*}}
  %grown = plan.grow 3, %c64
  // CHECK: %[[V:.*]] = plan.view %[[R]]#0[%{{.*}}], %{{.*}}
  %v = plan.view %r#0[%c64], %c1
  // CHECK: plan.launch @add grid(%{{.*}}) buffers(%[[X]], %[[W]], %[[A]]) scalars(%[[N]], %{{.*}}) writes [2] inplace [0 -> 2]
  plan.launch @add grid(%c1) buffers(%x, %w, %a) scalars(%n, %c1) writes [2] inplace [0 -> 2]
  // CHECK: plan.launch @add_2 grid(%{{.*}}) buffers(%[[A]]){{ *$}}
  plan.launch @add_2 grid(%c1) buffers(%a)
  // CHECK: plan.copy %[[A]] to %[[R]]#1, %{{.*}}
  plan.copy %a to %r#1, %c64
  // CHECK: plan.fill %[[V]], %{{.*}}, %{{.*}}
  plan.fill %v, %c1, %c64
  // CHECK: plan.load %[[A]][%{{.*}}] : i64
  %l = plan.load %a[%c1] : i64
  // CHECK: plan.store %{{.*}}, %[[A]][%{{.*}}] : ui8
  plan.store %l, %a[%c1] : ui8
  %ok = arith.cmpi eq, %l, %n : index
  // CHECK: plan.check %{{.*}}, "sizes differ"
  plan.check %ok, "sizes differ"
  // CHECK: plan.release %{{.*}}
  plan.release %c1
  // CHECK: plan.reserve{{ *$}}
  plan.reserve
  // CHECK: plan.release{{ *$}}
  plan.release
  // CHECK: plan.output_dim 0, 0, %[[N]]
  plan.output_dim 0, 0, %n
  // CHECK: plan.output_buffer 0, %{{.*}}
  %y = plan.output_buffer 0, %bytes
}

// CHECK-LABEL: plan.program @control
plan.program @control target "cpu" inputs [#plan.tensor<"x", i1, [1]>] outputs [] {
  %true = arith.constant true
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %x = plan.input 0
  %a = plan.alloc %c8
  // CHECK: plan.if %[[C:.*]] {
  // CHECK-NEXT: plan.store
  // CHECK-NEXT: }
  // CHECK-NOT: else
  plan.if %true {
    plan.store %c0, %a[%c0] : i64
  }
  // CHECK: %[[IF:.*]]:2 = plan.if %[[C]] -> (index, !plan.buffer) {
  // CHECK-NEXT: plan.yield %{{.*}}, %{{.*}} : index, !plan.buffer
  // CHECK-NEXT: } else {
  // CHECK-NEXT: plan.yield
  %r:2 = plan.if %true -> (index, !plan.buffer) {
    plan.yield %c8, %a : index, !plan.buffer
  } else {
    plan.yield %c0, %x : index, !plan.buffer
  }
  // CHECK: plan.loop %{{.*}} to %[[IF]]#0 while %[[C]] {
  plan.loop %i to %r#0 while %true {
    plan.yield %true : i1
  }
  // CHECK: %{{.*}}:2 = plan.loop %[[I:.*]] to %{{.*}} while %[[C]] iter(%[[S:.*]] = %{{.*}}, %[[B:.*]] = %[[IF]]#1) -> (index, !plan.buffer) {
  // CHECK: plan.yield %{{.*}}, %{{.*}}, %[[B]] : i1, index, !plan.buffer
  %l:2 = plan.loop %i to %c8 while %true iter(%s = %c0, %b = %r#1) -> (index, !plan.buffer) {
    %t = arith.addi %s, %i : index
    %go = arith.cmpi slt, %t, %c8 : index
    plan.yield %go, %t, %b : i1, index, !plan.buffer
  }
}

{-#
  dialect_resources: {
    builtin: {
      big: "0x0800000001000000000000000200000000000000"
    }
  }
#-}
