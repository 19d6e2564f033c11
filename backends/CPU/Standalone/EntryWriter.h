//===- EntryWriter.h - A program as a function of C -------------*- C++ -*-===//
//
// Translates a planned program into straight code: launches are calls, sizes are arithmetic, and what the
// runtime checks is checked, with a code for every message. The same translation without the actions tells
// how much memory a run would take.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CPU_STANDALONE_ENTRYWRITER_H
#define BACKENDS_CPU_STANDALONE_ENTRYWRITER_H

#include "backends/CPU/Standalone/Interface.h"
#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace hone::cpu {

/// The codes that functions return. The caller acts on the first three, all others it shows.
class MessageTable {
public:
  static constexpr int32_t kDone = 0, kArenaTooSmall = 1, kOutputTooSmall = 2;
  MessageTable();
  /// The code of `text`.
  int32_t add(const llvm::Twine &text);
  llvm::ArrayRef<std::string> texts() const { return list; }

private:
  std::vector<std::string> list;
  llvm::StringMap<int32_t> codes;
};

class EntryWriter {
public:
  /// Run: void work. Sizes: nothing but sizes and shapes.
  enum class Mode { Run, Sizes };

  EntryWriter(const StandaloneRequest &request, const StandaloneInterface &interface, MessageTable &messages,
              mlir::ModuleOp module, Mode mode);

  /// Appends the function to the module.
  mlir::LogicalResult write();

private:
  using Value = mlir::Value;
  using Row = mlir::LogicalResult (EntryWriter::*)(mlir::Operation *);
  static const llvm::StringMap<Row> &table();
  template <typename OpTy> mlir::LogicalResult as(mlir::Operation *op) { return translate(mlir::cast<OpTy>(op)); }

  // EntryWriter.cpp: the frame of the function
  void checkArguments();
  void checkDims();
  void checkInput(unsigned index);
  void makeLaunchOperands();
  void presetExtents();
  void finishOutputs();
  void ret(int32_t code);

  // EntryValues.cpp: integers and control flow
  mlir::LogicalResult translateBlock(mlir::Block &block);
  mlir::LogicalResult skip(mlir::Operation *) { return mlir::success(); }
  mlir::LogicalResult copyArithmetic(mlir::Operation *op);
  mlir::LogicalResult withOverflow(mlir::Operation *op);
  mlir::LogicalResult division(mlir::Operation *op);
  mlir::LogicalResult cast(mlir::Operation *op);
  mlir::LogicalResult translate(plan::IfOp op);
  mlir::LogicalResult translate(plan::LoopOp op);
  mlir::LogicalResult translate(plan::CheckOp op);
  mlir::LogicalResult translate(plan::InputDimOp op);

  // EntryActions.cpp: buffers and work
  mlir::LogicalResult translate(plan::InputOp op);
  mlir::LogicalResult translate(plan::OutputBufferOp op);
  mlir::LogicalResult translate(plan::OutputDimOp op);
  mlir::LogicalResult translate(plan::ConstantOp op);
  mlir::LogicalResult translate(plan::AllocOp op);
  mlir::LogicalResult translate(plan::ReserveOp op);
  mlir::LogicalResult translate(plan::ReleaseOp op);
  mlir::LogicalResult translate(plan::GrowOp op);
  mlir::LogicalResult translate(plan::ViewOp op);
  mlir::LogicalResult translate(plan::LaunchOp op);
  mlir::LogicalResult translate(plan::CopyOp op);
  mlir::LogicalResult translate(plan::FillOp op);
  mlir::LogicalResult translate(plan::LoadOp op);
  mlir::LogicalResult translate(plan::StoreOp op);
  void enlargeArena(mlir::Value newTop);
  mlir::LLVM::LLVMFuncOp declareKernel(llvm::StringRef name);
  mlir::Value livesOf(plan::ReserveOp op);

  // Code
  Value integer(int64_t value);
  Value truth(bool value);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value offset(Value base, Value bytes);
  Value slot(Value base, unsigned index);
  Value load(Value address, mlir::Type type);
  void store(Value value, Value address);
  /// Memory of the function's frame, for `count` elements.
  Value local(mlir::Type element, int64_t count);
  mlir::Block *addBlock(mlir::TypeRange arguments = {});
  void branch(mlir::Block *block, mlir::ValueRange operands = {});
  void branchIf(Value condition, mlir::Block *then, mlir::Block *otherwise);
  void failIf(Value condition, int32_t code);
  /// Notes that a size is impossible when `condition` holds; `settle` ends the run if one was.
  void suspect(Value condition);
  void settle();
  Value get(Value value);
  void set(Value planValue, Value value) { values[planValue] = value; }
  mlir::Type typeOf(Value planValue) const;

  const StandaloneRequest &request;
  const StandaloneInterface &interface;
  MessageTable &messages;
  mlir::ModuleOp module;
  const Mode mode;
  plan::ProgramOp program;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type pointer, i64, i32, i1;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Block *entry = nullptr;
  Value in, out, arena, limit;    ///< arguments; in Sizes, `limit` is where the arena's size goes
  Value top, peak;                ///< locals: the end of the open frames, and the largest it was
  llvm::SmallVector<Value> marks; ///< `top` before each open frame of the block
  Value suspected;
  Value launchBuffers, launchScalars;
  llvm::DenseMap<mlir::Operation *, unsigned> frameNumbers;
  llvm::DenseMap<Value, Value> values;
};

/// Appends `prefix`_message.
void writeMessageFunction(mlir::ModuleOp module, const StandaloneInterface &interface, const MessageTable &messages);

/// Name of the function that lays the buffers of a frame out, which takes pointers to sizes, lifetimes and
/// offsets and their number, and returns the bytes they need.
inline constexpr llvm::StringLiteral kPackFunction = "hone.pack";
/// Appends that function.
mlir::LogicalResult writePackFunction(mlir::ModuleOp module);

} // namespace hone::cpu

#endif // BACKENDS_CPU_STANDALONE_ENTRYWRITER_H
