//===- ElementwiseOps.td - One element at a time ----------*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_ELEMENTWISEOPS
#define DIALECTS_GRAPH_IR_ELEMENTWISEOPS

include "dialects/Graph/IR/GraphBase.td"

class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, !listconcat(traits, [Graph_ElementwiseOpInterface])>;

def Graph_UnaryOp : Graph_ElementwiseOp<"unary", [Graph_HalfSafetyOpInterface]> {
  let summary = "Applies a function to every element.";
  let description = [{
    The kinds are the UNARY rows of `Elementwise.def`. `not` is logical on i1, bitwise on
    integers. Float functions on f16, bf16 and f8 compute in f32.

    ```mlir
    %y = graph.unary<exp> %x : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_UnaryKindAttr:$kind, Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`` $kind $input attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{
    bool preservesZero();
    ::hone::graph::HalfSafety getHalfSafety();
  }];
}

def Graph_BinaryOp : Graph_ElementwiseOp<"binary", [Graph_HalfSafetyOpInterface]> {
  let summary = "Applies a function of two numbers to every pair of elements.";
  let description = [{
    The kinds are the BINARY rows of `Elementwise.def`; operands broadcast. `div` truncates on
    integers, `mod` has the sign of the divisor, `rem` that of the dividend; `and`, `or`, `xor`
    are logical on i1. `pow` takes an exponent of another element type; `min` and `max` propagate NaN.

    ```mlir
    %y = graph.binary<add> %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_BinaryKindAttr:$kind, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let moreDeclarations = [{ ::hone::graph::HalfSafety getHalfSafety(); }];
  let hasFolder = 1;
}

def Graph_CompareOp : Graph_ElementwiseOp<"compare"> {
  let summary = "Compares every pair of elements.";
  let description = [{
    Operands broadcast. Comparisons with NaN are false but for `ne`.

    ```mlir
    %y = graph.compare<lt> %a, %b : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi1>
    ```
  }];
  let arguments = (ins Graph_PredicateAttr:$predicate, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "`` $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def Graph_ClassifyOp : Graph_ElementwiseOp<"classify"> {
  let summary = "Whether every element is of a class of floating-point values.";
  let description = [{
    ```mlir
    %y = graph.classify<nan> %x : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_ClassAttr:$kind, Graph_Tensor:$input);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "`` $kind $input attr-dict `:` type($input) `->` type($result)";
}

def Graph_SelectOp : Graph_ElementwiseOp<"select", [Graph_HalfSafetyOpInterface]> {
  let summary = "Chooses between two tensors, element by element.";
  let description = [{
    The three operands broadcast.

    ```mlir
    %y = graph.select %c, %a, %b : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$ifTrue, Graph_Tensor:$ifFalse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $ifTrue `,` $ifFalse attr-dict `:` type($condition) `,` type($ifTrue) `,` type($ifFalse)
    `->` type($result)
  }];
}

def Graph_CastOp : Graph_ElementwiseOp<"cast", [Graph_HalfSafetyOpInterface]> {
  let summary = "Converts every element to another element type.";
  let description = [{
    Float to float rounds to nearest even (`rounding` is for f8E8M0FNU); float to integer
    truncates; integers wrap; anything to i1 is `!= 0`. With `saturate`, values outside the range of an
    f8 type become its largest finite value instead of NaN or infinity (ONNX Cast, tables of opset 25).

    ```mlir
    %y = graph.cast %x to i64 : tensor<4xf32> -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, TypeAttr:$to, DefaultValuedAttr<BoolAttr, "true">:$saturate,
                       DefaultValuedAttr<Graph_RoundingAttr, "::hone::graph::Rounding::Nearest">:$rounding);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `to` $to attr-dict `:` type($input) `->` type($result)";
  let moreDeclarations = [{ ::hone::graph::HalfSafety getHalfSafety(); }];
  let hasFolder = 1;
}

def Graph_BitcastOp : Graph_ElementwiseOp<"bitcast"> {
  let summary = "Reads the bits of every element as another type of the same width.";
  let description = [{
    ```mlir
    %y = graph.bitcast %x to i32 : tensor<4xf32> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `to` $to attr-dict `:` type($input) `->` type($result)";
}

def Graph_QuantizeOp : Graph_ElementwiseOp<"quantize"> {
  let summary = "saturate(round_even(x / scale) + zero_point).";
  let description = [{
    `scale` and `zeroPoint` are scalars, or have one element per index of `axis`, or (with `block` > 0)
    the rank of the input and one element per `block` elements along `axis`. The result has the element type
    `to`: an 8-, 4- or 2-bit or 16-bit integer, or an f8 or f4 kind (no rounding to integers then).

    ```mlir
    %q = graph.quantize %x, %scale, %zero to ui8 axis(1) block(0)
        : tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xui8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Optional<Graph_Tensor>:$zeroPoint, TypeAttr:$to,
                       I64Attr:$axis, I64Attr:$block, DefaultValuedAttr<BoolAttr, "true">:$saturate);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $zeroPoint^)? `to` $to `axis` `(` $axis `)` `block` `(` $block `)` attr-dict `:`
    type($input) `,` type($scale) (`,` type($zeroPoint)^)? `->` type($result)
  }];
}

def Graph_DequantizeOp : Graph_ElementwiseOp<"dequantize"> {
  let summary = "(x - zero_point) * scale.";
  let description = [{
    The inverse of `quantize`, with the same rules for `scale` and `zeroPoint`. The result has the
    element type `to` of a float kind.

    ```mlir
    %x = graph.dequantize %q, %scale to f32 axis(1) block(0) : tensor<2x3xi8>, tensor<f32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$scale, Optional<Graph_Tensor>:$zeroPoint, TypeAttr:$to,
                       I64Attr:$axis, I64Attr:$block);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $zeroPoint^)? `to` $to `axis` `(` $axis `)` `block` `(` $block `)` attr-dict `:`
    type($input) `,` type($scale) (`,` type($zeroPoint)^)? `->` type($result)
  }];
}

#endif // DIALECTS_GRAPH_IR_ELEMENTWISEOPS
