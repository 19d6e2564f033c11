//===- PlanBase.td - The plan dialect, its type and attributes -*- tablegen -*-//
//
// Everything the op files of this folder share. Nothing here is an operation.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_PLAN_IR_PLANBASE
#define DIALECTS_PLAN_IR_PLANBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::hone::plan";
  let summary = "Where bytes live and what runs when.";
  let description = [{
    A `plan.program` is what the runtime executes for one target: buffers,
    kernel launches, copies, and integer arithmetic over run-time dimensions.
    There are no tensors here. Memory is a `!plan.buffer`, a range of bytes in
    the target's memory space; integers are `index` and `i1` values computed by
    upstream `arith` ops. Control flow is structured: `plan.if`, `plan.loop`.

    The dialect serializes one to one into the module format, whose opcodes it
    mirrors. Locations are ONNX nodes.

    ```mlir
    plan.executable @code target "cpu:avx2" format "elf" features ["avx2"]
        code dense<[127, 69, 76, 70]> : tensor<4xi8>
    plan.kernel @relu in @code buffers 2 scalars 1 nodes ["Relu_0"]

    plan.program @main target "cpu:avx2"
        inputs [#plan.tensor<"x", f32, ["N" in 1 to 64, 16]>]
        outputs [#plan.tensor<"y", f32, ["N" in 1 to 64, 16]>] {
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %n = plan.input_dim 0, 0
      %bytes = arith.muli %n, %c64 : index
      %x = plan.input 0
      plan.output_dim 0, 0, %n
      plan.output_dim 0, 1, %c64
      %y = plan.output_buffer 0, %bytes
      plan.launch @relu grid(%c1) buffers(%x, %y) scalars(%n) writes [1]
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Plan_Buffer : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes in the target's memory space";
  let description = [{
    A handle, not a value: copying the handle copies no byte. Buffers start at
    multiples of 64 bytes unless they are views.
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Plan_Attr<string name, string attrMnemonic> : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Plan_DimAttr : Plan_Attr<"Dim", "dim"> {
  let summary = "One dimension of an input or output.";
  let description = [{
    Either a static extent, or an extent known at run time: named (equal names
    of one module are equal extents) or not, with the range the model's user
    declared for it. A static extent has a name where the user fixed it.

    ```mlir
    #plan.dim<3>
    #plan.dim<"batch" = 1>
    #plan.dim<"H" in 1 to 4096>
    #plan.dim<"N">
    #plan.dim<? in 8 to ?>
    #plan.dim<?>
    ```
  }];
  let parameters = (ins
    "int64_t":$size,
    "::mlir::StringAttr":$symbol,
    "int64_t":$min,
    "int64_t":$max
  );
  let builders = [
    AttrBuilder<(ins "int64_t":$size)>,
    AttrBuilder<(ins "::llvm::StringRef":$symbol, CArg<"int64_t", "0">:$min,
                     CArg<"int64_t", "std::numeric_limits<int64_t>::max()">:$max)>,
  ];
  let extraClassDeclaration = [{
    /// The size of an extent that is only known at run time.
    static constexpr int64_t kRunTime = -1;
    static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
    bool isStatic() const { return getSize() != kRunTime; }

    /// The form without `#plan.dim<>`, as it appears inside a tensor.
    static DimAttr parseBare(::mlir::AsmParser &parser);
    void printBare(::mlir::AsmPrinter &printer) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Plan_TensorAttr : Plan_Attr<"Tensor", "tensor"> {
  let summary = "Name, element type and shape of an input or output.";
  let description = [{
    The name is the model's, any bytes. Element types are those of ONNX as
    builtin types: signless integers are signed, `ui8` is unsigned, `i1` is
    bool. Types narrower than a byte occupy one byte an element.

    ```mlir
    #plan.tensor<"images", f32, ["N" in 1 to 8, 3, "H", ?]>
    #plan.tensor<"scalar", i64, []>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"::hone::plan::DimAttr">:$dims
  );
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$elementType,
                     "::llvm::ArrayRef<::hone::plan::DimAttr>":$dims)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Plan_TensorArrayAttr
    : TypedArrayAttrBase<Plan_TensorAttr, "array of #plan.tensor"> {
  let constBuilderCall = ?;
}

def Plan_Position : ConfinedAttr<I64Attr, [IntNonNegative]>;

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

#endif // DIALECTS_PLAN_IR_PLANBASE
