// RUN: hone-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(plan.program(hone-plan-memory))'

plan.program @aligned target "cpu" inputs [#plan.tensor<"x", f32, ["N"]>] outputs [] {
  %n = plan.input_dim 0, 0
  // expected-error @+1 {{is of a size known at run time only and cannot be aligned to 128 bytes}}
  %a = plan.alloc %n align 128
  plan.fill %a, %n, %n
}

// -----

plan.program @large target "cpu" inputs [] outputs [] {
  %c = arith.constant 4000000000000000000 : index
  %a = plan.alloc %c
  // expected-error @+1 {{brings the program's memory to more than can be addressed}}
  %b = plan.alloc %c
  plan.fill %a, %c, %c
  // expected-error @+1 {{brings the program's memory to more than can be addressed}}
  %d = plan.alloc %c
  plan.fill %b, %c, %c
  plan.fill %d, %c, %c
}
