//===- DiscreteTest.cpp - Devices with memory of their own ----------------===//
//
// The CPU driver with `unified` switched off: the session must upload, download
// and keep its buffers on the device, as CUDA and Vulkan need it.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "runtime/hal/device.h"

#include <gtest/gtest.h>

using namespace hone;
using namespace hone::test;

TEST(Discrete, UploadsAndDownloads) {
  for (bool replayable : {true, false})
    for (int64_t count : {-1, 40}) {
      auto device = Device::create("cpu");
      ASSERT_TRUE(device.ok());
      device->get()->impl->unified = false;
      AlignedBytes bytes(addScaleAdd(count, replayable).build());
      auto module = Module::load(*device, bytes.data(), bytes.size());
      ASSERT_TRUE(module.ok()) << module.message();
      auto session = Session::create(*module);
      ASSERT_TRUE(session.ok()) << session.message();
      uint64_t allocations = 0;
      for (int64_t n : {40, 64, 2, 40, 64}) {
        if (count >= 0 && n != count)
          continue;
        for (bool own : {false, true}) {
          std::vector<float> a(n, 2), b(n, float(n)), y(n);
          hone_tensor_t inputs[2] = {tensor(a.data(), {n}), tensor(b.data(), {n})};
          hone_tensor_t output = own ? hone_tensor_t{} : tensor(y.data(), {n});
          Status status = session->run(inputs, 2, &output, 1);
          ASSERT_TRUE(status.ok()) << status.message();
          ASSERT_EQ(output.shape[0], n);
          for (int64_t i = 0; i < n; ++i)
            ASSERT_EQ(static_cast<float *>(output.data)[i], expectedAddScaleAdd(2, float(n)));
        }
        if (n == 2)
          allocations = session->memory().allocation_count;
      }
      if (allocations)
        EXPECT_EQ(session->memory().allocation_count, allocations);
    }
}
