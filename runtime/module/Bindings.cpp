//===- Bindings.cpp - Inputs and outputs of a run -------------------------===//
//
// Checks what the caller hands in against the model, dimension by dimension; a
// run with the dimensions of the last one only compares. The caller's bytes are
// used in place where kernels reach them, otherwise they are copied.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Session.h"

#include <cinttypes>

using namespace hone;

static const char *nameOf(const format::Tensor &tensor) { return tensor.name()->c_str(); }

static uint32_t rankOf(const format::Tensor &tensor) { return tensor.dims() ? tensor.dims()->size() : 0; }

/// "" or " ('batch')".
struct SymbolText {
  explicit SymbolText(const format::Dim &dim) {
    if (dim.symbol() && dim.symbol()->size())
      snprintf(text, sizeof(text), " ('%.64s')", dim.symbol()->c_str());
  }
  char text[80] = "";
};

static hone_status_t bytesOf(const char *what, const char *name, const int64_t *shape, uint32_t rank,
                             hone_dtype_t dtype, uint64_t &bytes) {
  bytes = hone_dtype_size(dtype);
  for (uint32_t i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(shape[i]), &bytes) || bytes > INT64_MAX)
      return makeStatus(HONE_INVALID_ARGUMENT, "%s '%.128s' is too large", what, name);
  return nullptr;
}

hone_status_t hone_session_s::createBindings() {
  const format::Module &table = *module->table;
  auto symbolOf = [&](const format::Dim &dim, int32_t &symbol) -> bool {
    symbol = -1;
    if (!dim.symbol() || !dim.symbol()->size())
      return true;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (!strcmp(symbols[i].name, dim.symbol()->c_str())) {
        symbol = static_cast<int32_t>(i);
        return true;
      }
    symbol = static_cast<int32_t>(symbols.size());
    return symbols.push({dim.symbol()->c_str(), -1, 0, 0});
  };
  auto describe = [&](const format::Tensor &tensor, auto &state) -> bool {
    state.dtype = static_cast<hone_dtype_t>(tensor.dtype());
    state.rank = rankOf(tensor);
    state.external.external = true;
    state.memory = HONE_MEMORY_HOST;
    state.inPlace = device->unified;
    for (uint32_t d = 0; d < state.rank; ++d) {
      state.shape[d] = tensor.dims()->Get(d)->size();
      if (!symbolOf(*tensor.dims()->Get(d), state.symbols[d]))
        return false;
    }
    return true;
  };
  if (!inputs.resize(module->inputCount()) || !outputs.resize(module->outputCount()))
    return outOfMemory(module->inputCount() * sizeof(InputState), "bindings");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!describe(*table.inputs()->Get(i), inputs[i]))
      return outOfMemory(sizeof(SymbolValue), "symbols");
    inputs[i].external.readOnly = true;
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!describe(*table.outputs()->Get(i), outputs[i]))
      return outOfMemory(sizeof(SymbolValue), "symbols");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool hone_session_s::isUsable(hone_memory_t memory, const void *data) const {
  if (device->unified)
    return true;
  // Kernels rely on the alignment of whole buffers.
  return memory == HONE_MEMORY_DEVICE && reinterpret_cast<uintptr_t>(data) % format::kAlignment == 0;
}

template <typename State> hone_status_t hone_session_s::place(State &state, hone_memory_t memory) {
  if (memory != HONE_MEMORY_HOST && memory != HONE_MEMORY_DEVICE)
    return makeStatus(HONE_INVALID_ARGUMENT, "there is no memory %d", static_cast<int>(memory));
  if (memory == HONE_MEMORY_DEVICE && !device->unified && !device->addressable)
    return makeStatus(HONE_INCOMPATIBLE, "%s: tensors lie in host memory only", driver->name);
  if (state.memory == memory)
    return nullptr;
  state.memory = memory;
  // The next run records anew, with a buffer only where one is needed.
  dimsKnown = recorded = false;
  if (state.device)
    driver->bufferDestroy(device, state.device);
  state.device = nullptr;
  return nullptr;
}

hone_status_t hone_session_place_input(hone_session_t *session, size_t index, hone_memory_t memory) {
  if (!session || index >= session->inputs.size())
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_session_place_input: there is no input %zu", index);
  return session->place(session->inputs[index], memory);
}

hone_status_t hone_session_place_output(hone_session_t *session, size_t index, hone_memory_t memory) {
  if (!session || index >= session->outputs.size())
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_session_place_output: there is no output %zu", index);
  return session->place(session->outputs[index], memory);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Checks the dimensions in `inputs` against the model and each other, and
/// computes sizes.
hone_status_t hone_session_s::bindDims() {
  dimsKnown = false;
  for (SymbolValue &symbol : symbols)
    symbol.value = -1;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const format::Tensor &tensor = *module->table->inputs()->Get(i);
    InputState &input = inputs[i];
    for (uint32_t d = 0; d < input.rank; ++d) {
      const format::Dim &dim = *tensor.dims()->Get(d);
      int64_t extent = input.shape[d];
      SymbolText name(dim);
      if (dim.size() >= 0 && extent != dim.size())
        return makeStatus(HONE_INVALID_ARGUMENT,
                          "input '%.128s': dimension %u%s is %" PRId64 ", the model expects %" PRId64, nameOf(tensor),
                          d, name.text, extent, dim.size());
      if (dim.size() < 0 && (extent < dim.min() || extent > dim.max()))
        return makeStatus(HONE_INVALID_ARGUMENT,
                          "input '%.128s': dimension %u%s is %" PRId64 ", outside the declared range %" PRId64
                          "..%" PRId64,
                          nameOf(tensor), d, name.text, extent, dim.min(), dim.max());
      if (input.symbols[d] < 0)
        continue;
      SymbolValue &symbol = symbols[input.symbols[d]];
      if (symbol.value >= 0 && symbol.value != extent)
        return makeStatus(HONE_INVALID_ARGUMENT,
                          "input '%.128s': dimension %u%s is %" PRId64
                          ", but dimension %u of input '%.128s' says %" PRId64,
                          nameOf(tensor), d, name.text, extent, symbol.dim,
                          nameOf(*module->table->inputs()->Get(symbol.input)), symbol.value);
      symbol.value = extent;
      symbol.input = i;
      symbol.dim = d;
    }
    HONE_TRY(bytesOf("input", nameOf(tensor), input.shape, input.rank, input.dtype, input.bytes));
    if (input.inPlace || (input.device && input.device->size >= input.bytes))
      continue;
    if (input.device)
      driver->bufferDestroy(device, input.device);
    input.device = nullptr;
    HONE_TRY(driver->bufferCreate(device, allocator, input.bytes, &input.device));
    input.device->readOnly = true;
  }
  dimsKnown = true;
  return nullptr;
}

static hone_status_t checkForm(const format::Tensor &tensor, const InputState &input, const hone_tensor_t &given) {
  if (given.dtype != input.dtype)
    return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' has type %s, the model expects %s", nameOf(tensor),
                      hone_dtype_name(given.dtype), hone_dtype_name(input.dtype));
  if (given.rank != input.rank)
    return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' has rank %u, the model expects %u", nameOf(tensor),
                      given.rank, input.rank);
  return nullptr;
}

static hone_status_t checkBytes(const format::Tensor &tensor, const InputState &input, const hone_tensor_t &given) {
  if (given.size < input.bytes)
    return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s': its shape takes %" PRIu64 " bytes, %zu are given",
                      nameOf(tensor), input.bytes, given.size);
  if (!given.data && input.bytes)
    return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' has no data", nameOf(tensor));
  if (reinterpret_cast<uintptr_t>(given.data) % hone_dtype_size(input.dtype))
    return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' is not aligned to its elements", nameOf(tensor));
  return nullptr;
}

hone_status_t hone_session_s::bindInputs(const hone_tensor_t *given, size_t count, bool &sameDims) {
  if (count != inputs.size())
    return makeStatus(HONE_INVALID_ARGUMENT, "%zu inputs are given, the model has %zu", count, inputs.size());
  sameDims = dimsKnown;
  for (size_t i = 0; i < count; ++i) {
    InputState &input = inputs[i];
    const hone_tensor_t &tensor = given[i];
    if (tensor.dtype != input.dtype || tensor.rank != input.rank)
      return checkForm(*module->table->inputs()->Get(i), input, tensor);
    size_t bytes = input.rank * sizeof(int64_t);
    if (bytes && memcmp(input.shape, tensor.shape, bytes)) {
      memcpy(input.shape, tensor.shape, bytes);
      sameDims = dimsKnown = false;
    }
    if (bool usable = isUsable(input.memory, tensor.data); usable != input.inPlace) {
      input.inPlace = usable;
      sameDims = dimsKnown = false;
    }
  }
  if (!sameDims)
    HONE_TRY(bindDims());
  for (size_t i = 0; i < count; ++i) {
    InputState &input = inputs[i];
    HONE_TRY(checkBytes(*module->table->inputs()->Get(i), input, given[i]));
    input.external.host = given[i].data;
    input.external.address = reinterpret_cast<uintptr_t>(given[i].data);
    input.external.size = input.bytes;
    if (!input.inPlace)
      HONE_TRY(driver->upload(stream, given[i].data, {input.device, 0, input.bytes}));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Before a program is interpreted: nothing is placed, dimensions are what the
/// model and the inputs' symbols say.
void hone_session_s::forgetOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputState &output = outputs[i];
    output.placed = false;
    output.placedBytes = output.bytes = 0;
    output.external.host = nullptr;
    output.external.address = 0;
    output.external.size = 0;
    for (uint32_t d = 0; d < output.rank; ++d) {
      int64_t size = module->table->outputs()->Get(i)->dims()->Get(d)->size();
      if (size < 0 && output.symbols[d] >= 0)
        size = symbols[output.symbols[d]].value;
      output.shape[d] = size;
    }
  }
}

void hone_session_s::chooseOutputs(const hone_tensor_t *wanted) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputState &output = outputs[i];
    bool inPlace = device->unified || (wanted[i].data && isUsable(output.memory, wanted[i].data));
    if (inPlace != output.inPlace)
      recorded = false;
    output.inPlace = inPlace;
  }
}

hone_status_t hone_session_s::placeOutput(size_t index, uint64_t bytes) {
  OutputState &output = outputs[index];
  const char *name = nameOf(*module->table->outputs()->Get(index));
  if (output.placed) {
    if (bytes <= output.placedBytes)
      return nullptr;
    return makeStatus(HONE_MALFORMED, "the plan enlarges output '%.128s' after placing it", name);
  }
  output.placed = true;
  output.placedBytes = bytes;
  output.external.size = bytes;
  if (!output.inPlace && (!output.device || output.device->size < bytes)) {
    if (output.device)
      driver->bufferDestroy(device, output.device);
    output.device = nullptr;
    HONE_TRY(driver->bufferCreate(device, allocator, bytes, &output.device));
  }
  return wantedOutputs ? bindOutput(index, wantedOutputs[index]) : nullptr;
}

hone_status_t hone_session_s::bindOutput(size_t index, const hone_tensor_t &wanted) {
  OutputState &output = outputs[index];
  const char *name = nameOf(*module->table->outputs()->Get(index));
  if (wanted.data) {
    if (wanted.size < output.placedBytes)
      return makeStatus(HONE_INVALID_ARGUMENT, "output '%.128s' needs %" PRIu64 " bytes, %zu are given", name,
                        output.placedBytes, wanted.size);
    if (reinterpret_cast<uintptr_t>(wanted.data) % hone_dtype_size(output.dtype))
      return makeStatus(HONE_INVALID_ARGUMENT, "output '%.128s' is not aligned to its elements", name);
    output.destination = wanted.data;
  } else if (output.device && output.memory == HONE_MEMORY_DEVICE) {
    output.destination = reinterpret_cast<void *>(static_cast<uintptr_t>(output.device->address));
  } else {
    // Even an empty output gets an address.
    uint64_t bytes = output.placedBytes ? output.placedBytes : 1;
    if (output.ownedSize < bytes) {
      if (output.owned)
        allocator->release(allocator->self, output.owned, output.ownedSize, blockAlignment(output.ownedSize));
      output.ownedSize = 0;
      output.owned =
          bytes <= SIZE_MAX / 2 ? allocator->allocate(allocator->self, bytes, blockAlignment(bytes)) : nullptr;
      if (!output.owned)
        return outOfMemory(bytes, "an output");
      output.ownedSize = bytes;
    }
    output.destination = output.owned;
  }
  output.external.host = output.destination;
  output.external.address = reinterpret_cast<uintptr_t>(output.destination);
  return nullptr;
}

/// After interpretation: every dimension is known and agrees with the bytes.
hone_status_t hone_session_s::finishShapes() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputState &output = outputs[i];
    const char *name = nameOf(*module->table->outputs()->Get(i));
    for (uint32_t d = 0; d < output.rank; ++d)
      if (output.shape[d] < 0)
        return makeStatus(HONE_MALFORMED,
                          "the plan does not set dimension %u of output "
                          "'%.128s'",
                          d, name);
    uint64_t bytes = 0;
    HONE_TRY(bytesOf("output", name, output.shape, output.rank, output.dtype, bytes));
    if (!output.placed && !bytes)
      HONE_TRY(placeOutput(i, 0));
    if (!output.placed || output.placedBytes < bytes)
      return makeStatus(HONE_MALFORMED, "the plan gives output '%.128s' %" PRIu64 " bytes, its shape takes %" PRIu64,
                        name, output.placedBytes, bytes);
    output.bytes = bytes;
  }
  return nullptr;
}

hone_status_t hone_session_s::deliver(hone_tensor_t *wanted) {
  auto isThere = [](const OutputState &output) {
    return output.inPlace || output.destination == reinterpret_cast<void *>(output.device->address);
  };
  for (OutputState &output : outputs)
    if (!isThere(output))
      HONE_TRY(driver->download(stream, {output.device, 0, output.bytes}, output.destination));
  HONE_TRY(driver->wait(stream));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputState &output = outputs[i];
    wanted[i].data = output.destination;
    wanted[i].size = output.bytes;
    wanted[i].dtype = output.dtype;
    wanted[i].rank = output.rank;
    memcpy(wanted[i].shape, output.shape, sizeof(wanted[i].shape));
  }
  return nullptr;
}
