// RUN: hone-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: plan.program @dims
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[N:.*]] = plan.input_dim 0, 0
// CHECK: plan.output_dim 0, 0, %[[N]]
// CHECK: plan.output_dim 0, 1, %[[C3]]
plan.program @dims target "cpu"
    inputs [#plan.tensor<"x", f32, ["N", 3]>] outputs [#plan.tensor<"y", f32, ["N", 3]>] {
  %n = plan.input_dim 0, 0
  %m = plan.input_dim 0, 1
  plan.output_dim 0, 0, %n
  plan.output_dim 0, 1, %m
}

// A constant's element is known; one out of bounds or of another type is not.
// CHECK-LABEL: plan.program @loads
// CHECK-DAG: %[[M2:.*]] = arith.constant -2 : index
// CHECK-DAG: %[[C255:.*]] = arith.constant 255 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[A:.*]] = plan.load %{{.*}} : i64
// CHECK-DAG: %[[B:.*]] = plan.load %{{.*}} : i32
// CHECK: plan.output_dim 0, 0, %[[M2]]
// CHECK: plan.output_dim 0, 1, %[[C255]]
// CHECK: plan.output_dim 0, 2, %[[C1]]
// CHECK: plan.output_dim 0, 3, %[[A]]
// CHECK: plan.output_dim 0, 4, %[[B]]
plan.program @loads target "cpu"
    inputs [] outputs [#plan.tensor<"y", f32, [?, ?, ?, ?, ?]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = plan.constant dense<[7, -2]> : tensor<2xi64>
  %u = plan.constant dense<255> : tensor<2xui8>
  %t = plan.constant dense<[false, true]> : tensor<2xi1>
  %0 = plan.load %s[%c1] : i64
  %1 = plan.load %u[%c0] : ui8
  %2 = plan.load %t[%c1] : i1
  %3 = plan.load %s[%c2] : i64
  %4 = plan.load %s[%c0] : i32
  plan.output_dim 0, 0, %0
  plan.output_dim 0, 1, %1
  plan.output_dim 0, 2, %2
  plan.output_dim 0, 3, %3
  plan.output_dim 0, 4, %4
}

// CHECK-LABEL: plan.program @views
// CHECK: %[[X:.*]] = plan.input 0
// CHECK: plan.view %[[X]][%c24{{.*}}], %c4
plan.program @views target "cpu" inputs [#plan.tensor<"x", f32, [16]>]
    outputs [#plan.tensor<"y", f32, [1]>] {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %x = plan.input 0
  %v = plan.view %x[%c8], %c16
  %w = plan.view %v[%c16], %c4
  %y = plan.output_buffer 0, %c4
  plan.copy %w to %y, %c4
}

// CHECK-LABEL: plan.program @nothing
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: plan.output_buffer
// CHECK-NEXT: }
plan.program @nothing target "cpu" inputs [] outputs [#plan.tensor<"y", f32, [0]>] {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %y = plan.output_buffer 0, %c0
  %a = plan.alloc %c0
  plan.copy %a to %y, %c0
  plan.copy %y to %y, %c0
  plan.fill %y, %c0, %c0
  plan.check %true, "never"
}

// CHECK-LABEL: plan.program @control
// CHECK-NOT: plan.if
// CHECK-NOT: plan.loop
// CHECK: plan.output_dim 0, 0, %c2
// CHECK: plan.output_dim 0, 1, %c1
plan.program @control target "cpu" inputs [] outputs [#plan.tensor<"y", f32, [?, ?]>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %a = plan.if %false -> (index) {
    plan.yield %c1 : index
  } else {
    plan.yield %c2 : index
  }
  %b = plan.loop %i to %c0 while %true iter(%s = %c1) -> (index) {
    %t = arith.addi %s, %c1 : index
    plan.yield %true, %t : i1, index
  }
  plan.output_dim 0, 0, %a
  plan.output_dim 0, 1, %b
}

// A condition known at run time only stays, and so does a check that fails.
// CHECK-LABEL: plan.program @negative_control
// CHECK: plan.check %false, "always"
// CHECK: plan.loop
plan.program @negative_control target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>]
    outputs [#plan.tensor<"y", f32, [?]>] {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  plan.check %false, "always"
  %n = plan.input_dim 0, 0
  %b = plan.loop %i to %n while %true iter(%s = %c1) -> (index) {
    %t = arith.addi %s, %s : index
    plan.yield %true, %t : i1, index
  }
  plan.output_dim 0, 0, %b
}
