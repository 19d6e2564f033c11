//===- ModuleInfo.cpp - What a module is made of --------------------------===//
//
// Introspection: everything returned points into the module's table.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Module.h"

using namespace hone;

const char *hone_runtime_version(void) { return "0.1"; }

size_t hone_dtype_size(hone_dtype_t dtype) {
  return static_cast<uint32_t>(dtype) <= UINT8_MAX ? format::elementSize(static_cast<format::DType>(dtype)) : 0;
}

const char *hone_dtype_name(hone_dtype_t dtype) {
  return format::dtypeName(static_cast<uint32_t>(dtype) <= UINT8_MAX ? static_cast<format::DType>(dtype)
                                                                     : format::DType::Invalid);
}

template <typename T> static uint32_t countOf(const T *vector) { return vector ? vector->size() : 0; }

static const char *textOf(const flatbuffers::String *string) { return string ? string->c_str() : ""; }

void hone_module_info(const hone_module_t *module, hone_module_info_t *out_info) {
  const format::Module &table = *module->table;
  hone_module_info_t info = {};
  info.producer = textOf(table.producer());
  info.model = textOf(table.model());
  info.target = textOf(module->program->target());
  info.file_bytes = module->size;
  info.constant_bytes = table.constant_data() ? table.constant_data()->size() : 0;
  if (const auto *executables = table.executables())
    for (const format::Executable *executable : *executables)
      info.code_bytes += executable->code()->size();
  info.arena_bytes = module->program->static_bytes();
  info.lower_bound_bytes = module->program->lower_bound();
  info.arena_bound_bytes = module->program->arena_bound();
  info.intermediate_bytes = module->program->total_bytes();
  info.input_count = countOf(table.inputs());
  info.output_count = countOf(table.outputs());
  info.kernel_count = countOf(table.kernels());
  info.constant_count = countOf(table.constants());
  info.executable_count = countOf(table.executables());
  info.program_count = countOf(table.programs());
  *out_info = info;
}

size_t hone_module_input_count(const hone_module_t *module) { return module->inputCount(); }

size_t hone_module_output_count(const hone_module_t *module) { return module->outputCount(); }

using Tensors = flatbuffers::Vector<flatbuffers::Offset<format::Tensor>>;

static hone_status_t tensorInfo(const Tensors *tensors, size_t index, const char *what, hone_tensor_info_t *outInfo) {
  if (index >= countOf(tensors))
    return makeStatus(HONE_NOT_FOUND, "no %s %zu: the model has %u", what, index, countOf(tensors));
  const format::Tensor &tensor = *tensors->Get(index);
  hone_tensor_info_t info = {};
  info.name = textOf(tensor.name());
  info.dtype = static_cast<hone_dtype_t>(tensor.dtype());
  info.rank = countOf(tensor.dims());
  for (uint32_t i = 0; i < info.rank; ++i) {
    const format::Dim &dim = *tensor.dims()->Get(i);
    info.dims[i] = {dim.size(), textOf(dim.symbol()), dim.min(), dim.max()};
    if (dim.size() >= 0)
      info.dims[i].min = info.dims[i].max = dim.size();
  }
  *outInfo = info;
  return nullptr;
}

hone_status_t hone_module_input_info(const hone_module_t *module, size_t index, hone_tensor_info_t *out_info) {
  return tensorInfo(module->table->inputs(), index, "input", out_info);
}

hone_status_t hone_module_output_info(const hone_module_t *module, size_t index, hone_tensor_info_t *out_info) {
  return tensorInfo(module->table->outputs(), index, "output", out_info);
}

static hone_status_t findTensor(const Tensors *tensors, const char *name, const char *what, size_t *outIndex) {
  if (!name)
    return makeStatus(HONE_INVALID_ARGUMENT, "the name of an %s is NULL", what);
  for (size_t i = 0; i < countOf(tensors); ++i)
    if (!strcmp(textOf(tensors->Get(i)->name()), name)) {
      *outIndex = i;
      return nullptr;
    }
  return makeStatus(HONE_NOT_FOUND, "the model has no %s '%.128s'", what, name);
}

hone_status_t hone_module_find_input(const hone_module_t *module, const char *name, size_t *out_index) {
  return findTensor(module->table->inputs(), name, "input", out_index);
}

hone_status_t hone_module_find_output(const hone_module_t *module, const char *name, size_t *out_index) {
  return findTensor(module->table->outputs(), name, "output", out_index);
}

hone_status_t hone_module_program_info(const hone_module_t *module, size_t index, hone_program_info_t *out_info) {
  if (index >= countOf(module->table->programs()))
    return makeStatus(HONE_NOT_FOUND, "no program %zu: the module has %u", index, countOf(module->table->programs()));
  const format::Program &program = *module->table->programs()->Get(index);
  hone_program_info_t info = {};
  info.target = textOf(program.target());
  info.arena_bytes = program.static_bytes();
  info.lower_bound_bytes = program.lower_bound();
  info.arena_bound_bytes = program.arena_bound();
  info.intermediate_bytes = program.total_bytes();
  info.instruction_words = program.code()->size();
  info.is_selected = &program == module->program;
  *out_info = info;
  return nullptr;
}
