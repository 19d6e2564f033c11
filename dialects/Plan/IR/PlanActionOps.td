//===- PlanActionOps.td - What happens to bytes ------------*- tablegen -*-===//

#ifndef DIALECTS_PLAN_IR_PLANACTIONOPS
#define DIALECTS_PLAN_IR_PLANACTIONOPS

include "dialects/Plan/IR/PlanBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_LaunchOp : Plan_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel.";
  let description = [{
    `grid` is the number of independent work items. `writes` are the positions
    of the buffers the kernel writes, every other buffer is only read; a kernel
    that also reads what it writes declares nothing more. `inplace` names pairs
    of a read and a written buffer that may be the same bytes: the kernel reads
    each of them before it writes there.

    ```mlir
    plan.launch @gelu grid(%n) buffers(%x, %y) scalars(%m) writes [1] inplace [0 -> 1]
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Index:$grid,
    Variadic<Plan_Buffer>:$buffers,
    Variadic<Index>:$scalars,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$writes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$inplace
  );
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$kernel, "::mlir::Value":$grid,
                   "::mlir::ValueRange":$buffers, "::mlir::ValueRange":$scalars,
                   "::llvm::ArrayRef<int64_t>":$writes,
                   CArg<"::llvm::ArrayRef<std::pair<int64_t, int64_t>>", "{}">:$inplace)>,
  ];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// True if the buffer at `position` is written.
    bool isWritten(int64_t position) { return ::llvm::is_contained(getWrites(), position); }
    /// The pairs (read, written) of buffer positions that may be the same bytes.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getInplacePairs();
  }];
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` (`buffers` `(` $buffers^ `)`)?
    (`scalars` `(` $scalars^ `)`)? (`writes` $writes^)? custom<Inplace>($inplace)
    attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "Copies bytes.";
  let description = [{
    The ranges may not overlap, unless they are the same.

    ```mlir
    plan.copy %a to %b, %bytes
    ```
  }];
  let arguments = (ins
    Arg<Plan_Buffer, "", [MemRead]>:$source,
    Arg<Plan_Buffer, "", [MemWrite]>:$target,
    Index:$bytes
  );
  let assemblyFormat = "$source `to` $target `,` $bytes attr-dict";
  let hasCanonicalizeMethod = 1;
}

def Plan_FillOp : Plan_Op<"fill"> {
  let summary = "Sets bytes to one value.";
  let description = [{
    ```mlir
    plan.fill %b, %zero, %bytes
    ```
  }];
  let arguments = (ins
    Arg<Plan_Buffer, "", [MemWrite]>:$target,
    Index:$byte,
    Index:$bytes
  );
  let assemblyFormat = "$target `,` $byte `,` $bytes attr-dict";
  let hasCanonicalizeMethod = 1;
}

def Plan_LoadOp : Plan_Op<"load"> {
  let summary = "Reads one integer out of a buffer.";
  let description = [{
    Waits for whatever writes the buffer: this is how values decide sizes and
    control flow. The element type is any integer type; `i1` is a byte.

    ```mlir
    %n = plan.load %b[%i] : i64
    ```
  }];
  let arguments = (ins
    Arg<Plan_Buffer, "", [MemRead]>:$source,
    Index:$index,
    TypeAttr:$elementType
  );
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $index `]` `:` $elementType attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Plan_StoreOp : Plan_Op<"store"> {
  let summary = "Writes one integer into a buffer.";
  let description = [{
    ```mlir
    plan.store %v, %b[%i] : i64
    ```
  }];
  let arguments = (ins
    Index:$value,
    Arg<Plan_Buffer, "", [MemWrite]>:$target,
    Index:$index,
    TypeAttr:$elementType
  );
  let assemblyFormat = "$value `,` $target `[` $index `]` `:` $elementType attr-dict";
  let hasVerifier = 1;
}

def Plan_CheckOp : Plan_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the run with an error unless a condition holds.";
  let description = [{
    The message is for the model's user. The nodes it concerns are taken from
    the location, so it need not name them.

    ```mlir
    plan.check %ok, "the two inputs have different batch sizes"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // DIALECTS_PLAN_IR_PLANACTIONOPS
