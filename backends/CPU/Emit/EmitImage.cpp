//===- EmitImage.cpp - Kernels to machine code ----------------------------===//

#include "backends/CPU/Emit/EmitImage.h"

#include "backends/CPU/Lowering/Pipeline.h"
#include "lib/Target/KernelAction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace hone;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>> createMachine(const TargetInfo &info, Location loc) {
  initializeTargets();
  llvm::Triple triple(info.triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << error;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, info.cpu, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return emitError(loc) << "LLVM has no machine for " << info.triple;
  return machine;
}

/// Kernels are exported; all else is internal, and code is for exactly this machine.
static void prepare(llvm::Module &module, llvm::TargetMachine &machine, const TargetInfo &info) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", info.cpu);
    function.addFnAttr("prefer-vector-width", std::to_string(info.vectorBytes * 8));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // Copy loops stay loops: a call of memcpy for a few vectors costs more than it saves.
    function.addFnAttr("no-builtins");
    if (function.hasPrivateLinkage() || function.hasInternalLinkage()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    } else {
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    }
  }
}

/// What the runtime calls, not its body.
static bool isKernel(const llvm::Function &function) {
  return !function.isDeclaration() && !function.hasLocalLinkage();
}

namespace {
/// Stands behind the passes that take long, and tells how many kernels are through.
struct TellProgress : llvm::PassInfoMixin<TellProgress> {
  TellProgress(MLIRContext *context, size_t &done, size_t total) : context(context), done(done), total(total) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    if (isKernel(function))
      tellKernels(context, ++done, total);
    return llvm::PreservedAnalyses::all();
  }

  MLIRContext *context;
  size_t &done, total;
};
} // namespace

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, MLIRContext *watched) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopUnrolling = true;
  llvm::PassBuilder builder(&machine, tuning);
  size_t done = 0, total = llvm::count_if(module, isKernel);
  builder.registerVectorizerEndEPCallback([&](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(TellProgress(watched, done, total));
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

static std::vector<char> toVector(StringRef text) { return std::vector<char>(text.begin(), text.end()); }

FailureOr<EmittedCode> cpu::emitImage(ModuleOp kernels, const TargetInfo &info, TargetBackend::Output output) {
  PassManager passes(kernels.getContext(), ModuleOp::getOperationName());
  buildLLVMPipeline(passes);
  if (failed(passes.run(kernels)))
    return failure();
  return compileLLVM(kernels, info, output);
}

FailureOr<EmittedCode> cpu::compileLLVM(ModuleOp code, const TargetInfo &info, TargetBackend::Output output) {
  Location loc = code.getLoc();
  auto machine = createMachine(info, loc);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(code, context, "kernels");
  if (!module)
    return emitError(loc) << "the kernels cannot be translated to LLVM IR";
  prepare(*module, **machine, info);
  optimize(*module, **machine, code.getContext());

  if (output == TargetBackend::Output::LowLevelIR) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, nullptr);
    return EmittedCode{toVector(text), "llvm", {}};
  }
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager codegen;
  bool assembly = output == TargetBackend::Output::Assembly;
  auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(codegen, os, nullptr, kind))
    return emitError(loc) << "LLVM cannot write this kind of file for " << info.triple;
  codegen.run(*module);
  if (output != TargetBackend::Output::Image)
    return EmittedCode{toVector(object.str()), assembly ? "asm" : "object", {}};
  FailureOr<std::vector<char>> image = linkImage(object, (*machine)->getTargetTriple(), loc);
  if (failed(image))
    return failure();
  return EmittedCode{std::move(*image), "elf", info.features};
}
