//===- ProtoScan.cpp - What parsing a model would cost --------------------===//

#include "lib/Frontend/ProtoScan.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace {

/// The messages of ONNX's format, as far as they nest.
enum Kind : uint8_t {
  None,
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  Sparse,
  ValueInfo,
  Type,
  TensorType,
  Sequence,
  Map,
  Shape,
  Function,
  Training,
  Leaf
};

struct Field {
  Kind parent;
  uint32_t number;
  Kind child;
};

constexpr Field fields[] = {{Model, 7, Graph},
                            {Model, 8, Leaf},
                            {Model, 14, Leaf},
                            {Model, 20, Training},
                            {Model, 25, Function},
                            {Model, 26, Leaf},
                            {Training, 1, Graph},
                            {Training, 2, Graph},
                            {Training, 3, Leaf},
                            {Training, 4, Leaf},
                            {Graph, 1, Node},
                            {Graph, 5, Tensor},
                            {Graph, 15, Sparse},
                            {Graph, 11, ValueInfo},
                            {Graph, 12, ValueInfo},
                            {Graph, 13, ValueInfo},
                            {Graph, 14, Leaf},
                            {Graph, 16, Leaf},
                            {Node, 5, Attribute},
                            {Node, 9, Leaf},
                            {Node, 10, Leaf},
                            {Attribute, 5, Tensor},
                            {Attribute, 6, Graph},
                            {Attribute, 10, Tensor},
                            {Attribute, 11, Graph},
                            {Attribute, 14, Type},
                            {Attribute, 15, Type},
                            {Attribute, 22, Sparse},
                            {Attribute, 23, Sparse},
                            {Tensor, 13, Leaf},
                            {Tensor, 16, Leaf},
                            {Sparse, 1, Tensor},
                            {Sparse, 2, Tensor},
                            {ValueInfo, 2, Type},
                            {ValueInfo, 4, Leaf},
                            {Type, 1, TensorType},
                            {Type, 4, Sequence},
                            {Type, 5, Map},
                            {Type, 8, TensorType},
                            {Type, 9, Sequence},
                            {TensorType, 2, Shape},
                            {Sequence, 1, Type},
                            {Map, 2, Type},
                            {Shape, 1, Leaf},
                            {Function, 7, Node},
                            {Function, 9, Leaf},
                            {Function, 11, Attribute},
                            {Function, 12, ValueInfo},
                            {Function, 14, Leaf}};

Kind childOf(Kind parent, uint32_t number) {
  for (const Field &field : fields)
    if (field.parent == parent && field.number == number)
      return field.child;
  return None;
}

/// What an empty message and an empty string cost once parsed, pointers and allocator included.
constexpr uint64_t kMessageBytes = 256, kStringBytes = 64;
/// Protobuf's own limit.
constexpr int kMaxDepth = 100;

class Scan {
public:
  explicit Scan(uint64_t limit) : limit(limit) {}

  bool message(StringRef bytes, Kind kind, int depth) {
    if (depth > kMaxDepth)
      return refuse("messages nest deeper than " + Twine(kMaxDepth) + " levels");
    while (!bytes.empty()) {
      uint64_t key, length;
      if (!varint(bytes, key))
        return refuse("the file is cut off or damaged");
      switch (key & 7) {
      case 0:
        if (!varint(bytes, length))
          return refuse("the file is cut off or damaged");
        break;
      case 1:
      case 5: {
        size_t size = (key & 7) == 1 ? 8 : 4;
        if (bytes.size() < size)
          return refuse("the file is cut off or damaged");
        bytes = bytes.drop_front(size);
        break;
      }
      case 2: {
        if (!varint(bytes, length) || length > bytes.size())
          return refuse("the file is cut off or damaged");
        Kind child = childOf(kind, uint32_t(key >> 3));
        cost += child == None ? kStringBytes + length : kMessageBytes;
        if (cost > limit)
          return refuse("parsing it would take more than " + Twine(limit >> 20) + " MiB of memory");
        if (child != None && !message(bytes.take_front(length), child, depth + 1))
          return false;
        bytes = bytes.drop_front(length);
        break;
      }
      default:
        return refuse("not an ONNX model, or damaged");
      }
    }
    return true;
  }

  std::string error;

private:
  static bool varint(StringRef &bytes, uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      uint8_t byte = uint8_t(bytes.front());
      bytes = bytes.drop_front();
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return false;
  }

  bool refuse(const Twine &message) {
    error = message.str();
    return false;
  }

  uint64_t limit, cost = 0;
};

} // namespace

std::string hone::frontend::scanModel(StringRef bytes, uint64_t limit) {
  Scan scan(limit);
  scan.message(bytes, Model, 0);
  return scan.error;
}
