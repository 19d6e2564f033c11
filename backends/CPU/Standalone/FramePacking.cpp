//===- FramePacking.cpp - Offsets for buffers whose sizes are known late --===//
//
// What the runtime does for a frame, as code of the object: greedy by size, each buffer at the lowest offset
// where no buffer alive at the same time lies. Written as the IR it is, since it is a loop over few numbers.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Standalone/EntryWriter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// `lives` holds pairs of first and last step; an offset below zero is none yet.
static constexpr StringLiteral kPackSource = R"(
llvm.func @hone.pack(%sizes: !llvm.ptr, %lives: !llvm.ptr, %offsets: !llvm.ptr, %count: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant -1 : i64
  scf.for %i = %zero to %count step %one : i64 {
    %p = llvm.getelementptr %offsets[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %none, %p : i64, !llvm.ptr
  }
  %total = scf.for %n = %zero to %count step %one iter_args(%sofar = %zero) -> i64 : i64 {
    // The largest buffer without a place; the first of equal ones.
    %best:2 = scf.for %i = %zero to %count step %one iter_args(%at = %zero, %most = %none) -> (i64, i64) : i64 {
      %ps = llvm.getelementptr %sizes[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %po = llvm.getelementptr %offsets[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %size = llvm.load %ps : !llvm.ptr -> i64
      %offset = llvm.load %po : !llvm.ptr -> i64
      %open = arith.cmpi slt, %offset, %zero : i64
      %more = arith.cmpi sgt, %size, %most : i64
      %takes = arith.andi %open, %more : i1
      %newAt = arith.select %takes, %i, %at : i64
      %newMost = arith.select %takes, %size, %most : i64
      scf.yield %newAt, %newMost : i64, i64
    }
    %two = arith.constant 2 : i64
    %pair = arith.muli %best#0, %two : i64
    %next = arith.addi %pair, %one : i64
    %pf = llvm.getelementptr %lives[%pair] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %pl = llvm.getelementptr %lives[%next] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %first = llvm.load %pf : !llvm.ptr -> i64
    %last = llvm.load %pl : !llvm.ptr -> i64
    // Behind every buffer in the way, until none is.
    %place = scf.while (%try = %zero) : (i64) -> i64 {
      %end = arith.addi %try, %best#1 : i64
      %moved = scf.for %j = %zero to %count step %one iter_args(%now = %try) -> i64 : i64 {
        %ps = llvm.getelementptr %sizes[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        %po = llvm.getelementptr %offsets[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        %size = llvm.load %ps : !llvm.ptr -> i64
        %offset = llvm.load %po : !llvm.ptr -> i64
        %otherPair = arith.muli %j, %two : i64
        %otherNext = arith.addi %otherPair, %one : i64
        %pof = llvm.getelementptr %lives[%otherPair] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        %pol = llvm.getelementptr %lives[%otherNext] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        %otherFirst = llvm.load %pof : !llvm.ptr -> i64
        %otherLast = llvm.load %pol : !llvm.ptr -> i64
        %otherEnd = arith.addi %offset, %size : i64
        %placed = arith.cmpi sge, %offset, %zero : i64
        %before = arith.cmpi sle, %first, %otherLast : i64
        %after = arith.cmpi sle, %otherFirst, %last : i64
        %below = arith.cmpi slt, %try, %otherEnd : i64
        %above = arith.cmpi slt, %offset, %end : i64
        %alive = arith.andi %before, %after : i1
        %overlaps = arith.andi %below, %above : i1
        %both = arith.andi %alive, %overlaps : i1
        %inTheWay = arith.andi %both, %placed : i1
        %behind = arith.maxsi %now, %otherEnd : i64
        %result = arith.select %inTheWay, %behind, %now : i64
        scf.yield %result : i64
      }
      %again = arith.cmpi ne, %moved, %try : i64
      scf.condition(%again) %moved : i64
    } do {
    ^bb0(%moved: i64):
      scf.yield %moved : i64
    }
    %pb = llvm.getelementptr %offsets[%best#0] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %place, %pb : i64, !llvm.ptr
    %bestEnd = arith.addi %place, %best#1 : i64
    %larger = arith.maxsi %sofar, %bestEnd : i64
    scf.yield %larger : i64
  }
  llvm.return %total : i64
}
)";

LogicalResult hone::cpu::writePackFunction(ModuleOp module) {
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(kPackSource, module.getContext());
  if (!parsed)
    return failure();
  for (Operation &op : llvm::make_early_inc_range(parsed->getBody()->getOperations()))
    op.moveBefore(module.getBody(), module.getBody()->end());
  return success();
}
