//===- KernelPrinter.cpp - Kernels as CUDA C++ ----------------------------===//

#include "backends/CUDA/Emit/KernelPrinter.h"

#include "backends/CUDA/Emit/Expressions.h"
#include "backends/CUDA/Emit/Inlining.h"
#include "backends/CUDA/Emit/Prelude.h"
#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// Threads of a kernel that does not say.
static constexpr unsigned kDefaultWorkgroupSize = 256;

namespace {

class KernelPrinter final : OperandPrinter {
public:
  explicit KernelPrinter(func::FuncOp kernel) : kernel(kernel), inlined(chooseInlined(kernel)) {}

  FailureOr<std::string> print();

private:
  Expression operand(Operation *op, unsigned index, bool asSigned, bool typed) override;
  /// Operand `index` of `op` where any expression may stand.
  std::string argument(Operation *op, unsigned index) { return operand(op, index, false, false).text; }
  std::string element(Operation *op, unsigned buffer, unsigned firstIndex);

  LogicalResult printBlock(Block &block);
  LogicalResult printOp(Operation *op);
  LogicalResult printFor(scf::ForOp op);
  LogicalResult printWhile(scf::WhileOp op);
  LogicalResult printIf(scf::IfOp op);
  LogicalResult printStore(memref::StoreOp op);
  LogicalResult printView(memref::ViewOp op);
  LogicalResult printMemory(Operation *op);
  LogicalResult printShuffle(gpu::ShuffleOp op);
  LogicalResult printReduce(gpu::SubgroupReduceOp op);
  LogicalResult printExtended(Operation *op);
  LogicalResult printBarrier(Operation *op);

  LogicalResult refuse(Operation *op) {
    status = failure();
    return op->emitOpError() << "cannot be printed as CUDA C++";
  }
  LogicalResult printParameters();
  void printHeader();
  bool isWritten(Value buffer);
  void line(const Twine &text) { (out.append(2 * depth, ' ') += text.str()) += '\n'; }
  /// Gives `value` a new name that starts with `base`.
  std::string name(Value value, StringRef base) {
    std::string text = (base + Twine(counters[base]++)).str();
    names[value] = text;
    return text;
  }
  LogicalResult declare(Value value, StringRef base, const Twine &text);
  LogicalResult declareVariable(Value value, StringRef base, std::string *text = nullptr);
  void assign(ValueRange targets, Operation *source, unsigned firstOperand);
  StringRef baseOf(Type type);

  func::FuncOp kernel;
  llvm::DenseSet<Operation *> inlined;
  DenseMap<Value, std::string> names;
  llvm::StringMap<unsigned> counters;
  std::string out;
  unsigned depth = 0, loopDepth = 0;
  LogicalResult status = success();
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expression KernelPrinter::operand(Operation *op, unsigned index, bool asSigned, bool typed) {
  Value value = op->getOperand(index);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return literal(constant, value.getType(), asSigned || isa<IndexType>(value.getType()), typed);
  Operation *def = value.getDefiningOp();
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

/// "buffer[index]".
std::string KernelPrinter::element(Operation *op, unsigned buffer, unsigned firstIndex) {
  if (op->getNumOperands() > firstIndex + 1) {
    (void)refuse(op);
    return "0";
  }
  std::string index = op->getNumOperands() == firstIndex ? "0" : argument(op, firstIndex);
  return names.lookup(op->getOperand(buffer)) + "[" + index + "]";
}

StringRef KernelPrinter::baseOf(Type type) {
  if (isa<IndexType>(type))
    return "p";
  if (type.isInteger(1))
    return "c";
  return isa<FloatType>(type) ? "x" : "n";
}

LogicalResult KernelPrinter::declare(Value value, StringRef base, const Twine &text) {
  std::string type = typeName(value.getType()), right = text.str();
  if (type.empty())
    return refuse(value.getDefiningOp());
  line("const " + type + " " + name(value, base) + " = " + right + ";");
  return success();
}

/// A variable that control flow assigns.
LogicalResult KernelPrinter::declareVariable(Value value, StringRef base, std::string *text) {
  std::string type = typeName(value.getType());
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
void KernelPrinter::assign(ValueRange targets, Operation *source, unsigned firstOperand) {
  SmallVector<std::string> left, right, types;
  for (auto [i, target] : llvm::enumerate(targets)) {
    std::string to = names.lookup(target), from = argument(source, firstOperand + i);
    if (to == from || to.empty())
      continue;
    left.push_back(to);
    right.push_back(from);
    types.push_back(typeName(target.getType()));
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
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult KernelPrinter::printFor(scf::ForOp op) {
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    std::string init = this->argument(op, op.getNumControlOperands() + i);
    if (failed(declareVariable(argument, "acc", &init)))
      return refuse(op);
    names[op.getResult(i)] = names.lookup(argument);
  }
  static const char *const kLetters[] = {"i", "j", "k", "l", "m", "o"};
  std::string variable = loopDepth < std::size(kLetters) ? kLetters[loopDepth] : ("i" + Twine(loopDepth)).str();
  Type type = op.getInductionVar().getType();
  names[op.getInductionVar()] = variable;
  // Bounds with the sign that the loop compares with; the variable has the type of all integers.
  bool isSigned = !op.getUnsignedCmp();
  std::string cast = isa<IndexType>(type) == isSigned ? "" : isSigned ? "(i" : "(u";
  if (!cast.empty())
    cast += (isa<IndexType>(type) ? "64" : std::to_string(type.getIntOrFloatBitWidth())) + ")";
  auto step = getConstantIntValue(op.getStep());
  line("for (" + typeName(type) + " " + variable + " = " + argument(op, 0) + "; " + cast + variable + " < " + cast +
       operand(op, 1, isSigned, false).at(cast.empty() ? Shift : Unary) + "; " +
       (step == std::optional<int64_t>(1) ? "++" + variable : variable + " += " + argument(op, 2)) + ") {");
  ++depth, ++loopDepth;
  if (failed(printBlock(*op.getBody())))
    return failure();
  assign(op.getRegionIterArgs(), op.getBody()->getTerminator(), 0);
  --depth, --loopDepth;
  line("}");
  return success();
}

LogicalResult KernelPrinter::printWhile(scf::WhileOp op) {
  for (auto [i, argument] : llvm::enumerate(op.getBeforeArguments())) {
    std::string init = this->argument(op, i);
    if (failed(declareVariable(argument, "state", &init)))
      return refuse(op);
  }
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), op.getResults())) {
    if (failed(declareVariable(argument, "passed")))
      return refuse(op);
    names[result] = names.lookup(argument);
  }
  line("while (true) {");
  ++depth;
  if (failed(printBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  std::string go = operand(condition, 0, false, false).at(Unary);
  assign(op.getAfterArguments(), condition, 1);
  line("if (!" + go + ")");
  line("  break;");
  if (failed(printBlock(*op.getAfterBody())))
    return failure();
  assign(op.getBeforeArguments(), op.getYieldOp(), 0);
  --depth;
  line("}");
  return success();
}

LogicalResult KernelPrinter::printIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (failed(declareVariable(result, "r")))
      return refuse(op);
  line("if (" + argument(op, 0) + ") {");
  ++depth;
  if (failed(printBlock(*op.thenBlock())))
    return failure();
  assign(op.getResults(), op.thenYield(), 0);
  --depth;
  if (Block *otherwise = op.elseBlock();
      otherwise && (op.getNumResults() || !otherwise->without_terminator().empty())) {
    line("} else {");
    ++depth;
    if (failed(printBlock(*otherwise)))
      return failure();
    assign(op.getResults(), op.elseYield(), 0);
    --depth;
  }
  line("}");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult KernelPrinter::printStore(memref::StoreOp op) {
  std::string place = element(op, 1, 2);
  line(place + " = " + argument(op, 0) + ";");
  return success();
}

LogicalResult KernelPrinter::printView(memref::ViewOp op) {
  std::string type = typeName(op.getType().getElementType());
  if (type.empty())
    return refuse(op);
  std::string pointer = isWritten(op) ? type + " *" : "const " + type + " *", base = names.lookup(op.getSource());
  std::string offset = operand(op, 1, true, false).at(Add + 1);
  line(pointer + name(op, "view") + " = (" + pointer + ")" +
       (offset == "0" ? base : "(" + base + " + " + offset + ")") + ";");
  return success();
}

/// Private and workgroup memory.
LogicalResult KernelPrinter::printMemory(Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  std::string element = typeName(type.getElementType());
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
bool KernelPrinter::isWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemRef() == buffer;
    if (isa<memref::ViewOp>(user))
      return isWritten(user->getResult(0));
    return !isa<memref::LoadOp>(user);
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

LogicalResult KernelPrinter::printBarrier(Operation *) {
  line("__syncthreads();");
  return success();
}

LogicalResult KernelPrinter::printShuffle(gpu::ShuffleOp op) {
  if (!op.getValid().use_empty())
    return refuse(op);
  Type type = op.getShuffleResult().getType();
  std::string call = ("shuffle_" + stringifyShuffleMode(op.getMode()) + "(").str(), value = argument(op, 0);
  bool isSmall = type.isInteger(8) || type.isInteger(16) || type.isInteger(1);
  if (isSmall)
    value = "(u32)" + operand(op, 0, false, false).at(Unary);
  else if (isa<IndexType>(type))
    value = operand(op, 0, true, true).text;
  std::string text = call + value + ", (i32)" + operand(op, 1, true, false).at(Unary) + ", (i32)" +
                     operand(op, 2, true, false).at(Unary) + ")";
  return declare(op.getShuffleResult(), baseOf(type), isSmall ? "(" + typeName(type) + ")" + text : text);
}

namespace {

struct ReduceRow {
  gpu::AllReduceOperation kind;
  StringLiteral text; ///< of a and b; `%` is the type with the sign the operation needs
  char sign;
};

} // namespace

LogicalResult KernelPrinter::printReduce(gpu::SubgroupReduceOp op) {
  static const ReduceRow rows[] = {{gpu::AllReduceOperation::ADD, "a + b", 0},
                                   {gpu::AllReduceOperation::MUL, "a * b", 0},
                                   {gpu::AllReduceOperation::MINUI, "min(a, b)", 'u'},
                                   {gpu::AllReduceOperation::MINSI, "min(a, b)", 'i'},
                                   {gpu::AllReduceOperation::MAXUI, "max(a, b)", 'u'},
                                   {gpu::AllReduceOperation::MAXSI, "max(a, b)", 'i'},
                                   {gpu::AllReduceOperation::MINNUMF, "fmin(a, b)", 0},
                                   {gpu::AllReduceOperation::MAXNUMF, "fmax(a, b)", 0},
                                   {gpu::AllReduceOperation::MINIMUMF, "minimum(a, b)", 0},
                                   {gpu::AllReduceOperation::MAXIMUMF, "maximum(a, b)", 0},
                                   {gpu::AllReduceOperation::AND, "a & b", 0},
                                   {gpu::AllReduceOperation::OR, "a | b", 0},
                                   {gpu::AllReduceOperation::XOR, "a ^ b", 0}};
  Type type = op.getType();
  std::optional<NumberKind> kind = numberKind(type);
  const ReduceRow *row = llvm::find_if(rows, [&](const ReduceRow &r) { return r.kind == op.getOp(); });
  uint32_t lanes = op.getClusterSize().value_or(32);
  if (!kind || row == std::end(rows) || op.getClusterStride() != 1 || lanes > 32 || !llvm::isPowerOf2_32(lanes))
    return refuse(op);
  // Lanes combine in a type that shuffles: integers of 32 bits and more, and the floats as they are.
  std::string wide = typeName(type);
  if (*kind == Bool || *kind == Int || *kind == Index) {
    unsigned width = *kind == Index ? 64 : std::max(32u, type.getIntOrFloatBitWidth());
    wide = (row->sign == 'i' || (*kind == Index && !row->sign) ? "i" : "u") + std::to_string(width);
  } else if (*kind == F16) {
    wide = "float";
  }
  std::string value = operand(op, 0, row->sign == 'i', true).at(Unary);
  if (row->sign == 'i' && *kind == Int)
    value = "(i" + std::to_string(type.getIntOrFloatBitWidth()) + ")" + value;
  if (wide != typeName(type))
    value = "(" + wide + ")" + value;
  std::string call = "warp_reduce<" + std::to_string(lanes) + ">(" + value + ", [](" + wide + " a, " + wide +
                     " b) { return " + row->text.str() + "; })";
  return declare(op.getResult(), baseOf(type), wide == typeName(type) ? call : "(" + typeName(type) + ")" + call);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Sums and products with two results.
LogicalResult KernelPrinter::printExtended(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!type.isSignlessInteger() || type.isInteger(1) || type.getIntOrFloatBitWidth() > 64)
    return refuse(op);
  std::string unsignedType = typeName(type), signedType = "i" + unsignedType.substr(1);
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

LogicalResult KernelPrinter::printOp(Operation *op) {
  if (inlined.contains(op))
    return success();
  if (isExpression(op)) {
    if (op->use_empty())
      return success();
    std::optional<Expression> text = expression(op, *this);
    return text ? declare(op->getResult(0), baseOf(op->getResult(0).getType()), text->text) : refuse(op);
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) { return printFor(op); })
      .Case([&](scf::WhileOp op) { return printWhile(op); })
      .Case([&](scf::IfOp op) { return printIf(op); })
      .Case([&](memref::LoadOp op) { return declare(op.getResult(), "v", element(op, 0, 1)); })
      .Case([&](memref::StoreOp op) { return printStore(op); })
      .Case([&](memref::ViewOp op) { return printView(op); })
      .Case<memref::AllocaOp, memref::AllocOp>([&](Operation *op) { return printMemory(op); })
      .Case([&](memref::DeallocOp) { return success(); })
      .Case([&](gpu::BarrierOp op) { return printBarrier(op); })
      .Case([&](gpu::ShuffleOp op) { return printShuffle(op); })
      .Case([&](gpu::SubgroupReduceOp op) { return printReduce(op); })
      .Case<arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(
          [&](Operation *op) { return printExtended(op); })
      .Default([&](Operation *op) { return refuse(op); });
}

/// The ops of `block` but for its terminator.
LogicalResult KernelPrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(printOp(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void KernelPrinter::printHeader() {
  out += "// " + kernel.getName().str();
  SmallVector<std::string> nodes = nodeNames(kernel.getLoc());
  std::string list;
  for (const std::string &node : nodes)
    list += (list.empty() ? ": " : ", ") + node;
  out += list + "\n";
}

LogicalResult KernelPrinter::printParameters() {
  unsigned threads = kDefaultWorkgroupSize;
  if (auto size = kernel->getAttrOfType<IntegerAttr>(kWorkgroupSize))
    threads = size.getInt();
  out += ("extern \"C\" __global__ void __launch_bounds__(" + Twine(threads) + ")\n" + kernel.getName() + "(").str();
  bool first = true;
  for (BlockArgument argument : kernel.getArguments()) {
    out += first ? "" : ", ";
    first = false;
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      if (!isa<IndexType>(argument.getType()))
        return kernel.emitError() << "argument " << argument.getArgNumber() << " is neither a buffer nor an index";
      out += "idx " + name(argument, "s");
      continue;
    }
    std::string element = typeName(type.getElementType());
    if (element.empty() || type.getElementType().isInteger(1) || type.getRank() > 1 || !type.getLayout().isIdentity())
      return kernel.emitError() << "argument " << argument.getArgNumber() << " is no flat buffer of numbers: " << type;
    out += (isWritten(argument) ? "" : "const ") + element + " *__restrict__ " + name(argument, "b");
  }
  out += ") {\n";
  return success();
}

FailureOr<std::string> KernelPrinter::print() {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError() << "is not structured";
  printHeader();
  if (failed(printParameters()))
    return failure();
  ++depth;
  if (failed(printBlock(kernel.getBody().front())) || failed(status))
    return failure();
  out += "}\n";
  return std::move(out);
}

FailureOr<std::string> cuda::printKernel(func::FuncOp kernel) { return KernelPrinter(kernel).print(); }
