//===- hone/hone.hpp - The runtime's C API as C++ objects -*- C++ -*-===//
//
// Header-only, C++17, no logic of its own. Objects are move-only owners; errors
// are returned, never thrown, so it works with and without exceptions.
//
//   auto device = hone::Device::create("cpu");
//   if (!device)
//     return fail(device.message());
//   auto module = hone::Module::load(*device, "model.hone");
//   auto session = hone::Session::create(*module);
//   std::vector<float> image(1 * 3 * 224 * 224);
//   hone_tensor_t input = hone::tensor(image.data(), {1, 3, 224, 224});
//   hone_tensor_t output = {};
//   hone::Status status = session->run(&input, 1, &output, 1);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_HONE_HPP
#define HONE_HONE_HPP

#include "hone/runtime.h"

#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace hone {

/// Success, or a code and a message.
class [[nodiscard]] Status {
public:
  Status() = default;
  /// Takes the status over.
  explicit Status(hone_status_t status) : status(status) {}
  Status(Status &&other) noexcept : status(other.release()) {}
  Status &operator=(Status &&other) noexcept {
    if (this != &other) {
      hone_status_free(status);
      status = other.release();
    }
    return *this;
  }
  ~Status() { hone_status_free(status); }

  bool ok() const { return !status; }
  explicit operator bool() const { return ok(); }
  hone_status_code_t code() const { return hone_status_code(status); }
  const char *message() const { return hone_status_message(status); }
  const char *node() const { return hone_status_node(status); }
  hone_status_t release() { return std::exchange(status, nullptr); }

private:
  hone_status_t status = nullptr;
};

/// A value or the status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {}

  bool ok() const { return failure.ok(); }
  explicit operator bool() const { return ok(); }
  hone_status_code_t code() const { return failure.code(); }
  const char *message() const { return failure.message(); }
  Status takeStatus() { return std::move(failure); }

  // Only when ok().
  T &operator*() { return held; }
  T *operator->() { return &held; }
  T take() { return std::move(held); }

private:
  T held;
  Status failure;
};

namespace detail {

/// Owns a C object; empty after being moved from.
template <typename T, void (*Destroy)(T *)> class Handle {
public:
  Handle() = default;
  explicit Handle(T *object) : object(object) {}
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Handle &operator=(Handle &&other) noexcept {
    if (this != &other) {
      Destroy(object);
      object = std::exchange(other.object, nullptr);
    }
    return *this;
  }
  ~Handle() { Destroy(object); }

  T *get() const { return object; }

private:
  T *object = nullptr;
};

} // namespace detail

class Device : public detail::Handle<hone_device_t, hone_device_destroy> {
public:
  using Handle::Handle;
  static Result<Device> create(const char *uri, const hone_allocator_t *allocator = nullptr) {
    hone_device_t *device = nullptr;
    if (Status status{hone_device_create(uri, allocator, &device)}; !status)
      return status;
    return Device(device);
  }
  const char *description() const { return hone_device_description(get()); }
};

/// Memory of a device. The device must outlive it.
class Buffer : public detail::Handle<hone_buffer_t, hone_buffer_destroy> {
public:
  using Handle::Handle;
  static Result<Buffer> create(Device &device, size_t size) {
    hone_buffer_t *buffer = nullptr;
    if (Status status{hone_buffer_create(device.get(), size, &buffer)}; !status)
      return status;
    return Buffer(buffer);
  }
  void *data() const { return hone_buffer_data(get()); }
  Status write(const void *source, size_t size, size_t offset = 0) {
    return Status(hone_buffer_write(get(), offset, source, size));
  }
  Status read(void *target, size_t size, size_t offset = 0) const {
    return Status(hone_buffer_read(get(), offset, target, size));
  }
};

/// The device must outlive it.
class Module : public detail::Handle<hone_module_t, hone_module_destroy> {
public:
  using Handle::Handle;
  static hone_module_options_t options() {
    hone_module_options_t options = {};
    options.struct_size = sizeof(options);
    return options;
  }
  static Result<Module> load(Device &device, const char *path, const hone_module_options_t *options = nullptr) {
    hone_module_t *module = nullptr;
    if (Status status{hone_module_load_file(device.get(), path, options, &module)}; !status)
      return status;
    return Module(module);
  }
  /// Borrows the bytes until the module is destroyed.
  static Result<Module> load(Device &device, const void *bytes, size_t size,
                             const hone_module_options_t *options = nullptr) {
    hone_module_t *module = nullptr;
    if (Status status{hone_module_load(device.get(), bytes, size, options, &module)}; !status)
      return status;
    return Module(module);
  }

  hone_module_info_t info() const {
    hone_module_info_t info;
    hone_module_info(get(), &info);
    return info;
  }
  size_t inputCount() const { return hone_module_input_count(get()); }
  size_t outputCount() const { return hone_module_output_count(get()); }
  /// All zero for an index out of range.
  hone_tensor_info_t input(size_t index) const {
    hone_tensor_info_t info = {};
    hone_status_free(hone_module_input_info(get(), index, &info));
    return info;
  }
  hone_tensor_info_t output(size_t index) const {
    hone_tensor_info_t info = {};
    hone_status_free(hone_module_output_info(get(), index, &info));
    return info;
  }
};

/// The module must outlive it.
class Session : public detail::Handle<hone_session_t, hone_session_destroy> {
public:
  using Handle::Handle;
  static hone_session_options_t options() {
    hone_session_options_t options = {};
    options.struct_size = sizeof(options);
    return options;
  }
  static Result<Session> create(Module &module, const hone_session_options_t *options = nullptr) {
    hone_session_t *session = nullptr;
    if (Status status{hone_session_create(module.get(), options, &session)}; !status)
      return status;
    return Session(session);
  }
  static Result<Session> create(Module &module, uint32_t threads) {
    hone_session_options_t chosen = options();
    chosen.threads = threads;
    return create(module, &chosen);
  }

  Status run(const hone_tensor_t *inputs, size_t inputCount, hone_tensor_t *outputs, size_t outputCount) {
    return Status(hone_session_run(get(), inputs, inputCount, outputs, outputCount));
  }
  Status run(const char *const *inputNames, const hone_tensor_t *inputs, size_t inputCount,
             const char *const *outputNames, hone_tensor_t *outputs, size_t outputCount) {
    return Status(hone_session_run_named(get(), inputNames, inputs, inputCount, outputNames, outputs, outputCount));
  }
  /// Where the tensors given for an input or output lie from now on.
  Status placeInput(size_t index, hone_memory_t memory) {
    return Status(hone_session_place_input(get(), index, memory));
  }
  Status placeOutput(size_t index, hone_memory_t memory) {
    return Status(hone_session_place_output(get(), index, memory));
  }
  hone_memory_info_t memory() const {
    hone_memory_info_t info;
    hone_session_memory(get(), &info);
    return info;
  }
};

/// The dtype of a C++ type; types C++ does not have are set by hand.
template <typename T> constexpr hone_dtype_t dtypeOf() {
  using Type = std::remove_cv_t<T>;
  constexpr bool isSigned = std::is_signed_v<Type>;
  if constexpr (std::is_same_v<Type, bool>)
    return HONE_DTYPE_BOOL;
  else if constexpr (std::is_same_v<Type, float>)
    return HONE_DTYPE_F32;
  else if constexpr (std::is_same_v<Type, double>)
    return HONE_DTYPE_F64;
  else {
    static_assert(std::is_integral_v<Type>, "no dtype for this type");
    if constexpr (sizeof(Type) == 8)
      return isSigned ? HONE_DTYPE_I64 : HONE_DTYPE_U64;
    else if constexpr (sizeof(Type) == 4)
      return isSigned ? HONE_DTYPE_I32 : HONE_DTYPE_U32;
    else if constexpr (sizeof(Type) == 2)
      return isSigned ? HONE_DTYPE_I16 : HONE_DTYPE_U16;
    else
      return isSigned ? HONE_DTYPE_I8 : HONE_DTYPE_U8;
  }
}

/// A tensor over the caller's elements; dimensions beyond HONE_MAX_RANK are
/// dropped and refused by the run.
template <typename T> hone_tensor_t tensor(T *data, std::initializer_list<int64_t> shape) {
  hone_tensor_t result = {};
  result.data = const_cast<std::remove_cv_t<T> *>(data);
  result.dtype = dtypeOf<T>();
  result.size = sizeof(T);
  for (int64_t extent : shape) {
    if (result.rank < HONE_MAX_RANK)
      result.shape[result.rank] = extent;
    ++result.rank;
    result.size *= static_cast<size_t>(extent);
  }
  return result;
}

} // namespace hone

#endif // HONE_HONE_HPP
