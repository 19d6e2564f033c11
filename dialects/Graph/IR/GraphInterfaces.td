//===- GraphInterfaces.td - What passes may ask of a graph op -*- tablegen -*-//
//
// Passes are written against these interfaces, never against lists of ops.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_GRAPH_IR_GRAPHINTERFACES
#define DIALECTS_GRAPH_IR_GRAPHINTERFACES

include "mlir/IR/OpBase.td"

def Graph_ShapedOpInterface : OpInterface<"ShapedOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    The extents of the results as expressions over the extents and elements of the operands.
  }];
  let methods = [
    InterfaceMethod<"Appends one shape per result; fails with a diagnostic on bad operands.",
      "::mlir::LogicalResult", "resultShapes",
      (ins "::hone::graph::ExtentBuilder &":$extents,
           "::llvm::SmallVectorImpl<::hone::graph::TensorShape> &":$results)>,
  ];
}

def Graph_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    Every result element depends on the operand elements at the same position, after numpy
    broadcasting (shapes aligned at the last dimension, extent 1 stretched).
  }];
  let methods = [
    InterfaceMethod<"Whether f(0, ...) is 0, so that zero padding survives the op.",
      "bool", "preservesZero", (ins), "", "return false;">,
  ];
}

def Graph_ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    A sum of products of elements of two operands: matrix products and convolutions.
  }];
  let methods = [
    InterfaceMethod<"The operand that is usually activations.", "::mlir::Value", "getActivations">,
    InterfaceMethod<"The operand that is usually weights.", "::mlir::Value", "getWeights">,
  ];
}

def Graph_WindowOpInterface : OpInterface<"WindowOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    A window slides over the spatial dimensions (those after the first two) of operand 0.
  }];
  let methods = [
    InterfaceMethod<"Window extents.", "::llvm::SmallVector<int64_t>", "getWindowExtents">,
    InterfaceMethod<"Steps between windows.", "::llvm::SmallVector<int64_t>", "getWindowStrides">,
    InterfaceMethod<"Steps within a window.", "::llvm::SmallVector<int64_t>", "getWindowDilations">,
    InterfaceMethod<"Padding: all begins, then all ends.", "::llvm::SmallVector<int64_t>", "getWindowPads">,
  ];
}

def Graph_ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    Elements of operand 0 along some dimensions meet in every result element.
  }];
  let methods = [
    InterfaceMethod<"The dimensions that are reduced, ascending.", "::llvm::SmallVector<int64_t>", "getReducedDims">,
  ];
}

def Graph_EpilogueOpInterface : OpInterface<"EpilogueOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    Kernels of such ops compute elementwise ops beside them, whose values never reach memory. The default is an op that
    holds its results in registers before it stores them.
  }];
  let methods = [
    InterfaceMethod<"Whether elementwise ops can follow on every result element before it is stored.",
      "bool", "takesEpilogue", (ins), "", "return true;">,
    InterfaceMethod<"Whether elementwise ops can come before every element of operand 0 that is read.",
      "bool", "takesPrologue", (ins), "", "return false;">,
  ];
}

def Graph_ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    The result holds the bytes of operand 0 in the same order: no code, a planned alias.
  }];
  let methods = [
    InterfaceMethod<"Whether this instance moves nothing.", "bool", "isView", (ins), "", "return true;">,
  ];
}

def Graph_HalfSafetyOpInterface : OpInterface<"HalfSafetyOpInterface"> {
  let cppNamespace = "::hone::graph";
  let description = [{
    What f16 and bf16 do to an op. Ops without this interface keep f32: positions, thresholds, ties. The
    default is that of ops that only move elements.
  }];
  let methods = [
    InterfaceMethod<"How operands and results behave.",
      "::hone::graph::HalfSafety", "getHalfSafety", (ins), "", "return ::hone::graph::HalfSafety::Moves;">,
    InterfaceMethod<"Whether this operand is among the elements the word is about; others keep their type.",
      "bool", "isHalfOperand", (ins "::mlir::OpOperand &":$operand), "", [{
        return ::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf(operand.get().getType()));
      }]>,
  ];
}

#endif // DIALECTS_GRAPH_IR_GRAPHINTERFACES
