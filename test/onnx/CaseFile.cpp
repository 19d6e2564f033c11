//===- CaseFile.cpp - Conformance cases as files --------------------------===//

#include "test/onnx/CaseFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hone::conformance;
using llvm::createStringError;

DataTypeInfo hone::conformance::dataTypeInfo(int32_t dataType) {
  static constexpr DataTypeInfo table[] = {
      {"", 0},     {"f32", 32},   {"u8", 8},     {"i8", 8},       {"u16", 16},       {"i16", 16},   {"i32", 32},
      {"i64", 64}, {"string", 0}, {"bool", 8},   {"f16", 16},     {"f64", 64},       {"u32", 32},   {"u64", 64},
      {"c64", 64}, {"c128", 128}, {"bf16", 16},  {"f8e4m3fn", 8}, {"f8e4m3fnuz", 8}, {"f8e5m2", 8}, {"f8e5m2fnuz", 8},
      {"u4", 4},   {"i4", 4},     {"f4e2m1", 4}, {"f8e8m0", 8},   {"u2", 2},         {"i2", 2},
  };
  if (dataType < 0 || dataType >= static_cast<int32_t>(std::size(table)))
    return table[0];
  return table[dataType];
}

int64_t Value::numElements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

std::string Value::describe() const {
  if (kind == Absent)
    return "nothing";
  if (kind == Sequence)
    return "a sequence of " + std::to_string(items.size());
  llvm::StringRef type = dataTypeInfo(dataType).name;
  std::string text = type.empty() ? std::to_string(dataType) : type.str();
  text += "[";
  text += llvm::join(llvm::map_range(dims, [](int64_t d) { return std::to_string(d); }), ",");
  return text + "]";
}

std::vector<uint8_t> hone::conformance::unpackElements(const Value &value) {
  DataTypeInfo info = dataTypeInfo(value.dataType);
  if (info.bits == 0 || info.bits >= 8)
    return value.bytes;
  std::vector<uint8_t> elements(value.numElements());
  unsigned perByte = 8 / info.bits, spare = 8 - info.bits;
  bool isSigned = info.name.starts_with("i");
  for (size_t i = 0; i < elements.size() && i / perByte < value.bytes.size(); ++i) {
    uint8_t top = value.bytes[i / perByte] >> (i % perByte * info.bits) << spare;
    elements[i] = isSigned ? static_cast<int8_t>(top) >> spare : top >> spare;
  }
  return elements;
}

std::vector<uint8_t> hone::conformance::packElements(llvm::ArrayRef<uint8_t> elements, int32_t dataType) {
  unsigned bits = dataTypeInfo(dataType).bits;
  if (bits == 0 || bits >= 8)
    return elements.vec();
  unsigned perByte = 8 / bits;
  std::vector<uint8_t> packed((elements.size() + perByte - 1) / perByte);
  for (size_t i = 0; i < elements.size(); ++i)
    packed[i / perByte] |= (elements[i] & ((1u << bits) - 1)) << (i % perByte * bits);
  return packed;
}

namespace {

/// Takes numbers and bytes off the front of a buffer; sticks to failure.
class Reader {
public:
  explicit Reader(llvm::StringRef data) : data(data) {}

  bool failed() const { return bad; }
  bool atEnd() const { return data.empty(); }

  llvm::StringRef take(uint64_t size) {
    if (size > data.size()) {
      bad = true;
      size = 0;
    }
    llvm::StringRef part = data.take_front(size);
    data = data.drop_front(size);
    return part;
  }

  template <typename T> T number() {
    llvm::StringRef part = take(sizeof(T));
    return bad ? T() : llvm::support::endian::read<T, llvm::endianness::little>(part.data());
  }

  Value value(bool named) {
    Value result;
    result.kind = static_cast<Value::Kind>(number<uint32_t>());
    if (named)
      result.name = take(number<uint32_t>()).str();
    if (result.kind == Value::Absent)
      return result;
    if (result.kind == Value::Sequence) {
      for (uint32_t n = number<uint32_t>(); n > 0 && !bad; --n)
        result.items.push_back(value(/*named=*/false));
      return result;
    }
    result.dataType = number<uint32_t>();
    for (uint32_t rank = number<uint32_t>(); rank > 0 && !bad; --rank)
      result.dims.push_back(number<int64_t>());
    llvm::StringRef raw = take(number<uint64_t>());
    result.bytes.assign(raw.bytes_begin(), raw.bytes_end());
    return result;
  }

private:
  llvm::StringRef data;
  bool bad = false;
};

} // namespace

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openFile(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read " + path);
  return std::move(*buffer);
}

llvm::Expected<std::vector<Case>> hone::conformance::readManifest(llvm::StringRef folder) {
  auto buffer = openFile(folder + "/manifest.tsv");
  if (!buffer)
    return buffer.takeError();
  std::vector<Case> cases;
  for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line) {
    llvm::SmallVector<llvm::StringRef> fields;
    line->split(fields, '\t');
    Case &added = cases.emplace_back();
    if (fields.size() != 5 || fields[2].getAsDouble(added.rtol) || fields[3].getAsDouble(added.atol) ||
        fields[4].getAsInteger(10, added.numDataSets))
      return createStringError(llvm::inconvertibleErrorCode(), "malformed manifest line: " + *line);
    added.suite = fields[0].str();
    added.name = fields[1].str();
    added.folder = (folder + "/" + fields[0] + "/" + fields[1]).str();
  }
  return cases;
}

llvm::Expected<DataSet> hone::conformance::readDataSet(const Case &testCase, unsigned number) {
  std::string path = testCase.folder + "/data_" + std::to_string(number) + ".bin";
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  Reader reader((*buffer)->getBuffer());
  DataSet result;
  bool known = reader.take(8) == "HONECASE";
  uint32_t numInputs = reader.number<uint32_t>();
  uint32_t numOutputs = reader.number<uint32_t>();
  for (; numInputs > 0 && !reader.failed(); --numInputs)
    result.inputs.push_back(reader.value(/*named=*/true));
  for (; numOutputs > 0 && !reader.failed(); --numOutputs)
    result.outputs.push_back(reader.value(/*named=*/true));
  if (!known || reader.failed() || !reader.atEnd())
    return createStringError(llvm::inconvertibleErrorCode(), "malformed case file " + path);
  return result;
}
