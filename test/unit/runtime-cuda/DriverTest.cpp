//===- DriverTest.cpp - The CUDA driver on a simulated libcuda ------------===//
//
// What the suite of all drivers cannot ask: errors of the API, graphs, memory of
// the application. Kernels are those of the runtime's tests, as "cubins".
//
//===----------------------------------------------------------------------===//

#include "SimulatedDriver.h"
#include "runtime/drivers/cuda/Api.h"
#include "runtime/format/CudaImage.h"
#include "test/unit/runtime/Models.h"

#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::test;

namespace {

/// The functions of the simulated library that are not CUDA's.
struct Simulated {
  Simulated() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      abort();
    load(library, "simulatedReset", reset);
    load(library, "simulatedSetDevices", setDevices);
    load(library, "simulatedFailCall", failCall);
    load(library, "simulatedFailFunction", failFunction);
    load(library, "simulatedFault", fault);
    load(library, "simulatedCounts", counts);
  }
  template <typename T> static void load(void *library, const char *name, T &slot) {
    slot = reinterpret_cast<T>(dlsym(library, name));
    if (!slot)
      abort();
  }
  decltype(&simulatedReset) reset;
  decltype(&simulatedSetDevices) setDevices;
  decltype(&simulatedFailCall) failCall;
  decltype(&simulatedFailFunction) failFunction;
  decltype(&simulatedFault) fault;
  decltype(&simulatedCounts) counts;
};

const Simulated &simulated() {
  static const Simulated theOne;
  return theOne;
}

/// What `simulatedCounts` says is alive.
size_t alive() {
  SimulatedCounts c = simulated().counts();
  return c.contexts + c.allocations + c.pinned + c.modules + c.queues + c.events + c.graphs + c.executables;
}

struct Form {
  format::CudaCodeKind kind;
  uint32_t architecture;
  std::vector<uint8_t> code;
  uint32_t unit = 0;
};

std::vector<uint8_t> makeImage(std::vector<Form> forms) {
  format::CudaImageHeader header = {};
  memcpy(header.magic, format::kCudaImageMagic, sizeof(header.magic));
  header.version = format::kCudaImageVersion;
  header.entryCount = static_cast<uint32_t>(forms.size());
  size_t start = (sizeof(header) + forms.size() * sizeof(format::CudaImageEntry) + 63) / 64 * 64;
  std::vector<uint8_t> bytes(start);
  memcpy(bytes.data(), &header, sizeof(header));
  for (size_t i = 0; i < forms.size(); ++i) {
    format::CudaImageEntry entry = {forms[i].unit, forms[i].kind,       forms[i].architecture, 0,
                                    bytes.size(),  forms[i].code.size()};
    memcpy(bytes.data() + sizeof(header) + i * sizeof(entry), &entry, sizeof(entry));
    bytes.insert(bytes.end(), forms[i].code.begin(), forms[i].code.end());
    bytes.resize((bytes.size() + 63) / 64 * 64);
  }
  return bytes;
}

ModuleBuilder forCuda(ModuleBuilder module, std::vector<Form> forms = {}) {
  if (forms.empty())
    forms = {{format::CudaCodeKind::Cubin, 90, testKernels()}};
  module.executables = {{"cuda:sm_90", {}, makeImage(std::move(forms)), "cuda"}};
  for (ProgramSpec &program : module.programs)
    program.target = "cuda:sm_90";
  return module;
}

/// A module on a simulated device.
class Cuda : public testing::Test {
protected:
  void SetUp() override {
    simulated().reset();
    ASSERT_EQ(alive(), 0u);
  }
  void TearDown() override {
    simulated().reset();
    session = {};
    module = {};
    device = {};
    EXPECT_EQ(alive(), 0u);
  }
  Status load(const ModuleBuilder &builder) {
    if (!device.get()) {
      auto opened = Device::create("cuda:0");
      if (!opened)
        return opened.takeStatus();
      device = opened.take();
    }
    bytes = std::make_unique<AlignedBytes>(builder.build());
    auto loaded = Module::load(device, bytes->data(), bytes->size());
    if (!loaded)
      return loaded.takeStatus();
    module = loaded.take();
    return {};
  }
  Status open(const hone_session_options_t *options = nullptr) {
    auto created = Session::create(module, options);
    if (!created)
      return created.takeStatus();
    session = created.take();
    return {};
  }
  void start(const ModuleBuilder &builder, const hone_session_options_t *options = nullptr) {
    Status loaded = load(builder);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    Status opened = open(options);
    ASSERT_TRUE(opened.ok()) << opened.message();
  }
  /// Runs addScaleAdd on `n` elements from host memory and checks it.
  Status run(int64_t n, float seed = 1) {
    std::vector<float> a(n, seed), b(n, 2), y(n);
    hone_tensor_t inputs[2] = {tensor(a.data(), {n}), tensor(b.data(), {n})}, output = tensor(y.data(), {n});
    Status status = session.run(inputs, 2, &output, 1);
    if (status.ok())
      EXPECT_EQ(y, std::vector<float>(n, expectedAddScaleAdd(seed, 2)));
    return status;
  }

  std::unique_ptr<AlignedBytes> bytes;
  Device device;
  Module module;
  Session session;
};

} // namespace

TEST_F(Cuda, NoDevice) {
  simulated().setDevices(0, 9, 0);
  auto opened = Device::create("cuda");
  EXPECT_EQ(opened.code(), HONE_NOT_FOUND);
  EXPECT_EQ(std::string(opened.message()).find("no CUDA device"), 0u) << opened.message();
}

TEST_F(Cuda, DescribesTheDevice) {
  auto opened = Device::create("cuda:0");
  ASSERT_TRUE(opened.ok()) << opened.message();
  EXPECT_STREQ(opened->description(), "cuda: Simulated GPU, compute capability 9.0, 4 multiprocessors, 8.6 GB, "
                                      "driver for CUDA 13.0");
}

TEST_F(Cuda, CodeForOtherDevices) {
  std::vector<uint8_t> ptx = {'p', 't', 'x', ' ', 'a', 'd', 'd', 0};
  simulated().setDevices(1, 8, 6);
  Status status = load(forCuda(
      addScaleAdd(40, true), {{format::CudaCodeKind::Cubin, 90, testKernels()}, {format::CudaCodeKind::Ptx, 90, ptx}}));
  EXPECT_EQ(status.code(), HONE_INCOMPATIBLE);
  EXPECT_TRUE(strstr(status.message(), "sm_90, compute_90; the device has compute capability 8.6")) << status.message();
  // PTX is what a later device takes; this driver says why it does not.
  device = {};
  simulated().setDevices(1, 10, 0);
  status = load(forCuda(addScaleAdd(40, true),
                        {{format::CudaCodeKind::Cubin, 90, testKernels()}, {format::CudaCodeKind::Ptx, 90, ptx}}));
  EXPECT_EQ(status.code(), HONE_INCOMPATIBLE);
  EXPECT_TRUE(strstr(status.message(), "line 1: no compiler")) << status.message();
  // The only kernel in it is to blame.
  EXPECT_STREQ(status.node(), "Add#0, Add#2");
}

TEST_F(Cuda, CutCubin) {
  std::vector<uint8_t> cut = testKernels();
  for (size_t size : {cut.size() - 1, cut.size() / 2, size_t(64), size_t(3)}) {
    Status status =
        load(forCuda(addScaleAdd(40, true), {{format::CudaCodeKind::Cubin, 90, {cut.begin(), cut.begin() + size}}}));
    EXPECT_EQ(status.code(), HONE_MALFORMED) << size;
    EXPECT_TRUE(strstr(status.message(), "is damaged")) << status.message();
  }
}

TEST_F(Cuda, OnlyUnitsWithTheKernelAreAsked) {
  // The same code, its kernels under other names.
  std::vector<uint8_t> other = testKernels();
  for (std::string name : {"add", "mul_scalar"})
    for (auto at = other.begin(); (at = std::search(at, other.end(), name.begin(), name.end())) != other.end(); ++at)
      *at = 'x';
  size_t missed = simulated().counts().functionsMissed;
  start(forCuda(addScaleAdd(40, true), {{format::CudaCodeKind::Cubin, 90, other, 0},
                                        {format::CudaCodeKind::Cubin, 90, testKernels(), 1},
                                        {format::CudaCodeKind::Cubin, 90, other, 2}}));
  Status status = run(40);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(simulated().counts().functionsMissed, missed);
}

TEST_F(Cuda, StaticProgramsAreOneGraph) {
  start(forCuda(addScaleAdd(40, true)));
  SimulatedCounts before = simulated().counts();
  EXPECT_EQ(before.executables, 1u);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(run(40, float(i)).ok());
  SimulatedCounts after = simulated().counts();
  EXPECT_EQ(after.graphLaunches, before.graphLaunches + 5);
  EXPECT_EQ(after.graphsBuilt, before.graphsBuilt);
  EXPECT_EQ(after.allocationsMade, before.allocationsMade);
}

TEST_F(Cuda, ChangingSizesBecomeAGraphTheSecondTime) {
  start(forCuda(addScaleAdd(-1, true)));
  auto graphsBuilt = [](auto body) {
    size_t before = simulated().counts().graphsBuilt;
    body();
    return simulated().counts().graphsBuilt - before;
  };
  EXPECT_EQ(graphsBuilt([&] { ASSERT_TRUE(run(40).ok()); }), 1u);
  EXPECT_EQ(graphsBuilt([&] {
              for (int64_t n : {41, 42, 43, 42})
                ASSERT_TRUE(run(n).ok());
            }),
            0u);
  EXPECT_EQ(graphsBuilt([&] {
              for (int i = 0; i < 4; ++i)
                ASSERT_TRUE(run(42, float(i)).ok());
            }),
            1u);
}

TEST_F(Cuda, MemoryOfTheApplication) {
  for (bool replayable : {true, false}) {
    start(forCuda(addScaleAdd(-1, replayable)));
    constexpr int64_t n = 40;
    Buffer a[2], b, y;
    for (Buffer *buffer : {&a[0], &a[1], &b, &y})
      *buffer = Buffer::create(device, 1000).take();
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(a[i].write(std::vector<float>(n, 3.0f + i).data(), n * 4).ok());
    ASSERT_TRUE(b.write(std::vector<float>(n, 2).data(), n * 4, 4).ok());
    ASSERT_TRUE(b.write(std::vector<float>(n, 2).data(), n * 4, 0).ok());
    for (size_t index : {0, 1})
      ASSERT_TRUE(session.placeInput(index, HONE_MEMORY_DEVICE).ok());
    ASSERT_TRUE(session.placeOutput(0, HONE_MEMORY_DEVICE).ok());
    // The second input is used in place, or copied when it lies at an odd place.
    for (size_t offset : {0, 0, 4, 0, 0})
      for (int i = 0; i < 2; ++i)
        for (bool own : {false, true}) {
          auto *second = static_cast<uint8_t *>(b.data()) + offset;
          hone_tensor_t inputs[2] = {tensor(static_cast<float *>(a[i].data()), {n}),
                                     tensor(reinterpret_cast<float *>(second), {n})};
          hone_tensor_t output = own ? hone_tensor_t{} : tensor(static_cast<float *>(y.data()), {n});
          Status status = session.run(inputs, 2, &output, 1);
          ASSERT_TRUE(status.ok()) << status.message();
          ASSERT_EQ(output.size, n * 4u);
          std::vector<float> got(n);
          if (own) {
            // The session's, to be given to the next model.
            ASSERT_NE(output.data, y.data());
            hone_tensor_t chained[2] = {output, inputs[1]}, last = tensor(static_cast<float *>(y.data()), {n});
            Session second = Session::create(module).take();
            for (size_t index : {0, 1})
              ASSERT_TRUE(second.placeInput(index, HONE_MEMORY_DEVICE).ok());
            ASSERT_TRUE(second.placeOutput(0, HONE_MEMORY_DEVICE).ok());
            ASSERT_TRUE(second.run(chained, 2, &last, 1).ok());
            ASSERT_TRUE(y.read(got.data(), n * 4).ok());
            float once = expectedAddScaleAdd(3.0f + i, 2);
            ASSERT_EQ(got, std::vector<float>(n, expectedAddScaleAdd(once, 2)));
          } else {
            ASSERT_EQ(output.data, y.data());
            ASSERT_TRUE(y.read(got.data(), n * 4).ok());
            ASSERT_EQ(got, std::vector<float>(n, expectedAddScaleAdd(3.0f + i, 2)));
          }
        }
    // And back to host memory.
    for (size_t index : {0, 1})
      ASSERT_TRUE(session.placeInput(index, HONE_MEMORY_HOST).ok());
    ASSERT_TRUE(session.placeOutput(0, HONE_MEMORY_HOST).ok());
    ASSERT_TRUE(run(n, 9).ok());
    EXPECT_EQ(session.placeInput(2, HONE_MEMORY_HOST).code(), HONE_INVALID_ARGUMENT);
    EXPECT_EQ(session.placeOutput(0, static_cast<hone_memory_t>(7)).code(), HONE_INVALID_ARGUMENT);
  }
}

TEST_F(Cuda, OnlyNodesWithNewAddressesChange) {
  start(forCuda(addScaleAdd(40, true)));
  Buffer a[2] = {Buffer::create(device, 160).take(), Buffer::create(device, 160).take()};
  for (Buffer &buffer : a)
    ASSERT_TRUE(buffer.write(std::vector<float>(40, 5).data(), 160).ok());
  ASSERT_TRUE(session.placeInput(0, HONE_MEMORY_DEVICE).ok());
  std::vector<float> b(40, 2), y(40);
  auto runWith = [&](Buffer &buffer) {
    hone_tensor_t inputs[2] = {tensor(static_cast<float *>(buffer.data()), {40}), tensor(b.data(), {40})};
    hone_tensor_t output = tensor(y.data(), {40});
    ASSERT_TRUE(session.run(inputs, 2, &output, 1).ok());
    ASSERT_EQ(y, std::vector<float>(40, expectedAddScaleAdd(5, 2)));
  };
  for (int i = 0; i < 3; ++i)
    runWith(a[0]);
  SimulatedCounts before = simulated().counts();
  runWith(a[0]);
  EXPECT_EQ(simulated().counts().nodesChanged, before.nodesChanged);
  runWith(a[1]);
  runWith(a[1]);
  EXPECT_EQ(simulated().counts().nodesChanged, before.nodesChanged + 1);
  EXPECT_EQ(simulated().counts().graphsBuilt, before.graphsBuilt);
  EXPECT_EQ(simulated().counts().allocationsMade, before.allocationsMade);
}

TEST_F(Cuda, BuffersCheckTheirRanges) {
  start(forCuda(addScaleAdd(40, true)));
  Buffer buffer = Buffer::create(device, 100).take();
  uint8_t byte = 0;
  EXPECT_TRUE(buffer.write(&byte, 1, 99).ok());
  EXPECT_EQ(buffer.write(&byte, 1, 100).code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(buffer.read(&byte, SIZE_MAX, 1).code(), HONE_INVALID_ARGUMENT);
  EXPECT_EQ(Buffer::create(device, size_t(1) << 40).code(), HONE_OUT_OF_MEMORY);
}

TEST_F(Cuda, FaultsLast) {
  start(forCuda(addScaleAdd(40, true)));
  ASSERT_TRUE(run(40).ok());
  simulated().fault(2);
  Status status = run(40);
  EXPECT_EQ(status.code(), HONE_DEVICE_FAILURE);
  EXPECT_TRUE(strstr(status.message(), "cuda:0: cannot run: an illegal memory access was encountered"))
      << status.message();
  EXPECT_TRUE(strstr(status.message(), "`synchronous` would name the kernel")) << status.message();
  EXPECT_STREQ(status.node(), "");
  EXPECT_EQ(run(40).code(), HONE_DEVICE_FAILURE);
}

TEST_F(Cuda, SynchronousSessionsNameTheKernel) {
  for (bool replayable : {true, false}) {
    simulated().reset();
    hone_session_options_t options = Session::options();
    options.synchronous = 1;
    start(forCuda(addScaleAdd(40, replayable)), &options);
    ASSERT_TRUE(run(40).ok());
    simulated().fault(2);
    Status status = run(40);
    EXPECT_EQ(status.code(), HONE_DEVICE_FAILURE);
    EXPECT_EQ(std::string(status.message()).find("kernel 'mul_scalar': "), 0u) << status.message();
    EXPECT_STREQ(status.node(), "Mul#1");
  }
}

TEST_F(Cuda, ProfilesOfGraphs) {
  hone_session_options_t options = Session::options();
  options.profile = 1;
  start(forCuda(addScaleAdd(40, true)), &options);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(run(40).ok());
  hone_profile_entry_t entries[4];
  ASSERT_EQ(hone_session_profile(session.get(), entries, 4), 2u);
  EXPECT_EQ(entries[0].calls, 6u);
  EXPECT_EQ(entries[1].calls, 3u);
}

TEST_F(Cuda, EveryCallMayFail) {
  // Device, module, session and two runs; each call of the API fails once.
  for (bool replayable : {true, false}) {
    size_t total = 0;
    for (size_t call = 1; call < 2000; ++call) {
      simulated().reset();
      simulated().failCall(call, cuda::InvalidValue);
      size_t before = simulated().counts().calls;
      Status status = load(forCuda(addScaleAdd(40, replayable)));
      hone_session_options_t options = Session::options();
      options.profile = call % 2;
      if (status.ok())
        status = open(&options);
      for (int i = 0; i < 2 && status.ok(); ++i)
        status = run(40);
      bool over = simulated().counts().calls - before < call;
      session = {};
      module = {};
      device = {};
      ASSERT_EQ(alive(), 0u) << call;
      if (over) {
        EXPECT_TRUE(status.ok()) << status.message();
        total = call;
        break;
      }
    }
    EXPECT_GT(total, 40u);
  }
}

TEST_F(Cuda, OutOfDeviceMemory) {
  ASSERT_TRUE(load(forCuda(addScaleAdd(40, true))).ok());
  for (const char *function : {"cuMemAlloc_v2", "cuMemHostAlloc"}) {
    simulated().failFunction(function, cuda::NoMemory);
    Status status = open();
    EXPECT_EQ(status.code(), HONE_OUT_OF_MEMORY) << status.message();
  }
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(run(40).ok());
}
