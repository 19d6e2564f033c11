//===- TensorData.h - ONNX tensors as attributes ----------------*- C++ -*-===//
//
// Equal elements become splats, small tensors DenseElementsAttr, large ones resources. A resource
// holds one element per byte where elements are narrower, signed ones sign-extended.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_TENSORDATA_H
#define LIB_FRONTEND_TENSORDATA_H

#include "lib/Frontend/ModelFile.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hone::frontend {

class TensorReader {
public:
  TensorReader(ModelFile &file, mlir::MLIRContext *context) : file(file), context(context) {}

  /// The tensor as an attribute; null, with the reason in `error`, when it is bad or of an unsupported type.
  mlir::ElementsAttr read(const onnx::TensorProto &tensor, std::string &error);

private:
  ModelFile &file;
  mlir::MLIRContext *context;
  /// Payloads can be taken once.
  llvm::DenseMap<size_t, mlir::ElementsAttr> taken;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_TENSORDATA_H
