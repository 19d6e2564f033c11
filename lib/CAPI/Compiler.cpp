//===- Compiler.cpp - The C API of the compiler ---------------------------===//
//
// A compilation runs on a thread of its own: how deep a model may nest then does not depend on the
// caller's stack, which may be small.
//
//===----------------------------------------------------------------------===//

#include "hone/compiler.h"

#include "backends/Register.h"
#include "lib/Pipeline/CompileOptions.h"
#include "lib/Support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/thread.h"

using namespace hone;
using llvm::StringRef;

/// As large as the main thread's usually is: the limits of the importer are made for it.
static constexpr unsigned kStackBytes = 8u << 20;
/// What the runtime wants of a module's bytes.
static constexpr size_t kAlignment = 64;

struct hone_compile_options_s {
  CompileOptions options;
  hone_diagnostic_fn_t report = nullptr;
  void *self = nullptr;

  // Nothing is written but what is asked for.
  hone_compile_options_s() { options.reproducerFolder.clear(); }
};

struct hone_compiled_s {
  char *data = nullptr;
  size_t size = 0;
  std::vector<TargetReport> targets;

  hone_compiled_s(llvm::ArrayRef<char> bytes, std::vector<TargetReport> targets)
      : size(bytes.size()), targets(std::move(targets)) {
    data = static_cast<char *>(llvm::allocate_buffer(size, kAlignment));
    std::copy(bytes.begin(), bytes.end(), data);
  }
  hone_compiled_s(const hone_compiled_s &) = delete;
  ~hone_compiled_s() { llvm::deallocate_buffer(data, size, kAlignment); }
};

static hone_status_t fail(hone_status_code_t code, const llvm::Twine &message, StringRef nodes = "") {
  return hone_status_create(code, message.str().c_str(), nodes.str().c_str());
}

static hone_severity_t severityOf(const NodeDiagnostic &diagnostic) {
  switch (diagnostic.severity) {
  case mlir::DiagnosticSeverity::Remark:
    return HONE_SEVERITY_REMARK;
  case mlir::DiagnosticSeverity::Note:
    return HONE_SEVERITY_NOTE;
  case mlir::DiagnosticSeverity::Warning:
    return HONE_SEVERITY_WARNING;
  case mlir::DiagnosticSeverity::Error:
    return HONE_SEVERITY_ERROR;
  }
  return HONE_SEVERITY_ERROR;
}

namespace {

/// One compilation or check, from the caller's arguments to a status.
class Task {
public:
  explicit Task(const hone_compile_options_t *given) : given(given ? *given : hone_compile_options_t()) {}

  /// Runs `work` on a thread of its own.
  hone_status_t
  run(llvm::function_ref<mlir::LogicalResult(const CompileOptions &, DiagnosticSink, CompileReport *)> work) {
    mlir::LogicalResult result = mlir::failure();
    llvm::thread thread(std::optional<unsigned>(kStackBytes), [&] {
      result = work(given.options, [this](const NodeDiagnostic &diagnostic) { handOver(diagnostic); }, &report);
    });
    thread.join();
    if (succeeded(result))
      return nullptr;
    hone_status_code_t code = report.internalError ? HONE_COMPILER_FAILURE
                              : firstConcernsModel ? HONE_MODEL_REFUSED
                                                   : HONE_INVALID_ARGUMENT;
    return fail(code, firstError.empty() ? "the compilation failed without a reason" : firstError, firstNodes);
  }

  CompileReport report;

private:
  void handOver(const NodeDiagnostic &diagnostic) {
    if (diagnostic.severity == mlir::DiagnosticSeverity::Error && firstError.empty()) {
      firstError = diagnostic.message;
      firstNodes = llvm::join(diagnostic.nodes, ", ");
      firstConcernsModel = !diagnostic.file.empty();
    }
    if (!given.report)
      return;
    llvm::SmallVector<const char *> nodes;
    for (const std::string &node : diagnostic.nodes)
      nodes.push_back(node.c_str());
    hone_diagnostic_t handed = {
        severityOf(diagnostic), diagnostic.message.c_str(), diagnostic.file.c_str(), nodes.data(),
        nodes.size(),           diagnostic.text.c_str()};
    given.report(given.self, &handed);
  }

  hone_compile_options_t given;
  std::string firstError, firstNodes;
  bool firstConcernsModel = false;
};

} // namespace

static hone_status_t checkFile(const char *path) {
  if (!path)
    return fail(HONE_INVALID_ARGUMENT, "path is NULL");
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return fail(HONE_NOT_FOUND, "cannot read '" + escapeName(path) + "': " + error.message());
  return nullptr;
}

static hone_status_t checkMemory(const void *bytes, size_t size, const char *name) {
  if (!bytes && size)
    return fail(HONE_INVALID_ARGUMENT, "bytes is NULL");
  if (!name)
    return fail(HONE_INVALID_ARGUMENT, "name is NULL");
  return nullptr;
}

static frontend::ModelSource memorySource(const void *bytes, size_t size, const char *name, const char *folder) {
  return {llvm::ArrayRef<char>(static_cast<const char *>(bytes), size), name, folder ? folder : ""};
}

static hone_status_t compile(const frontend::ModelSource &source, const hone_compile_options_t *options,
                             hone_compiled_t **compiled) {
  if (!compiled)
    return fail(HONE_INVALID_ARGUMENT, "out_compiled is NULL");
  *compiled = nullptr;
  Task task(options);
  llvm::SmallVector<char, 0> bytes;
  hone_status_t status = task.run([&](const CompileOptions &chosen, DiagnosticSink sink, CompileReport *report) {
    return compileModel(source, chosen, bytes, std::move(sink), report);
  });
  if (!status)
    *compiled = new hone_compiled_s(bytes, std::move(task.report.targets));
  return status;
}

static hone_status_t check(const frontend::ModelSource &source, const hone_compile_options_t *options) {
  return Task(options).run([&](const CompileOptions &chosen, DiagnosticSink sink, CompileReport *report) {
    return checkModel(source, chosen, std::move(sink), report);
  });
}

/// The target strings of all backends, each backend's own name first. Made once, then only read.
static const std::vector<std::string> &targets() {
  static const std::vector<std::string> names = createBackends().targets();
  return names;
}

//===----------------------------------------------------------------------===//
// The ABI
//===----------------------------------------------------------------------===//

#define HONE_TEXT_OF(number) #number
#define HONE_TEXT(number) HONE_TEXT_OF(number)

const char *hone_compiler_version(void) {
  return HONE_TEXT(HONE_RUNTIME_VERSION_MAJOR) "." HONE_TEXT(HONE_RUNTIME_VERSION_MINOR);
}

size_t hone_compiler_target_count(void) { return targets().size(); }

const char *hone_compiler_target(size_t index) { return index < targets().size() ? targets()[index].c_str() : nullptr; }

hone_status_t hone_compile_options_create(hone_compile_options_t **options) {
  if (!options)
    return fail(HONE_INVALID_ARGUMENT, "out_options is NULL");
  *options = new hone_compile_options_s();
  return nullptr;
}

void hone_compile_options_destroy(hone_compile_options_t *options) { delete options; }

hone_status_t hone_compile_options_set(hone_compile_options_t *options, const char *name, const char *value) {
  if (!options || !name || !value)
    return fail(HONE_INVALID_ARGUMENT, "options, name or value is NULL");
  std::string problem = setOption(options->options, name, value);
  return problem.empty() ? nullptr : fail(HONE_INVALID_ARGUMENT, "option " + escapeName(name) + ": " + problem);
}

void hone_compile_options_set_diagnostics(hone_compile_options_t *options, hone_diagnostic_fn_t report, void *self) {
  if (!options)
    return;
  options->report = report;
  options->self = self;
}

hone_status_t hone_compile_file(const char *path, const hone_compile_options_t *options, hone_compiled_t **compiled) {
  if (hone_status_t status = checkFile(path))
    return status;
  return compile(path, options, compiled);
}

hone_status_t hone_compile_memory(const void *bytes, size_t size, const char *name, const char *folder,
                                  const hone_compile_options_t *options, hone_compiled_t **compiled) {
  if (hone_status_t status = checkMemory(bytes, size, name))
    return status;
  return compile(memorySource(bytes, size, name, folder), options, compiled);
}

void hone_compiled_destroy(hone_compiled_t *compiled) { delete compiled; }

const void *hone_compiled_data(const hone_compiled_t *compiled) { return compiled ? compiled->data : nullptr; }

size_t hone_compiled_size(const hone_compiled_t *compiled) { return compiled ? compiled->size : 0; }

hone_status_t hone_compiled_write(const hone_compiled_t *compiled, const char *path) {
  if (!compiled || !path)
    return fail(HONE_INVALID_ARGUMENT, "compiled or path is NULL");
  std::string error;
  auto write = [&](llvm::raw_ostream &os) {
    os.write(compiled->data, compiled->size);
    return mlir::success();
  };
  // A file of this name, not standard output.
  StringRef file = StringRef(path) == "-" ? StringRef("./-") : StringRef(path);
  return succeeded(writeFile(file, write, error)) ? nullptr : fail(HONE_INVALID_ARGUMENT, error);
}

size_t hone_compiled_target_count(const hone_compiled_t *compiled) { return compiled ? compiled->targets.size() : 0; }

hone_status_t hone_compiled_target(const hone_compiled_t *compiled, size_t index, hone_compiled_target_t *target) {
  if (!target || index >= hone_compiled_target_count(compiled))
    return fail(HONE_INVALID_ARGUMENT, "there is no such target, or out_target is NULL");
  const TargetReport &report = compiled->targets[index];
  *target = {report.target.c_str(), static_cast<uint64_t>(report.plan.staticBytes),
             static_cast<uint64_t>(report.plan.lowerBound), static_cast<uint64_t>(report.plan.totalBytes)};
  return nullptr;
}

hone_status_t hone_check_file(const char *path, const hone_compile_options_t *options) {
  if (hone_status_t status = checkFile(path))
    return status;
  return check(path, options);
}

hone_status_t hone_check_memory(const void *bytes, size_t size, const char *name, const char *folder,
                                const hone_compile_options_t *options) {
  if (hone_status_t status = checkMemory(bytes, size, name))
    return status;
  return check(memorySource(bytes, size, name, folder), options);
}
