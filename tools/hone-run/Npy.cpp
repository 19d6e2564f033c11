//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// The header is a Python dictionary literal; three keys of it matter. See numpy.lib.format.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"

#include <cstring>

using namespace hone::tools;

static constexpr char kMagic[] = "\x93NUMPY";
static constexpr size_t kMagicSize = 6;

static bool fail(std::string &error, std::string text) {
  error = std::move(text);
  return false;
}

namespace {
/// Reads the dictionary of a header.
class HeaderParser {
public:
  explicit HeaderParser(std::string text) : text(std::move(text)) {}

  bool parse() {
    if (!take('{'))
      return false;
    while (!peek('}')) {
      std::string key;
      if (!string(key) || !take(':') || !value(key))
        return false;
      if (!peek('}') && !take(','))
        return false;
    }
    return !descr.empty() && hasOrder && hasShape;
  }

  std::string descr;
  bool fortran = false, hasOrder = false, hasShape = false;
  std::vector<int64_t> shape;

private:
  bool value(const std::string &key) {
    if (key == "descr")
      return string(descr);
    if (key == "fortran_order") {
      hasOrder = true;
      fortran = word("True");
      return fortran || word("False");
    }
    hasShape = true;
    return key == "shape" && tuple();
  }
  bool tuple() {
    if (!take('('))
      return false;
    while (!peek(')')) {
      int64_t extent;
      if (!number(extent) || shape.size() >= 64)
        return false;
      shape.push_back(extent);
      if (!peek(')') && !take(','))
        return false;
    }
    return take(')');
  }
  bool number(int64_t &result) {
    space();
    size_t start = at;
    result = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(result, 10, &result) || __builtin_add_overflow(result, text[at] - '0', &result))
        return false;
    // Python 2 wrote long integers as 3L.
    if (at < text.size() && text[at] == 'L')
      ++at;
    return at > start;
  }
  bool string(std::string &result) {
    space();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string::npos)
      return false;
    result = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool word(const char *expected) {
    space();
    if (text.compare(at, strlen(expected), expected))
      return false;
    at += strlen(expected);
    return true;
  }
  void space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  bool peek(char c) {
    space();
    return at < text.size() && text[at] == c;
  }
  bool take(char c) {
    bool here = peek(c);
    at += here;
    return here;
  }

  std::string text;
  size_t at = 0;
};
} // namespace

/// The type of a descr without byte order; raw and narrow types are what is wanted.
static const TypeInfo *typeOf(const std::string &descr, hone_dtype_t wanted) {
  const TypeInfo *expected = findType(wanted);
  if (expected && !expected->npy) {
    if (descr == "V" + std::to_string(expected->size))
      return expected;
    if (expected->bits < 8 && descr == (expected->encoding == Encoding::Signed ? "i1" : "u1"))
      return expected;
  }
  return findTypeByNpy(descr);
}

/// From Fortran order to C order.
static void reorder(HostTensor &tensor, size_t size) {
  std::vector<uint8_t> source;
  source.swap(tensor.data);
  tensor.data.resize(source.size());
  size_t rank = tensor.shape.size();
  std::vector<uint64_t> strides(rank, 1), index(rank, 0);
  for (size_t i = 1; i < rank; ++i)
    strides[i] = strides[i - 1] * static_cast<uint64_t>(tensor.shape[i - 1]);
  for (size_t out = 0; out < source.size(); out += size) {
    uint64_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += index[i] * strides[i];
    memcpy(&tensor.data[out], &source[from * size], size);
    for (size_t i = rank; i-- && ++index[i] == static_cast<uint64_t>(tensor.shape[i]);)
      index[i] = 0;
  }
}

static bool readHeader(const std::vector<uint8_t> &bytes, std::string &header, size_t &dataAt) {
  if (bytes.size() < 10 || memcmp(bytes.data(), kMagic, kMagicSize))
    return false;
  int major = bytes[6];
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || bytes.size() < 8 + lengthBytes)
    return false;
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<uint64_t>(bytes[8 + i]) << (8 * i);
  dataAt = 8 + lengthBytes;
  if (length > bytes.size() - dataAt)
    return false;
  header.assign(bytes.begin() + static_cast<long>(dataAt), bytes.begin() + static_cast<long>(dataAt + length));
  dataAt += length;
  return true;
}

bool hone::tools::decodeNpy(const std::vector<uint8_t> &bytes, hone_dtype_t wanted, HostTensor &tensor,
                            std::string &error) {
  std::string header;
  size_t dataAt = 0;
  if (!readHeader(bytes, header, dataAt))
    return fail(error, "not a .npy file");
  HeaderParser parser(header);
  if (!parser.parse() || parser.descr.size() < 2)
    return fail(error, "the .npy header is damaged, or describes a structured array");
  char order = parser.descr[0];
  const TypeInfo *type = typeOf(parser.descr.substr(1), wanted);
  if (!type || !strchr("<>|=", order))
    return fail(error, "elements of type '" + parser.descr + "' are not supported");
  uint64_t count;
  if (!countElements(parser.shape, count) || count > (bytes.size() - dataAt) / type->size)
    return fail(error, "the file is cut off: " + describeShape(parser.shape, type->name) + " has more bytes");
  tensor.dtype = type->dtype;
  tensor.shape = parser.shape;
  tensor.data.assign(bytes.begin() + static_cast<long>(dataAt),
                     bytes.begin() + static_cast<long>(dataAt + count * type->size));
  if (order == '>')
    for (size_t at = 0; at < tensor.data.size(); at += type->size)
      for (size_t i = 0; i < type->size / 2u; ++i)
        std::swap(tensor.data[at + i], tensor.data[at + type->size - 1 - i]);
  if (parser.fortran && tensor.shape.size() > 1)
    reorder(tensor, type->size);
  return true;
}

bool hone::tools::encodeNpy(const HostTensor &tensor, std::vector<uint8_t> &bytes, std::string &error) {
  const TypeInfo *type = findType(tensor.dtype);
  if (!type || !type->npy)
    return fail(error, "NumPy has no such type");
  std::string header =
      "{'descr': '" + std::string(type->size == 1 ? "|" : "<") + type->npy + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape)
    header += std::to_string(extent) + ", ";
  if (tensor.shape.size() > 1)
    header.resize(header.size() - 2);
  else if (!tensor.shape.empty())
    header.pop_back();
  header += "), }";
  // The data starts at a multiple of 64.
  size_t length = header.size() + 1;
  length += (64 - (10 + length) % 64) % 64;
  header.resize(length - 1, ' ');
  header += '\n';
  bytes.assign(kMagic, kMagic + kMagicSize);
  bytes.push_back(1);
  bytes.push_back(0);
  bytes.push_back(static_cast<uint8_t>(length & 0xff));
  bytes.push_back(static_cast<uint8_t>(length >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
  return true;
}
