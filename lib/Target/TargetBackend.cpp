//===- TargetBackend.cpp - Facts as attributes, backends by name ----------===//

#include "lib/Target/TargetBackend.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace hone;

namespace {

/// One row per fact: writing and reading can not drift apart.
template <typename Info, typename Visit> void forEachFact(Info &info, Visit visit) {
  visit("name", info.name);
  visit("triple", info.triple);
  visit("cpu", info.cpu);
  visit("features", info.features);
  visit("vector_bytes", info.vectorBytes);
  visit("vector_registers", info.vectorRegisters);
  visit("multiply_by_lane", info.multiplyByLane);
  visit("l1_bytes", info.l1Bytes);
  visit("l2_bytes", info.l2Bytes);
  visit("workgroup_size", info.workgroupSize);
  visit("max_workgroup_size", info.maxWorkgroupSize);
  visit("subgroup_size", info.subgroupSize);
  visit("shared_bytes", info.sharedBytes);
  visit("compute_units", info.computeUnits);
  visit("native_types", info.nativeTypes);
  visit("matrix_types", info.matrixTypes);
  visit("max_buffers", info.maxBuffers);
  visit("max_buffer_bytes", info.maxBufferBytes);
  visit("max_grid", info.maxGrid);
  visit("max_threads", info.maxThreads);
  visit("buffer_alignment", info.bufferAlignment);
  visit("host_access", info.hostAccess);
}

struct FactWriter {
  Builder builder;
  SmallVector<NamedAttribute> entries;

  void operator()(StringRef name, const std::string &value) { add(name, builder.getStringAttr(value)); }
  void operator()(StringRef name, unsigned value) { add(name, builder.getI64IntegerAttr(value)); }
  void operator()(StringRef name, bool value) { add(name, builder.getBoolAttr(value)); }
  void operator()(StringRef name, const std::vector<std::string> &values) {
    SmallVector<Attribute> parts;
    for (const std::string &value : values)
      parts.push_back(builder.getStringAttr(value));
    add(name, builder.getArrayAttr(parts));
  }
  void add(StringRef name, Attribute value) { entries.push_back(builder.getNamedAttr(name, value)); }
};

struct FactReader {
  DictionaryAttr attribute;

  void operator()(StringRef name, std::string &value) {
    if (auto text = attribute.getAs<StringAttr>(name))
      value = text.str();
  }
  void operator()(StringRef name, unsigned &value) {
    if (auto number = attribute.getAs<IntegerAttr>(name))
      value = number.getInt();
  }
  void operator()(StringRef name, bool &value) {
    if (auto flag = attribute.getAs<BoolAttr>(name))
      value = flag.getValue();
  }
  void operator()(StringRef name, std::vector<std::string> &values) {
    if (auto parts = attribute.getAs<ArrayAttr>(name))
      for (auto part : parts.getAsRange<StringAttr>())
        values.push_back(part.str());
  }
};

} // namespace

DictionaryAttr TargetInfo::toAttribute(MLIRContext *context) const {
  FactWriter writer{Builder(context), {}};
  forEachFact(*this, [&](auto name, const auto &value) { writer(name, value); });
  return writer.builder.getDictionaryAttr(writer.entries);
}

TargetInfo TargetInfo::fromAttribute(DictionaryAttr attribute) {
  TargetInfo info;
  if (!attribute)
    return info;
  FactReader reader{attribute};
  forEachFact(info, [&](auto name, auto &value) { reader(name, value); });
  return info;
}

void BackendRegistry::add(std::unique_ptr<TargetBackend> backend) { backends.push_back(std::move(backend)); }

FailureOr<std::pair<const TargetBackend *, TargetInfo>> BackendRegistry::resolve(StringRef target, Location loc) const {
  auto [name, variant] = target.split(':');
  std::string known;
  for (const auto &backend : backends) {
    if (backend->name() != name) {
      known += (known.empty() ? "" : ", ") + backend->name().str();
      continue;
    }
    FailureOr<TargetInfo> info = backend->describe(variant, loc);
    if (failed(info))
      return failure();
    return std::pair<const TargetBackend *, TargetInfo>(backend.get(), *info);
  }
  return emitError(loc) << "unknown target '" << target << "'; this compiler has: " << known;
}

FailureOr<StandaloneCode> TargetBackend::emitStandalone(const StandaloneRequest &request,
                                                        const TargetInfo &info) const {
  return emitError(request.program->getLoc()) << info.name << " has no programs without a runtime";
}

std::vector<std::string> BackendRegistry::targets() const {
  std::vector<std::string> names;
  for (const auto &backend : backends) {
    names.push_back(backend->name().str());
    for (const std::string &variant : backend->variants())
      names.push_back((backend->name() + ":" + variant).str());
  }
  return names;
}
