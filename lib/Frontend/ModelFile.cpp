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

/// Calls `visit(node)` for all nodes; those of subgraphs come before the node around them.
template <typename NodeList, typename F> void forEachNode(NodeList &nodes, F visit) {
  for (auto &node : nodes) {
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forEachNode(*attribute.mutable_g()->mutable_node(), visit);
      for (auto &graph : *attribute.mutable_graphs())
        forEachNode(*graph.mutable_node(), visit);
    }
    visit(node);
  }
}

/// The key of the function that `node` may call; overloads share it.
std::string functionKey(const std::string &domain, const std::string &name) { return domain + ":" + name; }

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

/// A message of ONNX's library as one line of printable text, without our marks and its source locations.
static std::string tidy(StringRef message) {
  if (size_t at = message.find(": Assertion `"); at != StringRef::npos) {
    auto [condition, text] = message.drop_front(at).split("` failed");
    std::string rest = tidy(text.ltrim(":. "));
    return rest.empty() ? tidy("ONNX's library refuses this:" + condition.split('`').second.str()) : rest;
  }
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
  keepCalledFunctions();
  markNodes(*model.mutable_graph()->mutable_node());
  findUnknownNodes();
  std::string error = prepare();
  if (error.empty())
    return {};
  // ONNX's messages quote the names of nodes, and with them our marks.
  unsigned index;
  StringRef mark = StringRef(error).split(kOriginMark).second.take_while(isDigit);
  std::optional<unsigned> node;
  if (!mark.empty() && !mark.getAsInteger(10, index) && index < origins.size())
    node = index;
  problems.push_back({node, node ? origins[*node].name : "", tidy(error)});
  isComplete = false;
  return {};
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
  if (std::string error = checkImports(); !error.empty())
    return error;
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    properties.emplace_back(entry.key(), entry.value());
  if (importedOpset > library::newestOpset())
    return "ai.onnx opset " + std::to_string(importedOpset) + " is newer than the newest known, " +
           std::to_string(library::newestOpset());
  return {};
}

/// Exporters may import a domain twice, as "" and as "ai.onnx": ONNX wants it once.
static std::string mergeImports(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                                const Twine &importer) {
  StringMap<int64_t> versions;
  google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> merged;
  for (const onnx::OperatorSetIdProto &import : imports) {
    std::string shown = import.domain().empty() ? "ai.onnx" : hone::escapeName(import.domain());
    if (import.version() < 1 || import.version() > INT32_MAX)
      return "opset version " + std::to_string(import.version()) + " is out of range";
    auto [known, isNew] = versions.try_emplace(import.domain(), import.version());
    if (isNew)
      *merged.Add() = import;
    else if (known->second != import.version())
      return (importer + " imports " + shown + " twice, at opset " + Twine(known->second) + " and at opset " +
              Twine(import.version()))
          .str();
  }
  imports.Swap(&merged);
  return {};
}

std::string ModelFile::checkImports() {
  if (std::string error = mergeImports(*model.mutable_opset_import(), "the model"); !error.empty())
    return error;
  for (onnx::FunctionProto &function : *model.mutable_functions())
    if (std::string error =
            mergeImports(*function.mutable_opset_import(), "function '" + hone::escapeName(function.name()) + "'");
        !error.empty())
      return error;
  for (const onnx::OperatorSetIdProto &import : model.opset_import()) {
    opsets.emplace_back(import.domain(), import.version());
    if (import.domain().empty())
      importedOpset = int(import.version());
  }
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

/// Finds out who calls the functions of the model. What nobody calls is no part of it.
void ModelFile::keepCalledFunctions() {
  StringMap<SmallVector<onnx::FunctionProto *, 1>> functions;
  for (onnx::FunctionProto &function : *model.mutable_functions())
    functions[functionKey(function.domain(), function.name())].push_back(&function);
  if (functions.empty())
    return;
  unsigned position = 0;
  SmallVector<StringRef> pending;
  auto call = [&](onnx::NodeProto &node) {
    auto called = functions.find(functionKey(node.domain(), node.op_type()));
    if (called != functions.end() && callers.try_emplace(called->first(), position).second)
      pending.push_back(called->first());
  };
  auto callAll = [&](onnx::NodeProto &node) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forEachNode(*attribute.mutable_g()->mutable_node(), call);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        forEachNode(*graph.mutable_node(), call);
    }
    call(node);
  };
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node()) {
    callAll(node);
    while (!pending.empty())
      for (onnx::FunctionProto *function : functions[pending.pop_back_val()])
        forEachNode(*function->mutable_node(), call);
    ++position;
  }
  google::protobuf::RepeatedPtrField<onnx::FunctionProto> kept;
  for (onnx::FunctionProto &function : *model.mutable_functions())
    if (callers.contains(functionKey(function.domain(), function.name())))
      *kept.Add() = std::move(function);
  model.mutable_functions()->Swap(&kept);
}

void ModelFile::report(const onnx::NodeProto &node, const onnx::FunctionProto *function, StringRef message) {
  std::string name = nameOf(node).str();
  if (!function) {
    problems.push_back({originOf(node), name, tidy(message)});
    return;
  }
  // A function has no place of its own: its first caller has one.
  auto caller = callers.find(functionKey(function->domain(), function->name()));
  if (name.empty())
    name = node.op_type();
  std::string where = "function '" + (function->domain().empty() ? "" : function->domain() + ".") + function->name() +
                      "', node '" + name + "': ";
  if (caller == callers.end())
    problems.push_back({std::nullopt, "", tidy(where + message.str())});
  else
    problems.push_back({caller->second, origins[caller->second].name, tidy(where + message.str())});
}

void ModelFile::findUnknownNodes() {
  const OpRegistry &registry = OpRegistry::get();
  const onnx::FunctionProto *around = nullptr;
  int opset = importedOpset ? importedOpset : 1, newest = library::newestOpset();
  auto visit = [&](onnx::NodeProto &node) {
    const std::string &domain = node.domain(), &op = node.op_type();
    if (callers.contains(functionKey(domain, op)) || registry.find(domain, op) ||
        library::hasFunctionBody(domain, op, newest))
      return;
    std::string shown = (domain.empty() ? "" : hone::escapeName(domain) + ".") + hone::escapeName(op);
    if (op.empty())
      report(node, around, "the node has no operator");
    else if (!library::isKnownOperator(domain, op, opset))
      report(node, around,
             "operator " + shown + " is unknown" + (domain.empty() ? " at opset " + std::to_string(opset) : ""));
    else if (library::isKnownOperator(domain, op, newest))
      report(node, around, "operator " + shown + " is not supported");
    else
      return;
    library::refuse(node);
  };
  forEachNode(*model.mutable_graph()->mutable_node(), visit);
  for (onnx::FunctionProto &function : *model.mutable_functions()) {
    around = &function;
    opset = 1;
    for (const onnx::OperatorSetIdProto &import : function.opset_import())
      if (import.domain().empty())
        opset = int(import.version());
    forEachNode(*function.mutable_node(), visit);
  }
}

std::string ModelFile::prepare() {
  library::importRefused(model);
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
  std::vector<std::string> refusals = library::check(
      model, folder, [&](const onnx::NodeProto &node, const onnx::FunctionProto *function, const std::string &message) {
        report(node, function, message);
      });
  for (onnx::TypeProto::Tensor *type : shapeless)
    type->clear_shape();
  if (!refusals.empty()) {
    std::string last = std::move(refusals.back());
    refusals.pop_back();
    for (const std::string &refusal : refusals)
      problems.push_back({std::nullopt, "", tidy(refusal)});
    return last;
  }
  // From version 4 on, initializers need not be inputs: the converter adds some.
  model.set_ir_version(std::max<int64_t>(model.ir_version(), 10));
  if (std::string error = library::densify(model); !error.empty())
    return error;
  detachPayloads();
  if (std::string error = library::inlineFunctions(model); !error.empty())
    return error;
  std::string error = library::modernize(model);
  if (error.empty() || problems.empty())
    return error;
  // What the converter lacks may be what a refused node would have told.
  isComplete = false;
  return {};
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
