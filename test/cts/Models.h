//===- Models.h - Modules made of the suite's kernels -*- C++ -*-===//

#ifndef HONE_TEST_CTS_MODELS_H
#define HONE_TEST_CTS_MODELS_H

#include "test/cts/Suite.h"
#include "test/unit/runtime/ModuleBuilder.h"

namespace hone::cts {

using test::DType;
using test::ModuleBuilder;
using test::Opcode;
using test::ProgramSpec;

/// A module with the kernels of the device under test.
ModuleBuilder makeModule();
/// The number of a kernel in it.
int32_t addKernel(ModuleBuilder &module, KernelId kernel, std::vector<std::string> nodes = {});

inline constexpr int64_t kMostElements = 3000;

/// y = (a + b) * factor + 1 on floats [N], at most kMostElements; or [count] when it
/// is not -1. The 1s are constants; intermediates lie in frames, or in the
/// static arena.
ModuleBuilder addScaleAdd(int64_t count, bool replayable, int64_t factor = 3);
inline float expectedAddScaleAdd(float a, float b) { return (a + b) * 3 + 1; }

/// Where the elements of a float [N] are that are not zero: i64 [M], with M
/// read back from the device.
ModuleBuilder nonzeroIndices();

/// Doubles a value in a loop as long as it is below `limit`; the condition is
/// read back.
ModuleBuilder doubleUntil(int64_t limit);

/// A module on the device under test and the bytes it borrows.
class LoadedModel {
public:
  explicit LoadedModel(hone_device_t *device, const ModuleBuilder &builder) : LoadedModel(device, builder.build()) {}
  LoadedModel(hone_device_t *device, const std::vector<uint8_t> &file);
  ~LoadedModel() { hone_module_destroy(module); }
  LoadedModel(const LoadedModel &) = delete;
  LoadedModel &operator=(const LoadedModel &) = delete;

  Session session(const hone_session_options_t *options = nullptr);
  hone_module_t *get() const { return module; }

private:
  test::AlignedBytes bytes;
  hone_module_t *module = nullptr;
};

} // namespace hone::cts

#endif // HONE_TEST_CTS_MODELS_H
