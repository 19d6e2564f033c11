//===- LoopPatterns.cpp - Loops to SPIR-V ---------------------------------===//
//
// Upstream's conversion leaves the results of a loop without iterations undefined and puts bodies into
// the continue construct, which devices expect to be small. Here a header stores what leaves the loop,
// and the continue block does nothing but go on.
//
//===----------------------------------------------------------------------===//

#include "backends/Vulkan/Lowering/DevicePatterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using vulkan::LoopResults;

namespace {

/// A variable for every result of a loop.
SmallVector<Value> createResults(Location loc, TypeRange types, ConversionPatternRewriter &rewriter) {
  SmallVector<Value> variables;
  for (Type type : types) {
    auto pointer = spirv::PointerType::get(type, spirv::StorageClass::Function);
    variables.push_back(
        spirv::VariableOp::create(rewriter, loc, pointer, spirv::StorageClass::Function, /*initializer=*/nullptr));
  }
  return variables;
}

/// Replaces a loop by what its variables hold behind `loop`.
void replaceByResults(Operation *op, spirv::LoopOp loop, ArrayRef<Value> variables,
                      ConversionPatternRewriter &rewriter) {
  rewriter.setInsertionPointAfter(loop);
  SmallVector<Value> values;
  for (Value variable : variables)
    values.push_back(spirv::LoadOp::create(rewriter, op->getLoc(), variable));
  rewriter.replaceOp(op, values);
}

void storeResults(Location loc, ArrayRef<Value> variables, ValueRange values, ConversionPatternRewriter &rewriter) {
  for (auto [variable, value] : llvm::zip_equal(variables, values))
    spirv::StoreOp::create(rewriter, loc, variable, value);
}

/// The blocks of a loop whose body is not moved into it yet.
struct LoopFrame {
  LoopFrame(Location loc, ValueRange initial, TypeRange carried, ConversionPatternRewriter &rewriter)
      : loop(spirv::LoopOp::create(rewriter, loc, spirv::LoopControl::None)) {
    loop.addEntryAndMergeBlock(rewriter);
    Region &region = loop.getBody();
    auto block = [&](TypeRange types) {
      SmallVector<Location> locations(types.size(), loc);
      return rewriter.createBlock(&region, std::prev(region.end()), types, locations);
    };
    header = block(initial.getTypes());
    next = block(carried);
    rewriter.setInsertionPointToEnd(&region.front());
    spirv::BranchOp::create(rewriter, loc, header, initial);
  }

  spirv::LoopOp loop;
  Block *header, *next;
};

struct ForPattern : OpConversionPattern<scf::ForOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(scf::ForOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> variables = createResults(loc, adaptor.getInitArgs().getTypes(), rewriter);
    SmallVector<Value> initial = {adaptor.getLowerBound()};
    llvm::append_range(initial, adaptor.getInitArgs());
    LoopFrame frame(loc, initial, adaptor.getInitArgs().getTypes(), rewriter);

    TypeConverter::SignatureConversion signature(op.getBody()->getNumArguments());
    for (BlockArgument argument : frame.header->getArguments())
      signature.remapInput(argument.getArgNumber(), argument);
    Block *body = rewriter.applySignatureConversion(op.getBody(), signature);
    rewriter.inlineRegionBefore(op.getRegion(), frame.loop.getBody(), frame.next->getIterator());

    rewriter.setInsertionPointToEnd(frame.header);
    Value counter = frame.header->getArgument(0);
    storeResults(loc, variables, frame.header->getArguments().drop_front(), rewriter);
    Type i1 = rewriter.getI1Type();
    Value goesOn = op.getUnsignedCmp()
                       ? Value(spirv::ULessThanOp::create(rewriter, loc, i1, counter, adaptor.getUpperBound()))
                       : Value(spirv::SLessThanOp::create(rewriter, loc, i1, counter, adaptor.getUpperBound()));
    spirv::BranchConditionalOp::create(rewriter, loc, goesOn, body, ValueRange(), frame.loop.getMergeBlock(),
                                       ValueRange());
    rewriter.setInsertionPointToEnd(frame.next);
    SmallVector<Value> carried = {spirv::IAddOp::create(rewriter, loc, counter, adaptor.getStep())};
    llvm::append_range(carried, frame.next->getArguments());
    spirv::BranchOp::create(rewriter, loc, frame.header, carried);
    replaceByResults(op, frame.loop, variables, rewriter);
    return success();
  }
};

struct WhilePattern : OpConversionPattern<scf::WhileOp> {
  WhilePattern(const SPIRVTypeConverter &types, MLIRContext *context, PatternBenefit benefit, LoopResults &results)
      : OpConversionPattern(types, context, benefit), results(results) {}

  LogicalResult matchAndRewrite(scf::WhileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(typeConverter->convertTypes(op.getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "has results of unknown types");
    SmallVector<Value> variables = createResults(loc, types, rewriter);
    LoopFrame frame(loc, adaptor.getInits(), adaptor.getInits().getTypes(), rewriter);

    TypeConverter::SignatureConversion before(op.getBeforeBody()->getNumArguments());
    for (BlockArgument argument : frame.header->getArguments())
      before.remapInput(argument.getArgNumber(), argument);
    Block *condition = rewriter.applySignatureConversion(op.getBeforeBody(), before);
    FailureOr<Block *> body = rewriter.convertRegionTypes(&op.getAfter(), *typeConverter);
    if (failed(body))
      return rewriter.notifyMatchFailure(op, "has a body of unknown types");
    rewriter.inlineRegionBefore(op.getBefore(), frame.loop.getBody(), frame.next->getIterator());
    rewriter.inlineRegionBefore(op.getAfter(), frame.loop.getBody(), frame.next->getIterator());
    rewriter.mergeBlocks(condition, frame.header);

    rewriter.setInsertionPointToEnd(frame.next);
    spirv::BranchOp::create(rewriter, loc, frame.header, frame.next->getArguments());
    results.variables[frame.loop] = variables;
    replaceByResults(op, frame.loop, variables, rewriter);
    return success();
  }

  LoopResults &results;
};

/// Ends the header of a while loop.
struct ConditionPattern : OpConversionPattern<scf::ConditionOp> {
  ConditionPattern(const SPIRVTypeConverter &types, MLIRContext *context, PatternBenefit benefit, LoopResults &results)
      : OpConversionPattern(types, context, benefit), results(results) {}

  LogicalResult matchAndRewrite(scf::ConditionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto loop = dyn_cast<spirv::LoopOp>(op->getParentOp());
    if (!loop)
      return rewriter.notifyMatchFailure(op, "its loop is not converted");
    storeResults(op.getLoc(), results.variables.lookup(loop), adaptor.getArgs(), rewriter);
    Block *body = op->getBlock()->getNextNode();
    rewriter.replaceOpWithNewOp<spirv::BranchConditionalOp>(op, adaptor.getCondition(), body, adaptor.getArgs(),
                                                            loop.getMergeBlock(), ValueRange());
    return success();
  }

  LoopResults &results;
};

/// Ends the body of a loop.
struct YieldPattern : OpConversionPattern<scf::YieldOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(scf::YieldOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto loop = dyn_cast<spirv::LoopOp>(op->getParentOp());
    if (!loop)
      return rewriter.notifyMatchFailure(op, "ends no loop");
    rewriter.replaceOpWithNewOp<spirv::BranchOp>(op, loop.getContinueBlock(), adaptor.getOperands());
    return success();
  }
};

} // namespace

void vulkan::populateLoopPatterns(const SPIRVTypeConverter &types, LoopResults &results, RewritePatternSet &patterns) {
  PatternBenefit first = 10; // before upstream's
  patterns.add<ForPattern, YieldPattern>(types, patterns.getContext(), first);
  patterns.add<WhilePattern, ConditionPattern>(types, patterns.getContext(), first, results);
}
