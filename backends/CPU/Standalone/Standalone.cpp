//===- Standalone.cpp - A program as an object file -----------------------===//
//
// Three objects become one: the kernels, the functions that call them, and the constants, which go from the
// model into the file without a way through the compiler's memory.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Standalone/Standalone.h"

#include "backends/CPU/Emit/EmitImage.h"
#include "backends/CPU/Emit/Linker.h"
#include "backends/CPU/Standalone/ConstantObject.h"
#include "backends/CPU/Standalone/EntryWriter.h"
#include "lib/Support/UserError.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

/// What code of the small model reaches, with room for the code.
static constexpr uint64_t kMostConstants = (uint64_t(2) << 30) - (uint64_t(64) << 20);

/// The functions that C calls, in LLVM's dialect.
static FailureOr<OwningOpRef<ModuleOp>> writeEntries(const StandaloneRequest &request,
                                                     const StandaloneInterface &interface) {
  MLIRContext *context = request.program->getContext();
  Location loc = request.program->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto constants = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), std::max<uint64_t>(request.constantBytes, 1)),
      /*isConstant=*/true, LLVM::Linkage::External, interface.function("constants"), Attribute(), /*alignment=*/64);
  constants.setVisibility_(LLVM::Visibility::Hidden);
  constants.setDsoLocal(true);

  MessageTable messages;
  if (failed(EntryWriter(request, interface, messages, *module, EntryWriter::Mode::Run).write()))
    return failure();
  if (interface.hasSizesFunction() &&
      failed(EntryWriter(request, interface, messages, *module, EntryWriter::Mode::Sizes).write()))
    return failure();
  writeMessageFunction(*module, interface, messages);
  if (interface.hasFrames && failed(writePackFunction(*module)))
    return failure();

  PassManager passes(context, ModuleOp::getOperationName());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  if (failed(passes.run(*module)))
    return failure();
  return module;
}

/// Makes every symbol local but for the functions that C calls.
static LogicalResult hideSymbols(ArrayRef<char> object, const StandaloneInterface &interface, raw_ostream &os,
                                 Location loc) {
  llvm::objcopy::ConfigManager config;
  // The matchers refer to the names.
  const std::string names[] = {interface.function("run"), interface.function("sizes"), interface.function("message")};
  for (const std::string &name : names) {
    auto keep = llvm::objcopy::NameOrPattern::create(name, llvm::objcopy::MatchStyle::Literal,
                                                     [](llvm::Error error) { return error; });
    if (!keep)
      return emitError(loc) << llvm::toString(keep.takeError());
    if (llvm::Error error = config.Common.SymbolsToKeepGlobal.addMatcher(std::move(keep)))
      return emitError(loc) << llvm::toString(std::move(error));
  }
  auto binary = llvm::object::createBinary(llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "kernels.o"));
  if (!binary)
    return emitError(loc) << llvm::toString(binary.takeError());
  if (llvm::Error error = llvm::objcopy::executeObjcopyOnBinary(config, **binary, os))
    return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

/// Links objects into one object.
static LogicalResult linkObjects(ArrayRef<TemporaryFile *> inputs, TemporaryFile &output, Location loc) {
  if (failed(output.create("o", loc)))
    return failure();
  SmallVector<const char *> arguments{"ld.lld", "-r", "--build-id=none", "-o", output.name()};
  for (TemporaryFile *input : inputs)
    arguments.push_back(input->name());
  return runLinker(arguments, loc);
}

FailureOr<StandaloneCode> hone::cpu::emitStandalone(const StandaloneRequest &request, const TargetInfo &info) {
  Location loc = request.program->getLoc();
  if (request.constantBytes > kMostConstants)
    return emitUserError(loc) << "the model has " << request.constantBytes
                              << " bytes of constants, but an object file can have " << kMostConstants
                              << ": compile it to a module for the runtime";
  StandaloneInterface interface(request.program, request.prefix);
  interface.model = request.model;
  auto entries = writeEntries(request, interface);
  if (failed(entries))
    return failure();
  auto entryCode = compileLLVM(**entries, info, TargetBackend::Output::Object);
  auto kernelCode = emitImage(request.kernels, info, TargetBackend::Output::Object);
  if (failed(entryCode) || failed(kernelCode))
    return failure();

  TemporaryFile kernels, functions, code, hidden, constants, whole;
  auto bytes = [](const EmittedCode &emitted) {
    return [&emitted](raw_ostream &os) { os.write(emitted.bytes.data(), emitted.bytes.size()); };
  };
  if (failed(functions.write("o", bytes(*entryCode), loc)) || failed(kernels.write("o", bytes(*kernelCode), loc)) ||
      failed(linkObjects({&functions, &kernels}, code, loc)))
    return failure();
  auto linked = code.read(loc);
  LogicalResult isHidden = failure();
  auto hide = [&](raw_ostream &os) { isHidden = hideSymbols(*linked, interface, os, loc); };
  if (failed(linked) || failed(hidden.write("o", hide, loc)) || failed(isHidden))
    return failure();

  auto writeConstants = [&](raw_ostream &os) {
    writeConstantObject(os, llvm::Triple(info.triple), interface.function("constants"), request.constantBytes,
                        request.writeConstants);
  };
  if (failed(constants.write("o", writeConstants, loc)) || failed(linkObjects({&hidden, &constants}, whole, loc)))
    return failure();
  auto object = whole.read(loc);
  if (failed(object))
    return failure();
  return StandaloneCode{std::move(*object), writeHeader(interface, info.name, llvm::join(info.features, ", "))};
}
