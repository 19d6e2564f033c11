//===- PlanControlOps.td - Structured control flow ---------*- tablegen -*-===//

#ifndef DIALECTS_PLAN_IR_PLANCONTROLOPS
#define DIALECTS_PLAN_IR_PLANCONTROLOPS

include "dialects/Plan/IR/PlanBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Value : AnyTypeOf<[Index, I1, Plan_Buffer], "index, i1 or !plan.buffer">;

def Plan_IfOp : Plan_Op<"if", [
    NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::hone::plan::YieldOp">]> {
  let summary = "One of two regions.";
  let description = [{
    Both regions exist, either may be empty. A buffer that a region yields is
    the same bytes as the result.

    ```mlir
    %n, %b = plan.if %c -> (index, !plan.buffer) {
      plan.yield %x, %p : index, !plan.buffer
    } else {
      plan.yield %y, %q : index, !plan.buffer
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<Plan_Value>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let builders = [
    // Creates both blocks, empty; the caller adds the yields.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$condition)>,
  ];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *thenBlock() { return &getThenRegion().front(); }
    ::mlir::Block *elseBlock() { return &getElseRegion().front(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Plan_LoopOp : Plan_Op<"loop", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Repeats a region while a condition holds, at most so many times.";
  let description = [{
    The region runs for `%i` = 0, 1, ... below `%n`, as long as the condition
    holds: first the operand, then what the iteration before yielded. Zero trips
    are allowed; the results are then the initial values.

    The yield's first operand is the condition, the others are the values
    carried to the next iteration. A carried buffer is carried as a handle: the
    region must not write what the next iteration still reads, so either it
    yields an allocation of its own or uses carried buffers in turn.

    ```mlir
    %sum = plan.loop %i to %n while %true iter(%s = %zero) -> (index) {
      %t = arith.addi %s, %i : index
      %go = arith.cmpi slt, %t, %limit : index
      plan.yield %go, %t : i1, index
    }
    ```
  }];
  let arguments = (ins Index:$trips, I1:$condition, Variadic<Plan_Value>:$inits);
  let results = (outs Variadic<Plan_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    // Creates the block with its arguments; the caller adds the yield.
    OpBuilder<(ins "::mlir::Value":$trips, "::mlir::Value":$condition,
                   CArg<"::mlir::ValueRange", "{}">:$inits)>,
  ];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::BlockArgument getInductionVar() { return getBody().getArgument(0); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getCarriedArgs() {
      return getBody().getArguments().drop_front();
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Plan_YieldOp : Plan_Op<"yield", [
    Pure, Terminator,
    ParentOneOf<["::hone::plan::IfOp", "::hone::plan::LoopOp"]>]> {
  let summary = "Ends a region of structured control flow.";
  let description = [{
    ```mlir
    plan.yield %c, %n : i1, index
    ```
  }];
  let arguments = (ins Variadic<Plan_Value>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // DIALECTS_PLAN_IR_PLANCONTROLOPS
