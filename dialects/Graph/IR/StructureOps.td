//===- StructureOps.td - Control flow and kernels ----------*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_STRUCTUREOPS
#define DIALECTS_GRAPH_IR_STRUCTUREOPS

include "dialects/Graph/IR/GraphBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["IfOp", "LoopOp", "KernelOp"]>]> {
  let summary = "Ends a region and gives its results.";
  let description = [{
    ```mlir
    graph.yield %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Graph_IfOp : Graph_Op<"if", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "Computes one of two regions.";
  let description = [{
    The regions may use values from outside. Result types are as general as both yields need.

    ```mlir
    %y = graph.if %c : tensor<i1> -> tensor<4xf32> {
      graph.yield %a : tensor<4xf32>
    } else {
      graph.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_ScalarBool:$condition);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition `:` type($condition) (`->` type($results)^)? attr-dict-with-keyword $thenRegion `else` $elseRegion";
  let hasVerifier = 1;
}

def Graph_LoopOp : Graph_Op<"loop", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Repeats a region while a condition holds, at most a number of times.";
  let description = [{
    `inits` are carried from trip to trip. The region takes the trip number (tensor<i64>), and the carried values; it
    yields the condition for another trip, the next carried values, then `n` per-trip values. The results are the last carried values, then
    each per-trip value stacked along a new first dimension. Before the first trip `condition` decides.

    ```mlir
    %s, %all = graph.loop %trips, %go init(%x) : tensor<i64>, tensor<i1>, tensor<4xf32> -> tensor<4xf32>, tensor<?x4xf32> {
    ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>):
      graph.yield %go, %acc, %acc : tensor<i1>, tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_ScalarI64:$trips, Graph_ScalarBool:$condition, Variadic<Graph_Tensor>:$inits);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $trips `,` $condition (`init` `(` $inits^ `)`)? `:` type($trips) `,` type($condition) (`,` type($inits)^)?
    (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumStacked() { return getNumResults() - getInits().size(); }
  }];
}

def Graph_KernelOp : Graph_Op<"kernel", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "What will be one launch.";
  let description = [{
    The region uses values from outside; what it yields is written to memory, everything else lives in registers or caches.

    ```mlir
    %y = graph.kernel -> tensor<4xf32> {
      %0 = graph.unary<exp> %x : tensor<4xf32> -> tensor<4xf32>
      graph.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Graph_RelayoutOp : Graph_Op<"relayout", [Pure, Graph_ViewOpInterface]> {
  let summary = "The same tensor in another memory layout.";
  let description = [{
    Where the layouts differ in the places of extents of 1 alone it is a view.

    ```mlir
    %y = graph.relayout %x : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32, #graph.layout<[0, 2, 3, 1]>>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDeclaration = [{ bool isView(); }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DIALECTS_GRAPH_IR_STRUCTUREOPS
