//===- FunctionPrinter.cpp - One function as CUDA C++ ---------------------===//

#include "backends/CUDA/Emit/FunctionPrinter.h"

#include "backends/CUDA/Emit/Inlining.h"
#include "backends/CUDA/Emit/KernelPrinter.h"
#include "backends/CUDA/Emit/Prelude.h"
#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// Threads of a kernel that does not say.
static constexpr unsigned kDefaultWorkgroupSize = 256;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expression FunctionPrinter::operand(Operation *op, unsigned index, bool asSigned, bool typed) {
  Value value = op->getOperand(index);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return literal(constant, value.getType(), asSigned || isa<IndexType>(value.getType()), typed, bits);
  Operation *def = value.getDefiningOp();
  if (auto extract = dyn_cast_or_null<vector::ExtractOp>(def))
    return {names.lookup(extract.getSource()) + ".elements[" + std::to_string(extract.getStaticPosition().front()) +
                "]",
            Primary};
  if (!def || !inlined.contains(def))
    return {names.lookup(value), Primary};
  if (isa<memref::LoadOp>(def))
    return {element(def, 0, 1), Primary};
  std::optional<Expression> text = expression(def, *this);
  if (!text) {
    (void)refuse(def);
    return {"0", Primary};
  }
  return *text;
}

/// The function's name with what C++ does not take replaced.
static std::string cppName(func::FuncOp function) {
  std::string text = function.getName().str();
  for (char &c : text)
    c = llvm::isAlnum(c) ? c : '_';
  return text;
}

/// "buffer[index]".
std::string FunctionPrinter::element(Operation *op, unsigned buffer, unsigned firstIndex) {
  if (op->getNumOperands() > firstIndex + 1) {
    (void)refuse(op);
    return "0";
  }
  std::string index = op->getNumOperands() == firstIndex ? "0" : argument(op, firstIndex);
  return names.lookup(op->getOperand(buffer)) + "[" + index + "]";
}

StringRef FunctionPrinter::baseOf(Type type) {
  if (isa<IndexType>(type))
    return "p";
  if (type.isInteger(1))
    return "c";
  return isa<FloatType>(type) ? "x" : "n";
}

LogicalResult FunctionPrinter::declare(Value value, StringRef base, const Twine &text) {
  std::string type = nameOf(value.getType()), right = text.str();
  if (type.empty())
    return refuse(value.getDefiningOp());
  line("const " + type + " " + name(value, base) + " = " + right + ";");
  return success();
}

/// A variable that control flow assigns.
LogicalResult FunctionPrinter::declareVariable(Value value, StringRef base, std::string *text) {
  std::string type = nameOf(value.getType());
  if (type.empty())
    return failure();
  line(type + " " + name(value, base) + (text ? " = " + *text : std::string()) + ";");
  return success();
}

static bool mentions(StringRef text, StringRef name) {
  bool found = false;
  forEachIdentifier(text, [&](StringRef word) { found |= word == name; });
  return found;
}

/// Assigns the operands of `source` from `firstOperand` on to `targets`, all at once.
void FunctionPrinter::assign(ValueRange targets, Operation *source, unsigned firstOperand) {
  SmallVector<std::string> left, right, types;
  for (auto [i, target] : llvm::enumerate(targets)) {
    std::string to = names.lookup(target), from = argument(source, firstOperand + i);
    if (to == from || to.empty())
      continue;
    left.push_back(to);
    right.push_back(from);
    types.push_back(nameOf(target.getType()));
  }
  // A target that a later value still reads gets its value last.
  SmallVector<std::pair<std::string, std::string>> late;
  for (size_t i = 0; i < left.size(); ++i) {
    bool isRead = llvm::any_of(ArrayRef<std::string>(right).drop_front(i + 1),
                               [&](const std::string &text) { return mentions(text, left[i]); });
    if (!isRead) {
      line(left[i] + " = " + right[i] + ";");
      continue;
    }
    std::string temporary = ("next" + Twine(counters["next"]++)).str();
    line("const " + types[i] + " " + temporary + " = " + right[i] + ";");
    late.push_back({left[i], temporary});
  }
  for (auto &[to, from] : late)
    line(to + " = " + from + ";");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The C++ type of several elements.
static std::string packType(VectorType type, const std::string &element) {
  int64_t count = type.getNumElements();
  bool isWhole = count * type.getElementTypeBitWidth() == 128;
  return "Pack<" + element + (isWhole ? "" : ", " + std::to_string(count)) + ">";
}

LogicalResult FunctionPrinter::printStore(memref::StoreOp op) {
  std::string place = element(op, 1, 2);
  line(place + " = " + argument(op, 0) + ";");
  return success();
}

/// Where several elements lie: "*(Pack<float> *)(buffer + index)".
std::string FunctionPrinter::packPointer(Operation *op, unsigned buffer, VectorType type, bool isConst) {
  std::string place = names.lookup(op->getOperand(buffer)), index = operand(op, buffer + 1, false, false).at(Add + 1);
  if (index != "0")
    place = "(" + place + " + " + index + ")";
  return (isConst ? "*(const " : "*(") + packType(type, nameOf(type.getElementType())) + " *)" + place;
}

LogicalResult FunctionPrinter::printPackLoad(vector::LoadOp op) {
  VectorType type = op.getVectorType();
  std::string place = packPointer(op, 0, type, /*isConst=*/true);
  line("const " + packType(type, nameOf(type.getElementType())) + " " + name(op.getResult(), "pack") + " = " + place +
       ";");
  return success();
}

LogicalResult FunctionPrinter::printPackStore(vector::StoreOp op) {
  VectorType type = op.getVectorType();
  line(packPointer(op, 1, type, /*isConst=*/false) + " = " + names.lookup(op.getValueToStore()) + ";");
  return success();
}

/// Several elements from scalars or constants.
LogicalResult FunctionPrinter::printPack(Operation *op) {
  auto type = cast<VectorType>(op->getResult(0).getType());
  Type element = type.getElementType();
  DenseElementsAttr constants;
  if (!matchPattern(op, m_Constant(&constants)) && !isa<vector::FromElementsOp, vector::BroadcastOp>(op))
    return refuse(op);
  SmallVector<std::string> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    if (constants)
      elements.push_back(literal(constants.getValues<Attribute>()[i], element, /*asSigned=*/false, false, bits).text);
    else
      elements.push_back(argument(op, isa<vector::BroadcastOp>(op) ? 0 : i));
  }
  std::string pack = name(op->getResult(0), "pack");
  line(packType(type, nameOf(element)) + " " + pack + ";");
  for (auto [i, text] : llvm::enumerate(elements))
    line(pack + ".elements[" + Twine(i) + "] = " + text + ";");
  return success();
}

LogicalResult FunctionPrinter::printView(memref::ViewOp op) {
  std::string type = nameOf(op.getType().getElementType());
  if (type.empty())
    return refuse(op);
  std::string pointer = isWritten(op) ? type + " *" : "const " + type + " *", base = names.lookup(op.getSource());
  std::string offset = operand(op, 1, true, false).at(Add + 1);
  line(pointer + name(op, "view") + " = (" + pointer + ")" +
       (offset == "0" ? base : "(" + base + " + " + offset + ")") + ";");
  return success();
}

/// Private and workgroup memory.
LogicalResult FunctionPrinter::printMemory(Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  std::string element = nameOf(type.getElementType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  bool isShared = space && space.getValue() == gpu::AddressSpace::Workgroup;
  if (element.empty() || !type.hasStaticShape() || (type.getMemorySpace() && !space))
    return refuse(op);
  std::string count = std::to_string(std::max<int64_t>(type.getNumElements(), 1));
  if (isShared)
    line("__shared__ __align__(16) " + element + " " + name(op->getResult(0), "shared") + "[" + count + "];");
  else
    line(element + " " + name(op->getResult(0), "local") + "[" + count + "];");
  return success();
}

/// Whether the kernel stores through `buffer`.
bool FunctionPrinter::isWritten(Value buffer) {
  if (auto argument = dyn_cast<BlockArgument>(buffer);
      argument && function.getArgAttr(argument.getArgNumber(), kWritten))
    return true;
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemRef() == buffer;
    if (auto store = dyn_cast<vector::StoreOp>(user))
      return store.getBase() == buffer;
    if (isa<memref::ViewOp>(user))
      return isWritten(user->getResult(0));
    return !isa<memref::LoadOp, vector::LoadOp>(user);
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Sums and products with two results.
LogicalResult FunctionPrinter::printExtended(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!type.isSignlessInteger() || type.isInteger(1) || type.getIntOrFloatBitWidth() > 64)
    return refuse(op);
  std::string unsignedType = nameOf(type), signedType = "i" + unsignedType.substr(1);
  std::string a = operand(op, 0, false, true).at(Unary), b = operand(op, 1, false, true).at(Unary);
  if (isa<arith::AddUIExtendedOp>(op)) {
    std::string sum = name(op->getResult(0), "n");
    line("const " + unsignedType + " " + sum + " = (" + unsignedType + ")(" + a + " + " + b + ");");
    return declare(op->getResult(1), "c", sum + " < " + a);
  }
  std::string view = isa<arith::MulSIExtendedOp>(op) ? signedType : unsignedType;
  if (failed(declare(op->getResult(0), "n", "(" + unsignedType + ")((u64)" + a + " * " + b + ")")))
    return failure();
  return declare(op->getResult(1), "n",
                 "(" + unsignedType + ")mul_high((" + view + ")" + a + ", (" + view + ")" + b + ")");
}

LogicalResult FunctionPrinter::printCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || op.getNumResults() > 1)
    return refuse(op);
  SmallVector<std::string> arguments;
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    arguments.push_back(argument(op, i));
  std::string call = cppName(callee) + "(" + llvm::join(arguments, ", ") + ")";
  if (op.getNumResults())
    return declare(op.getResult(0), baseOf(op.getResult(0).getType()), call);
  line(call + ";");
  return success();
}

LogicalResult FunctionPrinter::printOp(Operation *op) {
  if (inlined.contains(op))
    return success();
  if (isExpression(op)) {
    if (op->use_empty())
      return success();
    std::optional<Expression> text = expression(op, *this);
    return text ? declare(op->getResult(0), baseOf(op->getResult(0).getType()), text->text) : refuse(op);
  }
  if (op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()) && !isa<vector::LoadOp>(op))
    return printPack(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) { return printFor(op); })
      .Case([&](scf::WhileOp op) { return printWhile(op); })
      .Case([&](scf::IfOp op) { return printIf(op); })
      .Case([&](memref::LoadOp op) { return declare(op.getResult(), "v", element(op, 0, 1)); })
      .Case([&](memref::StoreOp op) { return printStore(op); })
      .Case([&](vector::LoadOp op) { return printPackLoad(op); })
      .Case([&](vector::StoreOp op) { return printPackStore(op); })
      // Named where it is used.
      .Case([&](vector::ExtractOp) { return success(); })
      .Case([&](memref::ViewOp op) { return printView(op); })
      .Case<memref::AllocaOp, memref::AllocOp>([&](Operation *op) { return printMemory(op); })
      .Case([&](memref::DeallocOp) { return success(); })
      .Case([&](gpu::BarrierOp op) { return printBarrier(op); })
      .Case([&](gpu::ShuffleOp op) { return printShuffle(op); })
      .Case([&](gpu::SubgroupReduceOp op) { return printReduce(op); })
      .Case<arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(
          [&](Operation *op) { return printExtended(op); })
      .Case([&](func::CallOp op) { return printCall(op); })
      .Default([&](Operation *op) { return refuse(op); });
}

/// The ops of `block` but for its terminator.
LogicalResult FunctionPrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(printOp(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionPrinter::FunctionPrinter(func::FuncOp function)
    : function(function), bits(64), inlined(chooseInlined(function)) {
  if (auto width = function->getAttrOfType<IntegerAttr>(kIndexBits))
    bits = width.getInt() == 32 ? 32 : 64;
}

/// Whether threads wait for one another, and so may read what others have written.
static bool hasBarrier(func::FuncOp function) {
  return function.walk([](gpu::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// "(const float *__restrict__ b0, idx s0)". Kernels take 64-bit scalars, whatever they compute with.
LogicalResult FunctionPrinter::printParameters(bool isKernel) {
  SmallVector<std::string> parameters, narrowed;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      bool isIndex = isa<IndexType>(argument.getType());
      std::string scalar = isKernel && isIndex ? typeName(argument.getType(), 64) : nameOf(argument.getType());
      if (scalar.empty() || (isKernel && !isIndex))
        return function.emitError() << "argument " << argument.getArgNumber() << " is neither a buffer nor an index";
      std::string known = name(argument, isIndex ? "s" : "x");
      parameters.push_back(scalar + " " + known);
      if (isKernel && bits == 32)
        narrowed.push_back("const i32 " + name(argument, "n") + " = (i32)" + known + ";");
      continue;
    }
    std::string element = nameOf(type.getElementType());
    if (element.empty() || type.getElementType().isInteger(1) || type.getRank() > 1 || !type.getLayout().isIdentity())
      return function.emitError() << "argument " << argument.getArgNumber()
                                  << " is no flat buffer of numbers: " << type;
    // Restricted memory is this thread's alone to write: what it has read before a barrier it would not read again.
    bool isShared = isWritten(argument) && hasBarrier(function);
    parameters.push_back((isWritten(argument) ? "" : "const ") + element + (isShared ? " *" : " *__restrict__ ") +
                         name(argument, "b"));
  }
  out += "(" + llvm::join(parameters, ", ") + ") {\n";
  ++depth;
  for (const std::string &text : narrowed)
    line(text);
  return success();
}

FailureOr<std::string> FunctionPrinter::printKernel(StringRef text) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError() << "is not structured";
  out += "// " + function.getName().str();
  SmallVector<std::string> nodes = nodeNames(function.getLoc());
  if (!nodes.empty())
    out += ": " + llvm::join(nodes, ", ");
  unsigned threads = kDefaultWorkgroupSize;
  if (auto size = function->getAttrOfType<IntegerAttr>(kWorkgroupSize))
    threads = size.getInt();
  out += ("\nextern \"C\" __global__ void __launch_bounds__(" + Twine(threads) + ")\n" + cppName(function)).str();
  if (failed(printParameters(/*isKernel=*/true)))
    return failure();
  out += text;
  if (text.empty() && (failed(printBlock(function.getBody().front())) || failed(status)))
    return failure();
  out += "}\n";
  return std::move(out);
}

FailureOr<std::string> FunctionPrinter::printHelper() {
  if (!llvm::hasSingleElement(function.getBody()) || function.getNumResults() > 1)
    return function.emitError() << "is not structured";
  std::string result = function.getNumResults() ? nameOf(function.getResultTypes().front()) : "void";
  if (result.empty())
    return function.emitError() << "returns what has no C++ type";
  out += "__device__ __forceinline__ " + result + " " + cppName(function);
  if (failed(printParameters(/*isKernel=*/false)) || failed(printBlock(function.getBody().front())) || failed(status))
    return failure();
  if (function.getNumResults())
    line("return " + argument(function.getBody().front().getTerminator(), 0) + ";");
  out += "}\n";
  return std::move(out);
}
