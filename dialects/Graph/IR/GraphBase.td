//===- GraphBase.td - The graph dialect, its types and enums -*- tablegen -*-=//
//
// Everything the op files of this folder share. Nothing here is an operation.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_GRAPH_IR_GRAPHBASE
#define DIALECTS_GRAPH_IR_GRAPHBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Graph/IR/GraphInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::hone::graph";
  let summary = "Tensor programs with value semantics, one op per mathematical idea.";
  let description = [{
    The importer maps the ONNX operator zoo onto this small set. An ONNX operator that is a
    sentence over these ops is expanded at import and never appears here.

    Element types: f64 f32 f16 bf16, the four f8 kinds of ONNX, f8E8M0FNU, f4E2M1FN; signless
    integers are signed (i64 ... i2), `ui64 ... ui2` unsigned, i1 is bool. Dynamic extents are `?`;
    which of them are equal is answered by `ExtentBuilder`. Shape-like operands (a shape, pads,
    starts) are ordinary 1-D integer tensors; when they are constant, types are static.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def Graph_Element : AnyTypeOf<[F64, F32, F16, BF16,
  F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN,
  I<1>, I<2>, I<4>, I8, I16, I32, I64, UI<2>, UI<4>, UI8, UI16, UI32, UI64]>;
def Graph_Tensor : RankedTensorOf<[Graph_Element]>;
def Graph_BoolTensor : RankedTensorOf<[I<1>]>;
def Graph_IndexTensor : RankedTensorOf<[I64, I32]>;      // indices into a tensor
def Graph_ShapeTensor : TensorRankOf<[I64], [1]>;        // one integer per dimension
def Graph_ScalarI64 : TensorRankOf<[I64], [0]>;
def Graph_ScalarBool : TensorRankOf<[I<1>], [0]>;

class Graph_Cases<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::hone::graph";
}
class Graph_EnumAttr<EnumInfo cases, string mnemonic> : EnumAttr<Graph_Dialect, cases, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

class Case<string sym, int n, string str> : I32EnumCase<sym, n, str>;

def Graph_UnaryKind : Graph_Cases<"UnaryKind", "function of one number", [
  Case<"Abs",0,"abs">, Case<"Neg",1,"neg">, Case<"Sign",2,"sign">, Case<"Not",3,"not">,
  Case<"Ceil",4,"ceil">, Case<"Floor",5,"floor">, Case<"RoundEven",6,"round_even">,
  Case<"Sqrt",7,"sqrt">, Case<"Rsqrt",8,"rsqrt">, Case<"Reciprocal",9,"reciprocal">,
  Case<"Exp",10,"exp">, Case<"Log",11,"log">, Case<"Log1p",12,"log1p">,
  Case<"Sin",13,"sin">, Case<"Cos",14,"cos">, Case<"Tan",15,"tan">,
  Case<"Asin",16,"asin">, Case<"Acos",17,"acos">, Case<"Atan",18,"atan">,
  Case<"Sinh",19,"sinh">, Case<"Cosh",20,"cosh">, Case<"Tanh",21,"tanh">,
  Case<"Asinh",22,"asinh">, Case<"Acosh",23,"acosh">, Case<"Atanh",24,"atanh">,
  Case<"Erf",25,"erf">, Case<"Sigmoid",26,"sigmoid">, Case<"Softplus",27,"softplus">]>;
def Graph_UnaryKindAttr : Graph_EnumAttr<Graph_UnaryKind, "unary_kind">;

def Graph_BinaryKind : Graph_Cases<"BinaryKind", "function of two numbers", [
  Case<"Add",0,"add">, Case<"Sub",1,"sub">, Case<"Mul",2,"mul">, Case<"Div",3,"div">,
  Case<"Mod",4,"mod">, Case<"Rem",5,"rem">, Case<"Pow",6,"pow">, Case<"Min",7,"min">,
  Case<"Max",8,"max">, Case<"And",9,"and">, Case<"Or",10,"or">, Case<"Xor",11,"xor">,
  Case<"Shl",12,"shl">, Case<"Shr",13,"shr">]>;
def Graph_BinaryKindAttr : Graph_EnumAttr<Graph_BinaryKind, "binary_kind">;

def Graph_Predicate : Graph_Cases<"Predicate", "comparison of two numbers", [
  Case<"Eq",0,"eq">, Case<"Ne",1,"ne">, Case<"Lt",2,"lt">, Case<"Le",3,"le">,
  Case<"Gt",4,"gt">, Case<"Ge",5,"ge">]>;
def Graph_PredicateAttr : Graph_EnumAttr<Graph_Predicate, "predicate">;

def Graph_Class : Graph_Cases<"FloatClass", "class of floating-point values", [
  Case<"NaN",0,"nan">, Case<"Inf",1,"inf">, Case<"PosInf",2,"pos_inf">, Case<"NegInf",3,"neg_inf">]>;
def Graph_ClassAttr : Graph_EnumAttr<Graph_Class, "class">;

def Graph_Rounding : Graph_Cases<"Rounding", "direction of rounding", [
  Case<"Nearest",0,"nearest">, Case<"Up",1,"up">, Case<"Down",2,"down">]>;
def Graph_RoundingAttr : Graph_EnumAttr<Graph_Rounding, "rounding">;

def Graph_PoolKind : Graph_Cases<"PoolKind", "what a pooling window computes", [
  Case<"Max",0,"max">, Case<"Avg",1,"avg">, Case<"Lp",2,"lp">]>;
def Graph_PoolKindAttr : Graph_EnumAttr<Graph_PoolKind, "pool_kind">;

def Graph_ReduceKind : Graph_Cases<"ReduceKind", "associative function of many numbers", [
  Case<"Sum",0,"sum">, Case<"Prod",1,"prod">, Case<"Min",2,"min">, Case<"Max",3,"max">,
  Case<"All",4,"all">, Case<"Any",5,"any">]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

def Graph_ArgKind : Graph_Cases<"ArgKind", "which position is wanted", [
  Case<"Min",0,"min">, Case<"Max",1,"max">]>;
def Graph_ArgKindAttr : Graph_EnumAttr<Graph_ArgKind, "arg_kind">;

def Graph_ScanKind : Graph_Cases<"ScanKind", "running function along a dimension", [
  Case<"Add",0,"add">, Case<"Mul",1,"mul">]>;
def Graph_ScanKindAttr : Graph_EnumAttr<Graph_ScanKind, "scan_kind">;

def Graph_NormKind : Graph_Cases<"NormKind", "what a normalization removes", [
  Case<"Layer",0,"layer">, Case<"Rms",1,"rms">]>;
def Graph_NormKindAttr : Graph_EnumAttr<Graph_NormKind, "norm_kind">;

def Graph_PadMode : Graph_Cases<"PadMode", "what lies outside a tensor", [
  Case<"Constant",0,"constant">, Case<"Reflect",1,"reflect">, Case<"Edge",2,"edge">, Case<"Wrap",3,"wrap">]>;
def Graph_PadModeAttr : Graph_EnumAttr<Graph_PadMode, "pad_mode">;

def Graph_ScatterKind : Graph_Cases<"ScatterKind", "how an update meets the old value", [
  Case<"Assign",0,"assign">, Case<"Add",1,"add">, Case<"Mul",2,"mul">, Case<"Min",3,"min">, Case<"Max",4,"max">]>;
def Graph_ScatterKindAttr : Graph_EnumAttr<Graph_ScatterKind, "scatter_kind">;

def Graph_Interpolation : Graph_Cases<"Interpolation", "how a value between samples is made", [
  Case<"Nearest",0,"nearest">, Case<"Linear",1,"linear">, Case<"Cubic",2,"cubic">]>;
def Graph_InterpolationAttr : Graph_EnumAttr<Graph_Interpolation, "interpolation">;

def Graph_Coordinate : Graph_Cases<"Coordinate", "how an output position maps to an input position", [
  Case<"HalfPixel",0,"half_pixel">, Case<"HalfPixelSymmetric",1,"half_pixel_symmetric">,
  Case<"PytorchHalfPixel",2,"pytorch_half_pixel">, Case<"AlignCorners",3,"align_corners">,
  Case<"Asymmetric",4,"asymmetric">, Case<"TfCropAndResize",5,"tf_crop_and_resize">]>;
def Graph_CoordinateAttr : Graph_EnumAttr<Graph_Coordinate, "coordinate">;

def Graph_Nearest : Graph_Cases<"NearestMode", "which neighbour is nearest", [
  Case<"RoundPreferFloor",0,"round_prefer_floor">, Case<"RoundPreferCeil",1,"round_prefer_ceil">,
  Case<"Floor",2,"floor">, Case<"Ceil",3,"ceil">]>;
def Graph_NearestAttr : Graph_EnumAttr<Graph_Nearest, "nearest_mode">;

def Graph_LayoutAttr : AttrDef<Graph_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "How the elements of a tensor lie in memory";
  let description = [{
    The encoding of a tensor type. `order` lists the logical dimensions from outermost to
    innermost; without an encoding a tensor is row-major. With `panels`, dimension `tiledDim` is cut into
    panels of `tile` elements that become one more, innermost dimension; the last panel is filled up with zeros. Logical
    shapes and the meaning of ops do not change with the encoding.

    ```mlir
    tensor<1x64x56x56xf32, #graph.layout<[0, 2, 3, 1]>>              // NHWC in memory
    tensor<64x32x3x3xf32, #graph.layout<[0, 2, 3, 1] panels 16 of 0>> // [4][3][3][32][16]
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$order, DefaultValuedParameter<"int64_t", "0">:$tile,
                        DefaultValuedParameter<"int64_t", "-1">:$tiledDim);
  let assemblyFormat = "`<` `[` $order `]` (`panels` $tile^ `of` $tiledDim)? `>`";
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$order), [{
    return $_get($_ctxt, order, /*tile=*/0, /*tiledDim=*/-1);
  }]>];
}

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

// An op whose result types follow from operands and attributes: one function, `inferShapes`, serves
// type inference, verification, plan arithmetic and kernel bodies.
class Graph_ShapedOp<string mnemonic, list<Trait> traits = []> : Graph_Op<mnemonic, !listconcat(traits, [
    InferTypeOpInterface, Graph_ShapedOpInterface])> {
  code shapeDeclarations = [{
    /// Types and extents of the results; reports what is wrong with the operands.
    static ::mlir::LogicalResult inferShapes(Adaptor adaptor, ::hone::graph::ExtentBuilder &extents,
        std::optional<::mlir::Location> loc, ::llvm::SmallVectorImpl<::hone::graph::TensorShape> &results);
    ::mlir::LogicalResult resultShapes(::hone::graph::ExtentBuilder &extents,
        ::llvm::SmallVectorImpl<::hone::graph::TensorShape> &results) {
      return inferShapes(Adaptor(*this), extents, getLoc(), results);
    }
    static ::mlir::LogicalResult inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties,
        ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      ::hone::graph::ExtentBuilder extents(/*lookThrough=*/false);
      ::llvm::SmallVector<::hone::graph::TensorShape> shapes;
      if (::mlir::failed(inferShapes(adaptor, extents, loc, shapes)))
        return ::mlir::failure();
      for (const auto &shape : shapes)
        types.push_back(::hone::graph::tensorType(shape));
      return ::mlir::success();
    }
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::hone::graph::isRefinement(inferred, actual);
    }
  }];
  code moreDeclarations = "";
  let extraClassDeclaration = shapeDeclarations # moreDeclarations;
}

class Graph_PureOp<string mnemonic, list<Trait> traits = []>
    : Graph_ShapedOp<mnemonic, !listconcat(traits, [Pure])>;

#endif // DIALECTS_GRAPH_IR_GRAPHBASE
