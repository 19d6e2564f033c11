//===- Serialization.cpp - Planned module to bytes of a .hone file --------===//
//
// Everything small is collected first; then the header, the table and the bulk
// bytes are written in one go, front to back.
//
//===----------------------------------------------------------------------===//

#include "lib/Serialization/Serialization.h"

#include "lib/Serialization/ProgramEncoder.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::serialization;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

template <typename T> using Offsets = std::vector<Offset<T>>;

class ModuleWriter {
public:
  ModuleWriter(ModuleOp module, const SerializationOptions &options) : module(module), options(options) {}

  LogicalResult collect();
  LogicalResult write(llvm::raw_ostream &os);

private:
  LogicalResult collectExecutables();
  LogicalResult collectKernels();
  LogicalResult collectPrograms();
  LogicalResult checkTensors(plan::ProgramOp program, ArrayAttr tensors, StringRef what);

  /// The table with segments as placed so far.
  void buildTable(FlatBufferBuilder &builder);
  Offset<format::Program> buildProgram(FlatBufferBuilder &builder, size_t index);
  /// Places the segments behind a table of that size; returns the file's size.
  uint64_t placeSegments(uint64_t tableSize);

  ModuleOp module;
  const SerializationOptions &options;

  SmallVector<plan::ExecutableOp> executables;
  std::vector<ElementBytes> code;
  SmallVector<plan::KernelOp> kernels;
  DenseMap<StringAttr, uint32_t> executableIndex;
  SmallVector<plan::ProgramOp> programs;
  std::vector<EncodedProgram> encoded;
  EncodingContext context;

  format::Segment constantSegment{0, 0, 0};
  std::vector<format::Segment> codeSegments;
};

} // namespace

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

LogicalResult ModuleWriter::collectExecutables() {
  for (auto op : module.getOps<plan::ExecutableOp>()) {
    FailureOr<ElementBytes> bytes = ElementBytes::get(op.getCode(), [&] { return op.emitOpError(); });
    if (failed(bytes))
      return failure();
    executableIndex[op.getSymNameAttr()] = executables.size();
    executables.push_back(op);
    codeSegments.emplace_back(0, bytes->size(), checksumOf(*bytes));
    code.push_back(std::move(*bytes));
  }
  return success();
}

LogicalResult ModuleWriter::collectKernels() {
  for (auto op : module.getOps<plan::KernelOp>()) {
    if (!executableIndex.contains(op.getExecutableAttr().getAttr()))
      return op.emitOpError("lies in ") << op.getExecutableAttr() << ", which is no plan.executable";
    if (std::max(op.getBuffers(), op.getScalars()) > format::kMaxLaunchOperands)
      return op.emitOpError("takes ") << op.getBuffers() << " buffers and " << op.getScalars()
                                      << " scalars, more than the " << format::kMaxLaunchOperands
                                      << " of each that a launch can pass";
    if (op.getWorkgroupSize() > format::kMaxWorkgroupSize || op.getSharedBytes() > format::kMaxSharedBytes)
      return op.emitOpError("has workgroups of ")
             << op.getWorkgroupSize() << " threads and " << op.getSharedBytes() << " shared bytes, more than the "
             << format::kMaxWorkgroupSize << " and " << format::kMaxSharedBytes << " of any device";
    context.kernels[op.getSymNameAttr()] = kernels.size();
    kernels.push_back(op);
  }
  return success();
}

LogicalResult ModuleWriter::checkTensors(plan::ProgramOp program, ArrayAttr tensors, StringRef what) {
  for (auto tensor : tensors.getAsRange<plan::TensorAttr>())
    if (tensor.getDims().size() > format::kMaxRank)
      return program.emitOpError("has ") << what << " " << tensor.getName() << " of rank " << tensor.getDims().size()
                                         << ", more than " << format::kMaxRank;
  return success();
}

LogicalResult ModuleWriter::collectPrograms() {
  llvm::StringSet<> targets;
  bool ok = true;
  for (auto op : module.getOps<plan::ProgramOp>()) {
    if (!targets.insert(op.getTarget()).second)
      return op.emitOpError("is the second one for target '") << op.getTarget() << "'";
    plan::ProgramOp first = programs.empty() ? op : programs.front();
    if (op.getInputs() != first.getInputs() || op.getOutputs() != first.getOutputs())
      return op.emitOpError("has other inputs or outputs than @") << first.getSymName();
    if (failed(checkTensors(op, op.getInputs(), "input")) || failed(checkTensors(op, op.getOutputs(), "output")))
      return failure();
    programs.push_back(op);
    FailureOr<EncodedProgram> program = encodeProgram(op, context);
    ok &= succeeded(program);
    if (succeeded(program))
      encoded.push_back(std::move(*program));
  }
  if (programs.empty())
    return module.emitError("has no plan.program to serialize");
  return success(ok);
}

LogicalResult ModuleWriter::collect() {
  return failure(failed(collectExecutables()) || failed(collectKernels()) || failed(collectPrograms()));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static Offset<flatbuffers::String> buildString(FlatBufferBuilder &builder, StringRef text) {
  return builder.CreateString(text.data(), text.size());
}

/// FlatBuffers does not align a vector without elements: leave it out.
template <typename T>
static Offset<flatbuffers::Vector<T>> buildVector(FlatBufferBuilder &builder, const std::vector<T> &values) {
  return values.empty() ? Offset<flatbuffers::Vector<T>>() : builder.CreateVector(values);
}

static Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> buildStrings(FlatBufferBuilder &builder,
                                                                             ArrayAttr texts) {
  Offsets<flatbuffers::String> strings;
  for (StringRef text : texts.getAsValueRange<StringAttr>())
    strings.push_back(buildString(builder, text));
  return builder.CreateVector(strings);
}

static Offset<flatbuffers::Vector<Offset<format::Tensor>>> buildTensors(FlatBufferBuilder &builder, ArrayAttr tensors) {
  Offsets<format::Tensor> result;
  for (auto tensor : tensors.getAsRange<plan::TensorAttr>()) {
    Offsets<format::Dim> dims;
    for (plan::DimAttr dim : tensor.getDims()) {
      Offset<flatbuffers::String> symbol =
          dim.getSymbol().empty() ? Offset<flatbuffers::String>() : buildString(builder, dim.getSymbol());
      dims.push_back(format::CreateDim(builder, dim.getSize(), symbol, dim.getMin(), dim.getMax()));
    }
    auto name = buildString(builder, tensor.getName());
    auto shape = builder.CreateVector(dims);
    result.push_back(format::CreateTensor(builder, name, dtypeOf(tensor.getElementType()), shape));
  }
  return builder.CreateVector(result);
}

Offset<format::Program> ModuleWriter::buildProgram(FlatBufferBuilder &builder, size_t index) {
  plan::ProgramOp op = programs[index];
  const EncodedProgram &program = encoded[index];
  Offsets<flatbuffers::String> messages;
  for (const std::string &text : program.messages)
    messages.push_back(buildString(builder, text));
  auto target = buildString(builder, op.getTarget());
  auto words = builder.CreateVector(program.code);
  auto pool = buildVector(builder, program.pool);
  auto texts = builder.CreateVector(messages);
  return format::CreateProgram(builder, target, words, pool, texts, program.registers, program.buffers,
                               op.getStaticBytes().value_or(0), op.getLowerBound().value_or(0),
                               op.getTotalBytes().value_or(0), program.replayable, program.growing,
                               op.getArenaBound().value_or(0));
}

void ModuleWriter::buildTable(FlatBufferBuilder &builder) {
  std::vector<format::Constant> constants;
  for (const ConstantPool::Entry &entry : context.constants.entries())
    constants.emplace_back(entry.offset, entry.bytes.size());
  Offsets<format::Executable> executableTables;
  for (auto [index, executable] : llvm::enumerate(executables)) {
    plan::ExecutableOp op = executable;
    auto target = buildString(builder, op.getTarget());
    auto format = buildString(builder, op.getFormat());
    auto features = buildStrings(builder, op.getFeatures());
    executableTables.push_back(format::CreateExecutable(builder, target, format, features, &codeSegments[index]));
  }
  Offsets<format::Kernel> kernelTables;
  for (plan::KernelOp op : kernels) {
    auto name = buildString(builder, op.getEntryName());
    auto nodes = buildStrings(builder, op.getNodes());
    kernelTables.push_back(format::CreateKernel(builder, name, executableIndex.lookup(op.getExecutableAttr().getAttr()),
                                                op.getBuffers(), op.getScalars(), nodes, op.getWorkgroupSize(),
                                                op.getSharedBytes()));
  }
  Offsets<format::Program> programTables;
  for (size_t i = 0; i < programs.size(); ++i)
    programTables.push_back(buildProgram(builder, i));

  plan::ProgramOp first = programs.front();
  auto producer = buildString(builder, options.producer);
  auto model =
      buildString(builder, options.model.empty() ? module.getSymName().value_or("") : StringRef(options.model));
  auto inputs = buildTensors(builder, first.getInputs());
  auto outputs = buildTensors(builder, first.getOutputs());
  Offset<flatbuffers::Vector<const format::Constant *>> constantList;
  if (!constants.empty())
    constantList = builder.CreateVectorOfStructs(constants);
  auto executableList = builder.CreateVector(executableTables);
  auto kernelList = builder.CreateVector(kernelTables);
  auto programList = builder.CreateVector(programTables);
  format::FinishModuleBuffer(builder, format::CreateModule(builder, producer, model, inputs, outputs, constantList,
                                                           &constantSegment, executableList, kernelList, programList));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

uint64_t ModuleWriter::placeSegments(uint64_t tableSize) {
  uint64_t at = sizeof(format::FileHeader) + tableSize;
  auto place = [&](uint64_t size) {
    uint64_t offset = llvm::alignTo(at, format::kAlignment);
    at = offset + size;
    return offset;
  };
  uint64_t size = context.constants.segmentSize();
  constantSegment = format::Segment(place(size), size, context.constants.segmentChecksum());
  for (format::Segment &segment : codeSegments)
    segment = format::Segment(place(segment.size()), segment.size(), segment.checksum());
  return at;
}

LogicalResult ModuleWriter::write(llvm::raw_ostream &os) {
  // Segment positions do not change the size of the table: build it to learn
  // the size, then once more with the positions.
  FlatBufferBuilder draft;
  buildTable(draft);
  uint64_t fileSize = placeSegments(draft.GetSize());
  FlatBufferBuilder table;
  buildTable(table);
  if (table.GetSize() != draft.GetSize() || table.GetSize() > std::numeric_limits<int32_t>::max())
    return module.emitError("has a table of contents larger than a file can "
                            "hold");

  format::FileHeader header = {};
  std::copy(std::begin(format::kMagic), std::end(format::kMagic), header.magic);
  header.version = format::kVersion;
  header.tableOffset = sizeof(header);
  header.tableSize = table.GetSize();
  header.tableChecksum = format::checksum(table.GetBufferPointer(), table.GetSize());
  header.fileSize = fileSize;
  os.write(reinterpret_cast<const char *>(&header), sizeof(header));
  os.write(reinterpret_cast<const char *>(table.GetBufferPointer()), table.GetSize());

  uint64_t at = sizeof(header) + table.GetSize();
  auto advance = [&](const format::Segment &segment) {
    os.write_zeros(segment.offset() - at);
    at = segment.offset() + segment.size();
  };
  advance(constantSegment);
  context.constants.write(os);
  for (auto [segment, bytes] : llvm::zip_equal(codeSegments, code)) {
    advance(segment);
    bytes.forEachPiece([&](ArrayRef<char> piece) { os.write(piece.data(), piece.size()); });
  }
  return success();
}

LogicalResult hone::serializeModule(ModuleOp planned, llvm::raw_ostream &os, const SerializationOptions &options) {
  ModuleWriter writer(planned, options);
  if (failed(writer.collect()))
    return failure();
  return writer.write(os);
}
