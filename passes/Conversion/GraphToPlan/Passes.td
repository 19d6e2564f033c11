//===- Passes.td - From kernels of a graph to a plan -------*- tablegen -*-===//

#ifndef PASSES_CONVERSION_GRAPHTOPLAN_PASSES
#define PASSES_CONVERSION_GRAPHTOPLAN_PASSES

include "mlir/Pass/PassBase.td"

def GraphToPlanPass : Pass<"hone-graph-to-plan", "::mlir::ModuleOp"> {
  let summary = "Turns a function of kernels into a program of launches.";
  let description = [{
    `@main` becomes a `plan.program`: tensors become buffers, sizes integer arithmetic over input extents, reshapes aliases. Every
    kernel becomes a function of tensors in the module `@kernels`; equal kernels become one. Extents that are not static are
    the kernel's scalars (`graph.scalars`, `graph.dims`). The grid of a launch is decided when its kernel is
    lowered: `hone-resolve-launches`. What reshapes and windows need of extents that are not static becomes a `plan.check`.

    Before:
    ```mlir
    func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["n"]}) -> (tensor<?xf32> {graph.name = "y"}) {
      %y = graph.kernel -> tensor<?xf32> {
        %0 = graph.unary<exp> %x : tensor<?xf32> -> tensor<?xf32>
        graph.yield %0 : tensor<?xf32>
      }
      return %y : tensor<?xf32>
    }
    ```
    After:
    ```mlir
    plan.program @main target "cpu" inputs [#plan.tensor<"x", f32, ["n"]>] outputs [#plan.tensor<"y", f32, [?]>] {
      %n = plan.input_dim 0, 0
      %x = plan.input 0
      %bytes = arith.muli %n, %c4 : index
      %y = plan.output_buffer 0, %bytes
      plan.launch @unary_0 grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
      plan.output_dim 0, 0, %n
    }
    ```

    Left alone: nothing of `@main`; what cannot be planned is an error at its node.
  }];
  let dependentDialects = ["::hone::plan::PlanDialect", "::mlir::arith::ArithDialect"];
}

def ResolveLaunchesPass : Pass<"hone-resolve-launches", "::mlir::ModuleOp"> {
  let summary = "Gives every launch its stages, their grids and scratch memory.";
  let description = [{
    Lowering a kernel leaves a function `@<kernel>.launch` from its scalars to the scratch bytes it needs and the grid of each of its
    `stages`; its arithmetic is copied to every launch. Every stage becomes a launch of its own, of the buffers of the kernel and the
    scratch memory, which they share: of all of them or, where a stage has them, those of its attributes `hone.accessed_buffers` and
    `hone.written_buffers`. A scratch size of 0 means that there is no such buffer; a kernel without stages has nothing to do and is not
    launched.

    Before:
    ```mlir
    plan.launch @k grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
    // in @kernels: func.func @k.launch(%n: index) -> (index, index, index) attributes {stages = ["k_0", "k_1"]} { ... }
    ```
    After:
    ```mlir
    %bytes = arith.muli %n, %c64 : index
    %g = arith.ceildivsi %n, %c64 : index
    %t = plan.alloc %bytes
    plan.launch @k.0 grid(%g) buffers(%x, %y, %t) scalars(%n) writes [1, 2]
    plan.launch @k.1 grid(%c1) buffers(%x, %y, %t) scalars(%n) writes [1, 2]
    ```

    Left alone: launches of kernels without such a function.
  }];
  let dependentDialects = ["::hone::plan::PlanDialect"];
}

#endif // PASSES_CONVERSION_GRAPHTOPLAN_PASSES
