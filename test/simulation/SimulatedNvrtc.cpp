//===- SimulatedNvrtc.cpp - CUDA C++ to code of this processor ------------===//
//
// Exports what the compiler uses of libnvrtc. A program is rewritten a little and given to the C++
// compiler that built this: __global__ functions get an entry in the form of the CPU driver's kernels,
// inline PTX becomes calls of functions named after the instruction (SimulatedDevice.h). The "cubin" is
// a shared object.
//
// HONE_SIMULATION_FAULT=HOW:KERNEL makes it fail with every program that has this kernel: see `Fault`.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Program {
  std::string source, log;
  std::vector<char> cubin;
};

enum Status { Success = 0, OutOfMemory = 1, CompilationFailed = 6, InternalError = 11 };

std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// What a test plants.
struct Fault {
  /// create: there is no program; error: a message about a line of the kernel; ptxas: one that names it; internal: no
  /// message at all; empty: success, and no machine code.
  std::string how, kernel;
  size_t line = 0; ///< of the kernel

  explicit Fault(const std::string &source) {
    const char *planted = getenv("HONE_SIMULATION_FAULT"), *colon = planted ? strchr(planted, ':') : nullptr;
    std::smatch found;
    if (!colon || !std::regex_search(source, found, std::regex("\\s" + std::string(colon + 1) + "\\(")))
      return;
    how.assign(planted, colon);
    kernel = colon + 1;
    line = static_cast<size_t>(std::count(source.begin(), found[0].second, '\n')) + 1;
  }

  /// The status of compiling, and its log.
  Status compile(std::string &log) const {
    if (how == "error")
      log = "kernels.cu(" + std::to_string(line) + "): error: planted\n\n1 error detected in the compilation.\n";
    if (how == "ptxas")
      log = "ptxas error   : Entry function '" + kernel + "' uses too much shared data (planted)\n";
    return how == "empty" ? Success : how == "internal" ? InternalError : CompilationFailed;
  }
};

/// Whether threads meet, so that each needs a stack of its own.
bool threadsMeet(const std::string &source) {
  for (const char *sign : {"__syncthreads", "__shfl", "__syncwarp", ".sync.aligned", "bar.sync", "__ballot_sync"})
    if (source.find(sign) != std::string::npos)
      return true;
  return false;
}

/// "asm volatile("mma.sync... %0" : "+f"(x) : "r"(y));" -> "ptx_mma_sync...(x, y);"
std::string replaceAssembly(const std::string &source) {
  static const std::regex statement(R"(asm(?: volatile)?\(\s*((?:"[^"]*"\s*)+)((?::(?:[^;]*))?)\);)");
  static const std::regex constraint(R"re("[^"]*"\s*\()re");
  std::string out;
  auto begin = source.cbegin();
  for (std::sregex_iterator it(source.begin(), source.end(), statement), end; it != end; ++it) {
    out.append(begin, source.cbegin() + it->position());
    begin = source.cbegin() + it->position() + it->length();
    std::string text = (*it)[1], operands = (*it)[2], name;
    size_t at = text.find_first_not_of("\" {\n");
    for (; at < text.size() && (isalnum(text[at]) || strchr("._:", text[at])); ++at)
      name += isalnum(text[at]) ? text[at] : '_';
    std::string arguments;
    for (std::sregex_iterator part(operands.begin(), operands.end(), constraint), last; part != last; ++part) {
      // The operand reaches to the matching parenthesis.
      size_t start = part->position() + part->length(), stop = start;
      for (int open = 1; stop < operands.size(); ++stop) {
        open += operands[stop] == '(' ? 1 : operands[stop] == ')' ? -1 : 0;
        if (open == 0)
          break;
      }
      arguments += (arguments.empty() ? "" : ", ") + operands.substr(start, stop - start);
    }
    out += "ptx_" + name + "(" + arguments + ");";
  }
  out.append(begin, source.cend());
  return out;
}

/// The program as C++ of this processor.
std::string rewrite(const std::string &source) {
  std::string text = replaceAssembly(source), entries;
  const char *meet = threadsMeet(source) ? "true" : "false";
  static const std::regex dynamic(R"(extern __shared__ __align__\((\d+)\) (\w+) (\w+)\[\];)");
  text = std::regex_replace(text, dynamic, "static __attribute__((aligned(1024))) $2 $3[(227 << 10) / sizeof($2)];");
  static const std::regex kernel(
      R"re(extern "C" __global__ void __launch_bounds__\((\d+)(?:, \d+)?\)\s+(\w+)\(([^)]*)\) \{)re");
  for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it) {
    std::string name = (*it)[2], parameters = (*it)[3], arguments;
    size_t buffers = 0, scalars = 0;
    for (size_t at = 0; at < parameters.size();) {
      size_t comma = std::min(parameters.find(',', at), parameters.size());
      std::string one = parameters.substr(at, comma - at);
      at = comma + 2;
      size_t star = one.find('*');
      arguments += arguments.empty() ? "" : ", ";
      if (star == std::string::npos)
        arguments += "scalars[" + std::to_string(scalars++) + "]";
      else
        arguments += "(" + one.substr(0, star) + "*)buffers[" + std::to_string(buffers++) + "]";
    }
    entries += "extern \"C\" const int " + name + "_threads = " + (*it)[1].str() + ";\n";
    entries += "extern \"C\" void " + name +
               "(unsigned char *const *buffers, const long long *scalars, long long begin, long long end) {\n"
               "  auto work = [&] { body_" +
               name + "(" + arguments + "); };\n  simulation::runGrid(" + (*it)[1].str() + ", begin, end, " + meet +
               ", simulation::callWork<decltype(work)>, &work);\n}\n";
  }
  return std::regex_replace(text, kernel, "static void body_$2($3) {") + entries;
}

/// Runs the C++ compiler on `text`; its messages are the log.
bool compileForHost(const std::string &text, Program &program) {
  char folder[] = "/tmp/hone-simulation-XXXXXX";
  if (!mkdtemp(folder))
    return false;
  std::string base = folder, input = base + "/kernels.cu.cpp", output = base + "/kernels.so", log = base + "/log";
  std::ofstream(input) << text;
  std::string command = HONE_SIMULATION_COMPILER " " + input + " -o " + output + " >" + log + " 2>&1";
  bool succeeded = system(command.c_str()) == 0;
  if (const char *kept = getenv("HONE_SIMULATION_KEEP"); kept && !succeeded)
    std::ofstream(kept) << text;
  program.log = readAll(log);
  std::string code = readAll(output);
  program.cubin.assign(code.begin(), code.end());
  for (const std::string &file : {input, output, log})
    unlink(file.c_str());
  rmdir(folder);
  return succeeded;
}

const char kPtx[] = "// simulated\n";

} // namespace

EXPORT int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 99, Success; }
EXPORT int nvrtcGetNumSupportedArchs(int *count) { return *count = 2, Success; }
EXPORT int nvrtcGetSupportedArchs(int *architectures) { return architectures[0] = 80, architectures[1] = 90, Success; }
EXPORT int nvrtcCreateProgram(Program **program, const char *source, const char *, int, const char *const *,
                              const char *const *) {
  if (Fault(source).how == "create")
    return OutOfMemory;
  *program = new Program{source, "", {}};
  return Success;
}
EXPORT int nvrtcDestroyProgram(Program **program) {
  delete *program;
  return Success;
}
EXPORT int nvrtcCompileProgram(Program *program, int, const char *const *) {
  if (Fault fault(program->source); !fault.how.empty())
    return fault.compile(program->log);
  return compileForHost(rewrite(program->source), *program) ? Success : CompilationFailed;
}
EXPORT int nvrtcGetCUBINSize(Program *program, size_t *size) { return *size = program->cubin.size(), Success; }
EXPORT int nvrtcGetCUBIN(Program *program, char *bytes) {
  std::copy(program->cubin.begin(), program->cubin.end(), bytes);
  return Success;
}
EXPORT int nvrtcGetPTXSize(Program *, size_t *size) { return *size = sizeof(kPtx), Success; }
EXPORT int nvrtcGetPTX(Program *, char *bytes) { return std::copy(kPtx, kPtx + sizeof(kPtx), bytes), Success; }
EXPORT int nvrtcGetProgramLogSize(Program *program, size_t *size) { return *size = program->log.size() + 1, Success; }
EXPORT int nvrtcGetProgramLog(Program *program, char *bytes) {
  return memcpy(bytes, program->log.c_str(), program->log.size() + 1), Success;
}
EXPORT const char *nvrtcGetErrorString(int status) {
  switch (status) {
  case Success:
    return "NVRTC_SUCCESS";
  case OutOfMemory:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case CompilationFailed:
    return "NVRTC_ERROR_COMPILATION";
  case InternalError:
    return "NVRTC_ERROR_INTERNAL_ERROR";
  default:
    return "NVRTC_ERROR unknown";
  }
}
