//===- ModelFile.cpp - A model file, ready to be imported -----------------===//

#include "lib/Frontend/ModelFile.h"

#include "lib/Frontend/Onnx/Library.h"
#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/ProtoScan.h"
#include "lib/Support/NodeLocation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace hone::frontend;

namespace {

/// Separates a node's own name from its position in the file. Names of the file never hold it: see recordOrigins.
constexpr char kOriginMark = '\x01';
/// Marks external data that is a payload of ours.
constexpr StringLiteral kPayloadMark = "\x01payload:";
/// Raw data up to this size stays in the proto, where shape inference can see it.
constexpr size_t kInlineBytes = 4096;

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Calls `visit(node, index)` for all nodes; those of subgraphs get the number of the node of the main graph around
/// them.
template <typename NodeList, typename F>
void forEachNode(NodeList &nodes, F visit, std::optional<unsigned> outer = {}) {
  unsigned position = 0;
  for (auto &node : nodes) {
    unsigned index = outer ? *outer : position++;
    visit(node, index);
    for (auto &attribute : node.attribute()) {
      if (attribute.has_g())
        forEachNode(attribute.g().node(), visit, index);
      for (auto &graph : attribute.graphs())
        forEachNode(graph.node(), visit, index);
    }
  }
}

void markNodes(Nodes &nodes, std::optional<unsigned> outer = {}) {
  unsigned position = 0;
  for (onnx::NodeProto &node : nodes) {
    unsigned index = outer ? *outer : position++;
    std::string name = node.name();
    llvm::erase(name, kOriginMark);
    node.set_name(name + kOriginMark + std::to_string(index));
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        markNodes(*attribute.mutable_g()->mutable_node(), index);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        markNodes(*graph.mutable_node(), index);
    }
  }
}

} // namespace

MappedFile::~MappedFile() {
  if (size)
    ::munmap(data, size);
}

StringRef ModelFile::nameOf(const onnx::NodeProto &node) { return StringRef(node.name()).split(kOriginMark).first; }

std::optional<unsigned> ModelFile::originOf(const onnx::NodeProto &node) const {
  unsigned index;
  // The inliner may have made the name unique by a suffix.
  StringRef mark = StringRef(node.name()).split(kOriginMark).second.take_while(isDigit);
  if (!mark.empty() && !mark.getAsInteger(10, index) && index < origins.size())
    return index;
  for (const std::string &output : node.output())
    if (auto it = producers.find(output); !output.empty() && it != producers.end())
      return it->second;
  return std::nullopt;
}

std::optional<size_t> ModelFile::payloadOf(const onnx::TensorProto &tensor) {
  size_t number;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef location = entry.value();
    if (entry.key() == "location" && location.consume_front(kPayloadMark) && !location.getAsInteger(10, number))
      return number;
  }
  return std::nullopt;
}

/// A message of ONNX's library as one line of printable text, without our marks.
static std::string tidy(StringRef message) {
  std::string line;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] == kOriginMark) {
      i += message.drop_front(i + 1).take_while(isDigit).size();
      continue;
    }
    bool isSpace = llvm::isSpace(message[i]);
    if (!isSpace || (!line.empty() && line.back() != ' '))
      line += isSpace ? ' ' : message[i];
  }
  return hone::escapeName(StringRef(line).rtrim());
}

std::string ModelFile::load(const ModelSource &source, const ImportOptions &options) {
  filePath = source.name;
  folder = source.bytes ? source.folder : llvm::sys::path::parent_path(source.name).str();
  if (folder.empty() && !source.bytes)
    folder = ".";
  std::string unreadable =
      source.bytes ? parse({source.bytes->data(), source.bytes->size()}, options) : readFile(source.name, options);
  if (!unreadable.empty())
    return unreadable;
  recordOrigins();
  findUnknownNodes();
  if (!unknownNodes.empty())
    return {};
  std::string error = prepare();
  // ONNX's messages quote the names of nodes, and with them our marks.
  unsigned index;
  StringRef mark = StringRef(error).split(kOriginMark).second.take_while(isDigit);
  if (!mark.empty() && !mark.getAsInteger(10, index) && index < origins.size())
    failedNode = index;
  return tidy(error);
}

std::string ModelFile::readFile(StringRef path, const ImportOptions &options) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return "cannot read '" + hone::escapeName(path) + "': " + error.message();
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return "not a regular file";
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return "cannot read '" + hone::escapeName(path) + "': " + file.getError().message();
  return parse((*file)->getBuffer(), options);
}

std::string ModelFile::parse(StringRef bytes, const ImportOptions &options) {
  if (bytes.empty())
    return "the file is empty";
  if (bytes.size() > size_t(INT32_MAX))
    return "the file is larger than 2 GiB, protobuf's limit; store the weights as external data";
  // Raw tensor data is copied once; everything else may grow.
  if (std::string error = scanModel(bytes, options.maxParsedBytes + 2 * bytes.size()); !error.empty())
    return error;
  if (std::string error = library::parse(bytes.data(), bytes.size(), model); !error.empty())
    return error;
  if (!model.has_graph())
    return "not an ONNX model: it holds no graph";
  if (model.ir_version() < 3 && model.opset_import().empty())
    model.add_opset_import()->set_version(1);
  if (model.ir_version() < 3)
    model.set_ir_version(3);
  library::normalizeDomains(model);
  for (const onnx::OperatorSetIdProto &import : model.opset_import()) {
    if (import.version() < 1 || import.version() > INT32_MAX)
      return "opset version " + std::to_string(import.version()) + " is out of range";
    opsets.emplace_back(import.domain(), import.version());
    if (import.domain().empty())
      importedOpset = int(import.version());
  }
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    properties.emplace_back(entry.key(), entry.value());
  if (importedOpset > library::newestOpset())
    return "ai.onnx opset " + std::to_string(importedOpset) + " is newer than the newest known, " +
           std::to_string(library::newestOpset());
  return {};
}

void ModelFile::recordOrigins() {
  for (const onnx::NodeProto &node : model.graph().node()) {
    for (const std::string &output : node.output())
      if (!output.empty())
        producers.try_emplace(output, unsigned(origins.size()));
    std::string name = node.name();
    llvm::erase(name, kOriginMark);
    origins.push_back({name, node.op_type()});
  }
}

void ModelFile::findUnknownNodes() {
  StringSet<> functions;
  for (const onnx::FunctionProto &function : model.functions())
    functions.insert(function.domain() + ":" + function.name());
  const OpRegistry &registry = OpRegistry::get();
  auto visit = [&](const onnx::NodeProto &node, unsigned index) {
    const std::string &domain = node.domain(), &op = node.op_type();
    if (functions.contains(domain + ":" + op))
      return;
    int opset = importedOpset ? importedOpset : 1, newest = library::newestOpset();
    if (registry.find(domain, op) || library::hasFunctionBody(domain, op, newest))
      return;
    std::string shown = (domain.empty() ? "" : hone::escapeName(domain) + ".") + hone::escapeName(op);
    if (!library::isKnownOperator(domain, op, opset))
      unknownNodes.push_back(
          {index, "operator " + shown + " is unknown" + (domain.empty() ? " at opset " + std::to_string(opset) : "")});
    else if (library::isKnownOperator(domain, op, newest))
      unknownNodes.push_back({index, "operator " + shown + " is not supported"});
  };
  forEachNode(model.graph().node(), visit);
  for (const onnx::FunctionProto &function : model.functions())
    forEachNode(function.node(), visit, 0u);
}

std::string ModelFile::prepare() {
  markNodes(*model.mutable_graph()->mutable_node());
  if (folder.empty()) {
    std::string stranger;
    library::forEachTensor(model, [&](onnx::TensorProto &tensor) {
      if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
        stranger = tensor.name();
    });
    if (!stranger.empty())
      return "tensor '" + stranger + "' has external data, but the model came without a folder to find it in";
  }
  if (std::string error = library::checkFunctions(model); !error.empty())
    return error;
  // Outputs without a shape are common, and inference finds it; the checker wants one.
  SmallVector<onnx::TypeProto::Tensor *> shapeless;
  for (onnx::ValueInfoProto &output : *model.mutable_graph()->mutable_output())
    if (output.type().has_tensor_type() && !output.type().tensor_type().has_shape()) {
      shapeless.push_back(output.mutable_type()->mutable_tensor_type());
      shapeless.back()->mutable_shape();
    }
  std::string refusal = library::check(model, folder);
  for (onnx::TypeProto::Tensor *type : shapeless)
    type->clear_shape();
  if (!refusal.empty())
    return refusal;
  // From version 4 on, initializers need not be inputs: the converter adds some.
  model.set_ir_version(std::max<int64_t>(model.ir_version(), 10));
  if (std::string error = library::densify(model); !error.empty())
    return error;
  detachPayloads();
  if (std::string error = library::inlineFunctions(model); !error.empty())
    return error;
  return library::modernize(model);
}

void ModelFile::detachPayloads() {
  library::forEachTensor(model, [&](onnx::TensorProto &tensor) {
    if (tensor.raw_data().size() <= kInlineBytes || tensor.data_location() == onnx::TensorProto::EXTERNAL)
      return;
    std::string number = std::to_string(payloads.size());
    payloads.push_back(std::move(*tensor.mutable_raw_data()));
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto &entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value(kPayloadMark.str() + number);
  });
}

std::shared_ptr<MappedFile> ModelFile::externalData(const onnx::TensorProto &tensor, ArrayRef<char> &bytes,
                                                    std::string &error) {
  std::string location;
  uint64_t offset = 0, length = 0;
  bool hasLength = false;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    bool bad = false;
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      bad = value.getAsInteger(10, offset);
    else if (entry.key() == "length")
      hasLength = !(bad = value.getAsInteger(10, length));
    if (bad) {
      error = "external data: '" + hone::escapeName(value) + "' is not a number";
      return nullptr;
    }
  }
  std::shared_ptr<MappedFile> &file = mapped[location];
  if (!file) {
    int fd = -1;
    if (error = library::openExternalData(folder, location, tensor.name(), fd); !error.empty())
      return nullptr;
    struct stat status;
    void *data = nullptr;
    if (::fstat(fd, &status) || !S_ISREG(status.st_mode))
      error = "external data '" + hone::escapeName(location) + "' is not a regular file";
    else if (status.st_size)
      data = ::mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    ::close(fd);
    if (error.empty() && data == MAP_FAILED)
      error = "external data '" + hone::escapeName(location) + "' cannot be mapped";
    if (!error.empty())
      return nullptr;
    file = std::make_shared<MappedFile>(static_cast<char *>(data), size_t(status.st_size));
  }
  ArrayRef<char> whole = file->bytes();
  if (offset > whole.size() || (hasLength && length > whole.size() - offset)) {
    error = "external data '" + hone::escapeName(location) + "' is shorter than offset and length say";
    return nullptr;
  }
  bytes = hasLength ? whole.slice(offset, length) : whole.drop_front(offset);
  return file;
}
