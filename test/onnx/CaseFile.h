//===- CaseFile.h - Conformance cases as files ------------------*- C++ -*-===//
//
// Reads what generate_cases.py wrote: the manifest and the values of a case.
// The layout of the .bin files is described there.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_ONNX_CASEFILE_H
#define TEST_ONNX_CASEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace hone::conformance {

/// TensorProto data types, by their numbers in onnx.proto.
enum DataType : int32_t {
  Float = 1,
  UInt8,
  Int8,
  UInt16,
  Int16,
  Int32,
  Int64,
  String,
  Bool,
  Float16,
  Double,
  UInt32,
  UInt64,
  Complex64,
  Complex128,
  BFloat16,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  UInt4,
  Int4,
  Float4E2M1,
  Float8E8M0,
  UInt2,
  Int2,
};

/// Name and width of a data type, or an empty name for one that is unknown.
struct DataTypeInfo {
  llvm::StringRef name;
  unsigned bits;
};
DataTypeInfo dataTypeInfo(int32_t dataType);

struct Value {
  enum Kind : uint32_t { Tensor, Sequence, Absent };

  Kind kind = Tensor;
  std::string name;
  int32_t dataType = 0;
  llvm::SmallVector<int64_t> dims;
  std::vector<uint8_t> bytes; ///< as in TensorProto.raw_data
  std::vector<Value> items;   ///< of a sequence

  int64_t numElements() const;
  /// Like f32[2,3], or what the value is instead of a tensor.
  std::string describe() const;
};

/// The elements of a tensor as compiler and runtime hold them: sub-byte ones in a byte each, signed ones
/// sign-extended.
std::vector<uint8_t> unpackElements(const Value &value);
/// Back to the form of raw_data.
std::vector<uint8_t> packElements(llvm::ArrayRef<uint8_t> elements, int32_t dataType);

struct Case {
  std::string suite, name, folder;
  double rtol = 1e-3, atol = 1e-7;
  unsigned numDataSets = 0;
  std::vector<std::string> keptInputs; ///< whose extents stay known where others do not

  std::string fullName() const { return suite + "/" + name; }
  std::string modelPath() const { return folder + "/model.onnx"; }
};

struct DataSet {
  std::vector<Value> inputs, outputs;
};

llvm::Expected<std::vector<Case>> readManifest(llvm::StringRef folder);
llvm::Expected<DataSet> readDataSet(const Case &testCase, unsigned number);

} // namespace hone::conformance

#endif // TEST_ONNX_CASEFILE_H
