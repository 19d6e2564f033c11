//===- ModelFile.h - A model file, ready to be imported ---------*- C++ -*-===//
//
// Reading, checking and modernizing happen here. Large tensors leave the proto before ONNX's
// library copies it, and move into the IR without another copy.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_MODELFILE_H
#define LIB_FRONTEND_MODELFILE_H

#include "lib/Frontend/ImportOptions.h"
#include "lib/Frontend/ModelSource.h"
#include "onnx/onnx_pb.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace hone::frontend {

/// A node of the file, before anything was rewritten.
struct NodeOrigin {
  std::string name;
  std::string opType;
};

/// A mapped file of external data.
class MappedFile {
public:
  MappedFile(char *data, size_t size) : data(data), size(size) {}
  MappedFile(const MappedFile &) = delete;
  ~MappedFile();
  llvm::ArrayRef<char> bytes() const { return {data, size}; }

private:
  char *data;
  size_t size;
};

class ModelFile {
public:
  /// Reads and prepares a model; an error text when the file is none, empty otherwise: see `problems`.
  std::string load(const ModelSource &source, const ImportOptions &options);

  const onnx::ModelProto &proto() const { return model; }
  llvm::StringRef path() const { return filePath; }
  int opset() const { return importedOpset; }
  /// Opset versions the file itself asks for, by domain.
  const std::vector<std::pair<std::string, int64_t>> &originalOpsets() const { return opsets; }

  /// The model's metadata_props.
  const std::vector<std::pair<std::string, std::string>> &metadata() const { return properties; }

  /// The node of the file that `node` of the main graph comes from: its position, or nullopt when only its
  /// surroundings tell.
  std::optional<unsigned> originOf(const onnx::NodeProto &node) const;
  const NodeOrigin &origin(unsigned index) const { return origins[index]; }
  unsigned numOrigins() const { return unsigned(origins.size()); }
  /// The name of `node` without what `load` added to it.
  static llvm::StringRef nameOf(const onnx::NodeProto &node);

  /// Raw bytes that were taken out of the proto: their number, or nullopt.
  static std::optional<size_t> payloadOf(const onnx::TensorProto &tensor);
  std::string takePayload(size_t number) { return std::move(payloads[number]); }

  /// The bytes of a tensor with external data; null with an error text.
  std::shared_ptr<MappedFile> externalData(const onnx::TensorProto &tensor, llvm::ArrayRef<char> &bytes,
                                           std::string &error);

  /// What is wrong with the model, node by node; `load` goes on without the nodes at fault.
  struct Problem {
    std::optional<unsigned> index; ///< of the node of the main graph that it is in; nullopt: the whole model
    std::string name;              ///< of the node
    std::string message;
  };
  std::vector<Problem> problems;
  /// Whether what remains can be imported, to find what else is wrong.
  bool isComplete = true;

private:
  std::string readFile(llvm::StringRef path, const ImportOptions &options);
  std::string parse(llvm::StringRef bytes, const ImportOptions &options);
  std::string prepare();
  std::string checkImports();
  void keepCalledFunctions();
  void findUnknownNodes();
  void recordOrigins();
  void report(const onnx::NodeProto &node, const onnx::FunctionProto *function, llvm::StringRef message);
  void detachPayloads();

  onnx::ModelProto model;
  std::string filePath, folder;
  int importedOpset = 0;
  std::vector<std::pair<std::string, int64_t>> opsets;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<NodeOrigin> origins;
  llvm::StringMap<unsigned> producers;
  /// The first node of the main graph that a function is called for, by domain and name.
  llvm::StringMap<unsigned> callers;
  std::vector<std::string> payloads;
  llvm::StringMap<std::shared_ptr<MappedFile>> mapped;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_MODELFILE_H
