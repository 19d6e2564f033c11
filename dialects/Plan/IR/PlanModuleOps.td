//===- PlanModuleOps.td - Programs, kernels, executables ---*- tablegen -*-===//

#ifndef DIALECTS_PLAN_IR_PLANMODULEOPS
#define DIALECTS_PLAN_IR_PLANMODULEOPS

include "dialects/Plan/IR/PlanBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_ProgramOp : Plan_Op<"program", [
    HasParent<"::mlir::ModuleOp">, IsolatedFromAbove, NoTerminator, SingleBlock,
    Symbol]> {
  let summary = "What the runtime executes for one target.";
  let description = [{
    All programs of a module have the same inputs and outputs; they differ in
    target. The block is executed once a run, top to bottom.

    Memory planning adds `static_bytes`, the size of the arena whose offsets
    were fixed at compile time, `lower_bound`, below which no plan of the same
    order can go, `total_bytes`, what the buffers would need if none shared, and
    `arena_bound`, what the arena and all memory of run-time sizes never exceed
    together while extents are in their declared ranges; absent if unknown.

    ```mlir
    plan.program @main target "cpu:avx2"
        inputs [#plan.tensor<"x", f32, [4]>]
        outputs [#plan.tensor<"y", f32, [4]>]
        attributes {static_bytes = 64 : i64} {
      ...
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$target,
    Plan_TensorArrayAttr:$inputs,
    Plan_TensorArrayAttr:$outputs,
    OptionalAttr<I64Attr>:$static_bytes,
    OptionalAttr<I64Attr>:$lower_bound,
    OptionalAttr<I64Attr>:$total_bytes,
    OptionalAttr<I64Attr>:$arena_bound
  );
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$target,
                   "::llvm::ArrayRef<::hone::plan::TensorAttr>":$inputs,
                   "::llvm::ArrayRef<::hone::plan::TensorAttr>":$outputs)>,
  ];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    TensorAttr getInput(int64_t i) { return ::llvm::cast<TensorAttr>(getInputs()[i]); }
    TensorAttr getOutput(int64_t i) { return ::llvm::cast<TensorAttr>(getOutputs()[i]); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
  let assemblyFormat = [{
    $sym_name `target` $target `inputs` $inputs `outputs` $outputs
    attr-dict-with-keyword $body
  }];
}

def Plan_KernelOp : Plan_Op<"kernel", [
    HasParent<"::mlir::ModuleOp">, Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function of an executable that can be launched.";
  let description = [{
    `entry` is its symbol in the executable, by default the kernel's own name;
    two targets can so have kernels of one name. `nodes` are the ONNX nodes it
    computes, for errors and profiles. On devices that run workgroups of threads,
    `workgroup` is the number of threads in one and `shared` the bytes of memory
    they share whose size the code leaves to the launch.

    ```mlir
    plan.kernel @conv0 in @code buffers 3 scalars 2 nodes ["Conv_0", "Relu_1"]
    plan.kernel @gemm0 in @gpu buffers 3 scalars 2 workgroup 256 shared 65536 nodes ["Gemm_0"]
    plan.kernel @conv0_neon entry "conv0" in @neon buffers 3 scalars 2 nodes []
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$entry,
    FlatSymbolRefAttr:$executable,
    Plan_Position:$buffers,
    Plan_Position:$scalars,
    StrArrayAttr:$nodes,
    DefaultValuedAttr<Plan_Position, "0">:$workgroup_size,
    DefaultValuedAttr<Plan_Position, "0">:$shared_bytes
  );
  let extraClassDeclaration = [{
    ::llvm::StringRef getEntryName() { return getEntry().value_or(getSymName()); }
  }];
  let assemblyFormat = [{
    $sym_name (`entry` $entry^)? `in` $executable `buffers` $buffers
    `scalars` $scalars (`workgroup` $workgroup_size^)?
    (`shared` $shared_bytes^)? `nodes` $nodes attr-dict
  }];
}

def Plan_ExecutableOp : Plan_Op<"executable", [
    HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "Machine code for one target.";
  let description = [{
    An ELF image, a cubin, SPIR-V. `features` is what the machine must have.
    The bytes are an `i8` tensor, a resource for all but the smallest.

    ```mlir
    plan.executable @code target "cpu:avx2" format "elf" features ["avx2", "fma"]
        code dense_resource<elf> : tensor<4096xi8>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$target,
    StrAttr:$format,
    StrArrayAttr:$features,
    ElementsAttr:$code
  );
  let assemblyFormat = [{
    $sym_name `target` $target `format` $format `features` $features
    `code` $code attr-dict
  }];
  let hasVerifier = 1;
}

#endif // DIALECTS_PLAN_IR_PLANMODULEOPS
