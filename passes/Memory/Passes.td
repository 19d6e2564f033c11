//===- Passes.td - Memory planning -------------------------*- tablegen -*-===//
//
// In the order the pipeline runs them: outputs first, since they take buffers
// away; planning last, since everything before changes lifetimes.
//
//===----------------------------------------------------------------------===//

#ifndef PASSES_MEMORY_PASSES
#define PASSES_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def ForwardOutputsPass
    : Pass<"hone-forward-outputs", "::hone::plan::ProgramOp"> {
  let summary = "Lets producers write into output buffers directly";
  let description = [{
    An allocation whose contents are copied into an output becomes the output
    buffer itself.

    ```mlir
    %a = plan.alloc %bytes
    plan.launch @f grid(%n) buffers(%x, %a) writes [1]
    %y = plan.output_buffer 0, %bytes
    plan.copy %a to %y, %bytes
    ```
    becomes
    ```mlir
    %y = plan.output_buffer 0, %bytes
    plan.launch @f grid(%n) buffers(%x, %y) writes [1]
    ```

    Left alone: copies of inputs, constants, views and of what control flow
    yields; copies of a part; an allocation of another size than the output; an
    allocation in another block than its copy; one that is written again after
    the copy; an output that is used elsewhere. The second copy of one
    allocation stays a copy, from the first output.
  }];
}

def RotateLoopBuffersPass
    : Pass<"hone-rotate-loop-buffers", "::hone::plan::ProgramOp"> {
  let summary = "Gives what a loop carries two places used in turn";
  let description = [{
    A loop that yields an allocation of its body needs new memory in every
    iteration, since the next one reads what this one wrote. Where the size is
    the same in all of them, two allocations before the loop are enough: each
    iteration writes the one that the iteration before did not.

    ```mlir
    %r = plan.loop %i to %n while %c iter(%s = %init) -> (!plan.buffer) {
      %a = plan.alloc %bytes
      plan.launch @step grid(%g) buffers(%s, %a) writes [1]
      plan.yield %c, %a : i1, !plan.buffer
    }
    ```
    becomes
    ```mlir
    %p = plan.alloc %bytes
    %q = plan.alloc %bytes
    %r:3 = plan.loop %i to %n while %c iter(%s = %init, %a = %p, %b = %q)
        -> (!plan.buffer, !plan.buffer, !plan.buffer) {
      plan.launch @step grid(%g) buffers(%s, %a) writes [1]
      plan.yield %c, %a, %b, %a : i1, !plan.buffer, !plan.buffer, !plan.buffer
    }
    ```

    Left alone: sizes that depend on the iteration; a carried buffer that is
    handed on to the iteration after the next; allocations yielded twice, or
    through a view or an if. Memory planning gives those memory per iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReorderLaunchesPass
    : Pass<"hone-reorder-launches", "::hone::plan::ProgramOp"> {
  let summary = "Orders launches so that less is alive at once";
  let description = [{
    Within a block, among the ops that are ready runs next the one that frees
    most and allocates least; the order is kept where the new one does not lower
    the peak of what is alive.

    ```mlir
    plan.launch @expand_a grid(%n) buffers(%x, %a) writes [1]    // a: 4 KiB
    plan.launch @expand_b grid(%n) buffers(%x, %b) writes [1]    // b: 4 KiB
    plan.launch @reduce_a grid(%n) buffers(%a, %p) writes [1]    // p: 64 B
    plan.launch @reduce_b grid(%n) buffers(%b, %q) writes [1]    // q: 64 B
    ```
    becomes
    ```mlir
    plan.launch @expand_a grid(%n) buffers(%x, %a) writes [1]
    plan.launch @reduce_a grid(%n) buffers(%a, %p) writes [1]
    plan.launch @expand_b grid(%n) buffers(%x, %b) writes [1]
    plan.launch @reduce_b grid(%n) buffers(%b, %q) writes [1]
    ```

    Left alone: order among ops that touch the same bytes, at least one of them
    writing; checks, loads, output shapes and control flow, which keep their
    order among each other; blocks where every buffer's size is a run-time
    value, since nothing is known to gain.
  }];
}

def PlanMemoryPass : Pass<"hone-plan-memory", "::hone::plan::ProgramOp"> {
  let summary = "Gives every allocation its bytes";
  let description = [{
    Allocations of constant size get offsets in one arena: several greedy orders
    and a local search are tried, the smallest arena is kept. What a launch may
    do in place is done in place where the input dies there. The program gets
    `static_bytes`, the arena's size, `lower_bound`, the most bytes alive at one
    time, and `total_bytes`, the sum of all; a remark reports the gap. It gets
    `arena_bound`, what the arena and the frames of a run never exceed together,
    where the declared ranges of the inputs' extents tell.

    Allocations of other sizes become results of a `plan.reserve`, opened as
    early in their block as the sizes are known: those computed from input
    dimensions share one frame at its head, those computed from loaded values
    get one where the value is loaded. Arithmetic and checks move up with them.
    Frames are released when all their buffers are dead, at the latest at the
    end of the block; frames of buffers that outlive a region stay open until
    the end of the region around it.

    ```mlir
    %a = plan.alloc %c256
    plan.launch @f grid(%g) buffers(%x, %a) writes [1]
    %b = plan.alloc %c256
    plan.launch @relu grid(%g) buffers(%a, %b) writes [1] inplace [0 -> 1]
    %bytes = arith.muli %n, %c64 : index
    %c = plan.alloc %bytes
    plan.launch @h grid(%g) buffers(%b, %c) writes [1]
    ```
    becomes
    ```mlir
    %bytes = arith.muli %n, %c64 : index
    %c = plan.reserve %bytes live [0, 0]
    %a = plan.alloc %c256 at 0
    plan.launch @f grid(%g) buffers(%x, %a) writes [1]
    %b = plan.alloc %c256 at 0
    plan.launch @relu grid(%g) buffers(%a, %b) writes [1] inplace [0 -> 1]
    plan.launch @h grid(%g) buffers(%b, %c) writes [1]
    plan.release
    ```

    Left alone: output buffers, inputs and constants, which are not the
    program's memory; the order of launches; programs that are planned already.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // PASSES_MEMORY_PASSES
