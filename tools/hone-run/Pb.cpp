//===- Pb.cpp - ONNX TensorProto without protobuf -------------------------===//
//
// The wire format is tags and varints; of TensorProto's fields seven hold data. Typed fields follow onnx.proto: small
// integers and 16-bit floats travel in int32_data, 4-bit types two to an entry.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"

#include <cstring>

using namespace hone::tools;

static bool fail(std::string &error, std::string text) {
  error = std::move(text);
  return false;
}

namespace {

enum Field : uint32_t {
  FieldDims = 1,
  FieldDataType = 2,
  FieldSegment = 3,
  FieldFloat = 4,
  FieldInt32 = 5,
  FieldString = 6,
  FieldInt64 = 7,
  FieldName = 8,
  FieldRaw = 9,
  FieldDouble = 10,
  FieldUint64 = 11,
  FieldExternal = 13,
  FieldLocation = 14,
};
enum Wire : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// A cursor over one message.
struct Reader {
  const uint8_t *at, *end;

  bool varint(uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
      uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }
  bool fixed(void *target, size_t size) {
    if (static_cast<size_t>(end - at) < size)
      return false;
    memcpy(target, at, size);
    at += size;
    return true;
  }
  bool bytes(Reader &part) {
    uint64_t size;
    if (!varint(size) || size > static_cast<uint64_t>(end - at))
      return false;
    part = {at, at + size};
    at += size;
    return true;
  }
  bool skip(uint32_t wire) {
    uint64_t value;
    Reader part;
    switch (wire) {
    case Varint:
      return varint(value);
    case Fixed64:
      return fixed(&value, 8);
    case Bytes:
      return bytes(part);
    case Fixed32:
      return fixed(&value, 4);
    }
    return false;
  }
};

/// What the message holds, before it is known what the type makes of it.
struct Proto {
  std::vector<int64_t> dims;
  int64_t type = 0;
  std::string name;
  std::vector<uint8_t> raw;
  bool hasRaw = false, external = false, segment = false, strings = false;
  std::vector<uint64_t> integers; // int32_data, int64_data, uint64_data
  std::vector<uint8_t> floats;    // float_data, double_data as bytes
};

} // namespace

/// A repeated field of varints, packed or not.
static bool readVarints(Reader &reader, uint32_t wire, std::vector<uint64_t> &values) {
  uint64_t value;
  if (wire == Varint) {
    if (!reader.varint(value))
      return false;
    values.push_back(value);
    return true;
  }
  Reader part;
  if (wire != Bytes || !reader.bytes(part))
    return false;
  while (part.at < part.end) {
    if (!part.varint(value))
      return false;
    values.push_back(value);
  }
  return true;
}

/// A repeated field of fixed-size numbers, packed or not.
static bool readFixed(Reader &reader, uint32_t wire, size_t size, std::vector<uint8_t> &values) {
  Reader part;
  if (wire == Bytes) {
    if (!reader.bytes(part) || static_cast<size_t>(part.end - part.at) % size)
      return false;
    values.insert(values.end(), part.at, part.end);
    return true;
  }
  uint64_t value;
  if (wire != (size == 4 ? Fixed32 : Fixed64) || !reader.fixed(&value, size))
    return false;
  auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  values.insert(values.end(), bytes, bytes + size);
  return true;
}

static bool readField(Reader &reader, uint32_t field, uint32_t wire, Proto &proto) {
  Reader part;
  uint64_t value;
  switch (field) {
  case FieldDims: {
    std::vector<uint64_t> dims;
    if (!readVarints(reader, wire, dims))
      return false;
    for (uint64_t dim : dims)
      proto.dims.push_back(static_cast<int64_t>(dim));
    return true;
  }
  case FieldDataType:
    if (wire != Varint || !reader.varint(value))
      return false;
    proto.type = static_cast<int64_t>(value);
    return true;
  case FieldLocation:
    if (wire != Varint || !reader.varint(value))
      return false;
    proto.external = value == 1;
    return true;
  case FieldFloat:
    return readFixed(reader, wire, 4, proto.floats);
  case FieldDouble:
    return readFixed(reader, wire, 8, proto.floats);
  case FieldInt32:
  case FieldInt64:
  case FieldUint64:
    return readVarints(reader, wire, proto.integers);
  case FieldName:
  case FieldRaw:
    if (wire != Bytes || !reader.bytes(part))
      return false;
    if (field == FieldName) {
      proto.name.assign(part.at, part.end);
    } else {
      proto.hasRaw = true;
      proto.raw.assign(part.at, part.end);
    }
    return true;
  case FieldSegment:
    proto.segment = true;
    return reader.skip(wire);
  case FieldString:
    proto.strings = true;
    return reader.skip(wire);
  default:
    return reader.skip(wire);
  }
}

static bool readProto(const std::vector<uint8_t> &bytes, Proto &proto) {
  Reader reader = {bytes.data(), bytes.data() + bytes.size()};
  while (reader.at < reader.end) {
    uint64_t tag;
    if (!reader.varint(tag) || tag >> 3 > UINT32_MAX || !(tag >> 3) ||
        !readField(reader, static_cast<uint32_t>(tag >> 3), static_cast<uint32_t>(tag & 7), proto))
      return false;
  }
  return true;
}

/// Packed entries of less than a byte, low ones first, to a byte each.
static void unpack(const TypeInfo &type, const std::vector<uint8_t> &packed, uint64_t count,
                   std::vector<uint8_t> &data) {
  unsigned perByte = 8u / type.bits, mask = (1u << type.bits) - 1;
  data.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    unsigned value = packed[i / perByte] >> (i % perByte * type.bits) & mask;
    if (type.encoding == Encoding::Signed && value >> (type.bits - 1))
      value |= ~mask;
    data[i] = static_cast<uint8_t>(value);
  }
}

/// The elements as bytes, still packed.
static bool collect(const Proto &proto, const TypeInfo &type, uint64_t bytes, std::vector<uint8_t> &out) {
  if (proto.hasRaw || (proto.integers.empty() && proto.floats.empty())) {
    out = proto.raw;
  } else if (!proto.floats.empty()) {
    out = proto.floats;
  } else {
    size_t size = type.bits < 8 ? 1 : type.size;
    for (uint64_t value : proto.integers) {
      auto *low = reinterpret_cast<const uint8_t *>(&value);
      out.insert(out.end(), low, low + size);
    }
  }
  return out.size() == bytes;
}

bool hone::tools::decodePb(const std::vector<uint8_t> &bytes, HostTensor &tensor, std::string &error) {
  Proto proto;
  if (!readProto(bytes, proto))
    return fail(error, "not an ONNX TensorProto");
  const TypeInfo *type = findTypeByOnnx(proto.type);
  if (proto.strings || proto.type == 8)
    return fail(error, "tensors of strings are not supported");
  if (!type)
    return fail(error, "element type " + std::to_string(proto.type) + " is not supported");
  if (proto.external || proto.segment)
    return fail(error, "data outside the file is not supported");
  uint64_t count;
  if (!countElements(proto.dims, count))
    return fail(error, "impossible dimensions");
  uint64_t packedBytes = type->bits < 8 ? (count * type->bits + 7) / 8 : count * type->size;
  std::vector<uint8_t> packed;
  if (!collect(proto, *type, packedBytes, packed))
    return fail(error, describeShape(proto.dims, type->name) + " takes " + std::to_string(packedBytes) +
                           " bytes, the file has " + std::to_string(packed.size()));
  tensor.name = proto.name;
  tensor.dtype = type->dtype;
  tensor.shape = proto.dims;
  if (type->bits < 8)
    unpack(*type, packed, count, tensor.data);
  else
    tensor.data = std::move(packed);
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeVarint(std::vector<uint8_t> &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

static void writeBytes(std::vector<uint8_t> &out, uint32_t field, const uint8_t *bytes, size_t size) {
  writeVarint(out, field << 3 | Bytes);
  writeVarint(out, size);
  out.insert(out.end(), bytes, bytes + size);
}

bool hone::tools::encodePb(const HostTensor &tensor, std::vector<uint8_t> &bytes, std::string &error) {
  const TypeInfo *type = findType(tensor.dtype);
  if (!type)
    return fail(error, "ONNX has no such type");
  bytes.clear();
  for (int64_t extent : tensor.shape) {
    writeVarint(bytes, FieldDims << 3 | Varint);
    writeVarint(bytes, static_cast<uint64_t>(extent));
  }
  writeVarint(bytes, FieldDataType << 3 | Varint);
  writeVarint(bytes, static_cast<uint64_t>(type->onnx));
  writeBytes(bytes, FieldName, reinterpret_cast<const uint8_t *>(tensor.name.data()), tensor.name.size());
  if (type->bits == 8 || type->size > 1) {
    writeBytes(bytes, FieldRaw, tensor.data.data(), tensor.data.size());
    return true;
  }
  unsigned perByte = 8u / type->bits, mask = (1u << type->bits) - 1;
  std::vector<uint8_t> packed((tensor.data.size() + perByte - 1) / perByte);
  for (size_t i = 0; i < tensor.data.size(); ++i)
    packed[i / perByte] |= static_cast<uint8_t>((tensor.data[i] & mask) << (i % perByte * type->bits));
  writeBytes(bytes, FieldRaw, packed.data(), packed.size());
  return true;
}
