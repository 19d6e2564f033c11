//===- Request.cpp - What verbs that run a model share --------------------===//

#include "tools/hone/Request.h"

using namespace hone;
using namespace hone::driver;

void hone::driver::addRunOptions(OptionParser &parser, tools::Request &request) {
  parser.add("--dim", "NAME=N", "size of a dynamic dimension of random inputs", [&](llvm::StringRef text) {
    auto [name, value] = text.rsplit('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return std::string("expected NAME=N");
    if (llvm::is_contained(llvm::make_first_range(request.dims), name))
      return "'" + name.str() + "' is given twice";
    request.dims.emplace_back(name.str(), size);
    return std::string();
  });
  parser.add("--seed", "N", "of random inputs", unsignedOption(request.seed));
  parser.add("--device", "D", "cpu, cuda:0, vulkan:0; by default the first target's that this machine has",
             request.device);
}

/// What to compile for: the targets of a request, or else those of its device.
static void chooseTarget(const tools::Request &request, CompileOptions &options) {
  if (!request.target.empty())
    options.target = request.target;
  else if (!request.device.empty())
    options.target = llvm::StringRef(request.device).split(':').first.str();
}

std::optional<int> hone::driver::compileRequest(tools::Request &request, CompileOptions &options,
                                                llvm::SmallVectorImpl<char> &bytes, Console &console) {
  chooseTarget(request, options);
  CompileReport report;
  console.watch(options);
  mlir::LogicalResult compiled = compileModel(request.modelPath, options, bytes, console.sink(), &report);
  console.clear();
  if (failed(compiled))
    return failureCode(report);
  request.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
  request.size = bytes.size();
  request.target.clear();
  return std::nullopt;
}
