//===- Explain.cpp - The report of hone explain ---------------------------===//

#include "tools/hone/Explain.h"

#include "lib/Support/NodeLocation.h"
#include "tools/hone-run/Run.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace hone;
using namespace hone::driver;
using llvm::formatv;
using llvm::StringRef;

namespace {

/// What all launches of a program take, as far as it is known.
struct Totals {
  int64_t launches = 0;
  int64_t operations = 0;
  bool complete = true; ///< every kernel's arithmetic is known
};

} // namespace

static Totals totalsOf(const TargetReport &target) {
  Totals totals;
  for (const KernelReport &kernel : target.kernels) {
    totals.launches += kernel.launches;
    std::optional<int64_t> all =
        kernel.operations ? llvm::checkedMulAdd(*kernel.operations, kernel.launches, totals.operations) : std::nullopt;
    totals.complete &= all.has_value();
    totals.operations = all.value_or(totals.operations);
  }
  return totals;
}

/// The sum over tensors; none where one is of run-time size.
static std::optional<int64_t> bytesOf(const std::vector<TensorReport> &tensors) {
  std::optional<int64_t> total = 0;
  for (const TensorReport &tensor : tensors)
    total = total && tensor.bytes ? llvm::checkedAdd(*total, *tensor.bytes) : std::nullopt;
  return total;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

/// "1.23 M": a count with one of the prefixes of thousands.
static std::string shortCount(int64_t count) {
  static constexpr const char *kPrefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  double value = static_cast<double>(count);
  int prefix = 0;
  for (; value >= 1000 && prefix < 6; ++prefix)
    value /= 1000;
  return prefix ? formatv("{0:F1}{1}", value, kPrefixes[prefix]).str() : std::to_string(count);
}

static std::string shortBytes(std::optional<int64_t> bytes) {
  return bytes ? tools::formatBytes(static_cast<uint64_t>(*bytes)) : "?";
}

static std::string plural(int64_t count, StringRef one, StringRef many) {
  return formatv("{0} {1}", count, count == 1 ? one : many).str();
}

/// Left- or right-aligned columns, as wide as they have to be.
class Table {
public:
  explicit Table(std::vector<std::pair<StringRef, bool>> columns) : columns(std::move(columns)) {
    std::vector<std::string> heads;
    for (auto &[head, right] : this->columns)
      heads.push_back(head.str());
    rows.push_back(std::move(heads));
  }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  void print(llvm::raw_ostream &os) const {
    for (const std::vector<std::string> &row : rows) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        size_t width = 0;
        for (const std::vector<std::string> &other : rows)
          width = std::max(width, other[i].size());
        std::string space(width - row[i].size(), ' ');
        line += "  " + (columns[i].second ? space + row[i] : row[i] + space);
      }
      os << StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::pair<StringRef, bool>> columns; ///< head, and whether aligned to the right
  std::vector<std::vector<std::string>> rows;
};

/// The layouts of the outputs, each once.
static std::string layoutsOf(const KernelReport &kernel) {
  std::vector<std::string> names;
  for (const TensorReport &tensor : kernel.outputs)
    if (std::string name = tensor.layout.empty() ? "row-major" : tensor.layout; !llvm::is_contained(names, name))
      names.push_back(name);
  return llvm::join(names, ", ");
}

static void printKernels(const TargetReport &target, llvm::raw_ostream &os) {
  Table table({{"#", true},
               {"kernel", false},
               {"launches", true},
               {"items", true},
               {"reads", true},
               {"writes", true},
               {"scratch", true},
               {"FLOP", true},
               {"layout", false},
               {"code", false},
               {"nodes", false}});
  for (auto [i, kernel] : llvm::enumerate(target.kernels))
    table.add({std::to_string(i), kernel.name, std::to_string(kernel.launches),
               kernel.items ? std::to_string(*kernel.items) : "?", shortBytes(bytesOf(kernel.inputs)),
               shortBytes(bytesOf(kernel.outputs)),
               kernel.scratchBytes == std::optional<int64_t>(0) ? "-" : shortBytes(kernel.scratchBytes),
               kernel.operations ? shortCount(*kernel.operations) : "?", layoutsOf(kernel), kernel.family,
               llvm::join(kernel.nodes, ", ")});
  table.print(os);
}

static void printMemory(const PlanFigures &plan, llvm::raw_ostream &os) {
  double gap = plan.lowerBound ? 100.0 * static_cast<double>(plan.staticBytes - plan.lowerBound) /
                                     static_cast<double>(plan.lowerBound)
                               : 0.0;
  os << "memory: peak " << shortBytes(plan.staticBytes) << ", lower bound " << shortBytes(plan.lowerBound)
     << formatv(", gap {0:F1} %, sum of all intermediates ", gap) << shortBytes(plan.totalBytes) << "; constants "
     << shortBytes(plan.constantBytes);
  if (plan.dynamicBuffers)
    os << "; " << plural(plan.dynamicBuffers, "buffer", "buffers") << " of run-time size not counted";
  if (plan.dynamicBuffers && plan.bound)
    os << ", at most " << shortBytes(*plan.bound) << " with them";
  os << "\n";
}

static std::string workOf(const Totals &totals) {
  if (!totals.complete && totals.operations == 0)
    return "FLOP known at run time only";
  std::string count = shortCount(totals.operations);
  return (totals.complete ? "" : "at least ") + count + (totals.operations < 1000 ? " FLOP" : "FLOP");
}

static void printRemarks(const TargetReport &target, StringRef outcome, StringRef title, llvm::raw_ostream &os) {
  Table table({{title, false}, {"nodes", false}, {"what", false}});
  bool any = false;
  for (const RemarkReport &remark : target.remarks) {
    if (remark.outcome != outcome)
      continue;
    any = true;
    table.add({remark.pass, llvm::join(remark.nodes, ", "), remark.text});
  }
  if (!any)
    return;
  os << "\n";
  table.print(os);
}

static void printNodesWithoutKernel(const TargetReport &target, llvm::raw_ostream &os) {
  llvm::MapVector<StringRef, std::vector<std::string>> byFate;
  for (const NodeFate &fate : target.withoutKernel)
    byFate[fate.fate].push_back(fate.node);
  if (byFate.empty())
    return;
  os << "\n";
  Table table({{"without kernel", false}, {"nodes", false}});
  for (const auto &[fate, nodes] : byFate)
    table.add({fate.str(), llvm::join(nodes, ", ")});
  table.print(os);
}

void hone::driver::printExplanation(StringRef file, const CompileReport &report, llvm::raw_ostream &os) {
  os << file << ": " << plural(static_cast<int64_t>(report.model.nodes.size()), "node", "nodes") << ", "
     << shortCount(report.model.parameters) << " parameters\n";
  for (const TargetReport &target : report.targets) {
    Totals totals = totalsOf(target);
    os << "\ntarget " << target.target << ": "
       << plural(static_cast<int64_t>(target.kernels.size()), "kernel", "kernels") << ", "
       << plural(totals.launches, "launch", "launches") << ", " << workOf(totals) << "\n";
    printMemory(target.plan, os);
    os << "\n";
    printKernels(target, os);
    printRemarks(target, "applied", "applied", os);
    printRemarks(target, "refused", "refused", os);
    printRemarks(target, "noted", "noted", os);
    printNodesWithoutKernel(target, os);
  }
}

//===----------------------------------------------------------------------===//
// For machines
//===----------------------------------------------------------------------===//

using Json = llvm::json::OStream;

static void attribute(Json &json, StringRef key, std::optional<int64_t> value) {
  json.attribute(key, value ? llvm::json::Value(*value) : llvm::json::Value(nullptr));
}

static void strings(Json &json, StringRef key, const std::vector<std::string> &values) {
  json.attributeArray(key, [&] {
    for (const std::string &value : values)
      json.value(value);
  });
}

static void tensors(Json &json, StringRef key, const std::vector<TensorReport> &values) {
  json.attributeArray(key, [&] {
    for (const TensorReport &tensor : values)
      json.object([&] {
        json.attribute("type", tensor.elementType);
        json.attributeArray("shape", [&] {
          for (std::optional<int64_t> extent : tensor.shape)
            json.value(extent ? llvm::json::Value(*extent) : llvm::json::Value(nullptr));
        });
        json.attribute("layout", tensor.layout.empty() ? "row-major" : tensor.layout);
        attribute(json, "bytes", tensor.bytes);
      });
  });
}

static void describe(Json &json, const KernelReport &kernel) {
  json.attribute("name", kernel.name);
  strings(json, "nodes", kernel.nodes);
  json.attribute("code", kernel.family);
  json.attribute("launches", kernel.launches);
  attribute(json, "items", kernel.items);
  attribute(json, "operations", kernel.operations);
  tensors(json, "inputs", kernel.inputs);
  tensors(json, "outputs", kernel.outputs);
  attribute(json, "scratch_bytes", kernel.scratchBytes);
}

static void describe(Json &json, const TargetReport &target) {
  Totals totals = totalsOf(target);
  json.attribute("target", target.target);
  json.attribute("launches", totals.launches);
  json.attribute("operations", totals.operations);
  json.attribute("operations_complete", totals.complete);
  json.attributeObject("memory", [&] {
    json.attribute("arena_bytes", target.plan.staticBytes);
    json.attribute("lower_bound_bytes", target.plan.lowerBound);
    json.attribute("intermediate_bytes", target.plan.totalBytes);
    json.attribute("constant_bytes", target.plan.constantBytes);
    json.attribute("run_time_buffers", target.plan.dynamicBuffers);
    attribute(json, "arena_bound_bytes", target.plan.bound);
  });
  json.attributeArray("kernels", [&] {
    for (const KernelReport &kernel : target.kernels)
      json.object([&] { describe(json, kernel); });
  });
  json.attributeArray("remarks", [&] {
    for (const RemarkReport &remark : target.remarks)
      json.object([&] {
        json.attribute("outcome", remark.outcome);
        json.attribute("pass", remark.pass);
        json.attribute("category", remark.category);
        strings(json, "nodes", remark.nodes);
        json.attribute("text", remark.text);
      });
  });
  json.attributeArray("nodes_without_kernel", [&] {
    for (const NodeFate &fate : target.withoutKernel)
      json.object([&] {
        json.attribute("node", fate.node);
        json.attribute("became", fate.fate);
      });
  });
}

void hone::driver::printExplanationJson(StringRef file, const CompileReport &report, llvm::raw_ostream &os) {
  Json json(os, /*IndentSize=*/2);
  json.object([&] {
    // Names of files and graphs may hold any bytes.
    json.attribute("file", escapeName(file));
    json.attribute("model", escapeName(report.model.name));
    json.attribute("parameters", report.model.parameters);
    json.attributeArray("nodes", [&] {
      for (const ModelReport::Node &node : report.model.nodes)
        json.object([&] {
          json.attribute("name", node.name);
          json.attribute("operator", node.opType);
        });
    });
    json.attributeArray("targets", [&] {
      for (const TargetReport &target : report.targets)
        json.object([&] { describe(json, target); });
    });
  });
  os << "\n";
}
