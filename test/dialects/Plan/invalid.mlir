// RUN: hone-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'tensor<1xf32>' is no element type of inputs and outputs}}
plan.program @p target "cpu" inputs [#plan.tensor<"x", tensor<1xf32>, []>] outputs [] {
}

// -----

// expected-error @+1 {{'si8' is no element type}}
plan.program @p target "cpu" inputs [#plan.tensor<"x", si8, []>] outputs [] {
}

// -----

// expected-error @+1 {{extent -1 is negative}}
plan.program @p target "cpu" inputs [#plan.tensor<"x", f32, [-1]>] outputs [] {
}

// -----

// expected-error @+1 {{extent -7 is negative}}
plan.program @p target "cpu" inputs [#plan.tensor<"x", f32, [-7]>] outputs [] {
}

// -----

// expected-error @+1 {{range 8 to 4 is empty or negative}}
plan.program @p target "cpu" inputs [#plan.tensor<"x", f32, ["N" in 8 to 4]>] outputs [] {
}

// -----

plan.program @p target "cpu" inputs [#plan.tensor<"x", f32, [4]>] outputs [] {
  // expected-error @+1 {{names input #1 of 1}}
  %x = plan.input 1
}

// -----

plan.program @p target "cpu" inputs [#plan.tensor<"x", f32, [4]>] outputs [] {
  // expected-error @+1 {{names dimension #1 of input "x" of rank 1}}
  %x = plan.input_dim 0, 1
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  // expected-error @+1 {{names output #0 of 0}}
  %x = plan.output_buffer 0, %c
}

// -----

// expected-error @+1 {{stands outside of a plan.program}}
%x = plan.input 0

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  // expected-error @+1 {{has elements of type 'complex<f32>', which a buffer cannot hold}}
  %x = plan.constant dense<(0.0, 0.0)> : tensor<2xcomplex<f32>>
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  // expected-error @+1 {{has no representable size}}
  %x = plan.constant dense<0> : tensor<4611686018427387904x2xi64>
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  // expected-error @+1 {{has offset 32, which is no multiple of 64}}
  %x = plan.alloc %c at 32
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  // expected-error @+1 {{attribute 'alignment' failed to satisfy constraint}}
  %x = plan.alloc %c align 96
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  // expected-error @+1 {{has an empty or negative lifetime [3, 1]}}
  %x = plan.reserve %c live [3, 1]
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  %a = plan.alloc %c
  // expected-error @+1 {{needs an integer element type, but has 'f32'}}
  %x = plan.load %a[%c] : f32
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  // expected-error @+1 {{launches @f, which is no plan.kernel}}
  plan.launch @f grid(%c)
}

// -----

plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi8>
plan.kernel @f in @code buffers 2 scalars 0 nodes []
plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  %a = plan.alloc %c
  // expected-error @+1 {{passes 1 buffers and 1 scalars to @f, which takes 2 and 0}}
  plan.launch @f grid(%c) buffers(%a) scalars(%c)
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  %a = plan.alloc %c
  // expected-error @+1 {{writes buffer #1 of 1}}
  plan.launch @f grid(%c) buffers(%a) writes [1]
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  %a = plan.alloc %c
  // expected-error @+1 {{names written buffer #0 twice}}
  plan.launch @f grid(%c) buffers(%a) writes [0, 0]
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %c = arith.constant 1 : index
  %a = plan.alloc %c
  %b = plan.alloc %c
  // expected-error @+1 {{works in place from a buffer it reads to one it writes, but has the pair 1 -> 0}}
  plan.launch @f grid(%c) buffers(%a, %b) writes [1] inplace [1 -> 0]
}

// -----

// expected-error @+1 {{lies in @code, which is no plan.executable}}
plan.kernel @f in @code buffers 2 scalars 0 nodes []

// -----

// expected-error @+1 {{needs code of type i8, but has 'tensor<4xi32>'}}
plan.executable @code target "cpu" format "elf" features [] code dense<0> : tensor<4xi32>

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %true = arith.constant true
  %c = arith.constant 1 : index
  %r = plan.if %true -> (index) {
    plan.yield %c : index
  } else {
    // expected-error @+1 {{yields ('i1'), but 'plan.if' needs ('index')}}
    plan.yield %true : i1
  }
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %true = arith.constant true
  %c = arith.constant 1 : index
  %r = plan.loop %i to %c while %true iter(%s = %c) -> (index) {
    // expected-error @+1 {{yields ('index'), but 'plan.loop' needs ('i1', 'index')}}
    plan.yield %s : index
  }
}

// -----

plan.program @p target "cpu" inputs [] outputs [] {
  %true = arith.constant true
  %c = arith.constant 1 : index
  // expected-error @+1 {{carries 1 values, but has 0 result types}}
  plan.loop %i to %c while %true iter(%s = %c) {
    plan.yield %true : i1
  }
}
