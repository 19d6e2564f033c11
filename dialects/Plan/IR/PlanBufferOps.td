//===- PlanBufferOps.td - Where bytes come from ------------*- tablegen -*-===//

#ifndef DIALECTS_PLAN_IR_PLANBUFFEROPS
#define DIALECTS_PLAN_IR_PLANBUFFEROPS

include "dialects/Plan/IR/PlanBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// The caller's
//===----------------------------------------------------------------------===//

def Plan_InputOp : Plan_Op<"input", [Pure]> {
  let summary = "The bytes of a model input.";
  let description = [{
    Read only: they belong to the caller.

    ```mlir
    %x = plan.input 0
    ```
  }];
  let arguments = (ins Plan_Position:$index);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$index attr-dict";
  let hasVerifier = 1;
}

def Plan_InputDimOp : Plan_Op<"input_dim", [Pure]> {
  let summary = "One extent of a model input.";
  let description = [{
    The runtime has checked it against the declared range. A static extent
    folds to a constant.

    ```mlir
    %n = plan.input_dim 0, 1
    ```
  }];
  let arguments = (ins Plan_Position:$input, Plan_Position:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dim attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Plan_OutputBufferOp : Plan_Op<"output_buffer", [MemoryEffects<[MemWrite]>]> {
  let summary = "The bytes of a model output.";
  let description = [{
    The caller's memory, or the session's where the caller gave none. Each
    output is asked for once a run, with its size; a program may read back what
    it wrote.

    ```mlir
    %y = plan.output_buffer 0, %bytes
    ```
  }];
  let arguments = (ins Plan_Position:$index, Index:$bytes);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$index `,` $bytes attr-dict";
  let hasVerifier = 1;
}

def Plan_OutputDimOp : Plan_Op<"output_dim", [MemoryEffects<[MemWrite]>]> {
  let summary = "Sets one extent of a model output.";
  let description = [{
    ```mlir
    plan.output_dim 0, 1, %n
    ```
  }];
  let arguments = (ins Plan_Position:$output, Plan_Position:$dim, Index:$value);
  let assemblyFormat = "$output `,` $dim `,` $value attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The program's
//===----------------------------------------------------------------------===//

def Plan_ConstantOp : Plan_Op<"constant", [Pure]> {
  let summary = "Bytes of the module file.";
  let description = [{
    Elements in row-major order: bool is one byte an element, types narrower
    than a byte too. Splats are expanded when the module is written; equal
    contents are written once, whichever programs use them. Read only.

    ```mlir
    %w = plan.constant dense_resource<w> : tensor<64x64xf32>
    %z = plan.constant dense<0.0> : tensor<16xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Plan_AllocOp : Plan_Op<"alloc"> {
  let summary = "Intermediate memory.";
  let description = [{
    Contents are undefined; inside a loop they are so in every iteration. Before
    memory planning an allocation is abstract. Afterwards those of constant size
    have an offset in the statically planned arena and all others have become
    part of a `plan.reserve`. Offsets are multiples of 64; `align` asks for more,
    counted from the start of the arena, which the device aligns to 64 bytes at
    least.

    ```mlir
    %a = plan.alloc %bytes
    %b = plan.alloc %bytes at 4096
    %c = plan.alloc %bytes align 256
    ```
  }];
  let arguments = (ins
    Index:$bytes,
    OptionalAttr<Plan_Position>:$offset,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositivePowerOf2, IntMaxValue<4096>]>>:$alignment
  );
  let results = (outs Res<Plan_Buffer, "", [MemAlloc]>:$buffer);
  let builders = [OpBuilder<(ins "::mlir::Value":$bytes), [{
    build($_builder, $_state, bytes, ::mlir::IntegerAttr(), ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $bytes (`at` $offset^)? (`align` $alignment^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_ReserveOp : Plan_Op<"reserve", [
    MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Memory whose size is known at run time only.";
  let description = [{
    Opens a frame: the runtime packs the buffers, letting those whose lifetimes
    (inclusive, in any consistent unit) do not overlap share bytes. The frame
    lives until its `plan.release`; frames are a stack.

    ```mlir
    %b:2 = plan.reserve %s0 live [0, 3], %s1 live [2, 5]
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$first,
    DenseI64ArrayAttr:$last
  );
  let results = (outs Variadic<Plan_Buffer>:$buffers);
  let assemblyFormat = "custom<Reservations>($sizes, $first, $last) attr-dict";
  let hasVerifier = 1;
}

def Plan_ReleaseOp : Plan_Op<"release", [MemoryEffects<[MemWrite]>]> {
  let summary = "Closes the newest frame.";
  let description = [{
    With an operand, that many frames: a loop whose buffers outlive an iteration
    leaves one open for each.

    ```mlir
    plan.release
    plan.release %n
    ```
  }];
  let arguments = (ins Optional<Index>:$count);
  let assemblyFormat = "($count^)? attr-dict";
}

def Plan_GrowOp : Plan_Op<"grow", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Memory that grows while the program runs.";
  let description = [{
    At least `bytes` bytes of growing memory number `memory`, holding what the
    earlier handles of the same number held; these may not be used any more. For
    results of loops whose number of trips nobody knows: each trip asks for room
    for one more.

    ```mlir
    %b = plan.grow 0, %bytes
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<65535>]>:$memory, Index:$bytes);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$memory `,` $bytes attr-dict";
}

def Plan_ViewOp : Plan_Op<"view", [Pure]> {
  let summary = "A part of a buffer.";
  let description = [{
    `bytes` bytes from `offset` on, without a copy.

    ```mlir
    %v = plan.view %b[%offset], %bytes
    ```
  }];
  let arguments = (ins Plan_Buffer:$source, Index:$offset, Index:$bytes);
  let results = (outs Plan_Buffer:$result);
  let assemblyFormat = "$source `[` $offset `]` `,` $bytes attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // DIALECTS_PLAN_IR_PLANBUFFEROPS
