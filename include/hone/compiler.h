//===- hone/compiler.h - The C API of the compiler --------------*- C -*-===//
//
// ONNX in, a compiled module out, within the process that needs it. What comes
// out is what `hone compile` writes, and what hone/runtime.h loads, from memory
// or from a file.
//
// Rules, which hold for every function:
//  - Pointers passed in are borrowed for the call unless said otherwise.
//  - Nothing is printed and no file is written but those asked for: errors come
//    back as a status, everything there is to say goes to the diagnostic
//    function of the options.
//  - Nothing is global: any number of threads may compile at once. An options
//    object may be used by several compilations as long as nobody changes it.
//
//   hone_compile_options_t *options = NULL;
//   hone_compiled_t *compiled = NULL;
//   hone_status_t status = hone_compile_options_create(&options);
//   if (!status)
//     status = hone_compile_options_set(options, "precision", "f16");
//   if (!status)
//     status = hone_compile_file("model.onnx", options, &compiled);
//   if (!status)
//     status = hone_compiled_write(compiled, "model.hone");
//   if (status) {
//     fprintf(stderr, "%s\n", hone_status_message(status));
//     hone_status_free(status);
//   }
//   hone_compiled_destroy(compiled);
//   hone_compile_options_destroy(options);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_COMPILER_H
#define HONE_COMPILER_H

#include "hone/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// "0.1", of the library that is linked.
HONE_API const char *hone_compiler_version(void);

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// What can be given as target, most wanted first: "cpu" (the machine that
/// compiles), "cpu:avx2", ... NULL for an index out of range.
HONE_API size_t hone_compiler_target_count(void);
HONE_API const char *hone_compiler_target(size_t index);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

typedef enum hone_severity_e {
  HONE_SEVERITY_REMARK = 0, ///< what was or was not optimized, and why; only with the option "remarks"
  HONE_SEVERITY_NOTE = 1,
  HONE_SEVERITY_WARNING = 2,
  HONE_SEVERITY_ERROR = 3,
  HONE_SEVERITY_MAX_ENUM = 0x7fffffff
} hone_severity_t;

/// Valid during the call that hands it over.
typedef struct hone_diagnostic_s {
  hone_severity_t severity;
  const char *message;
  /// The model's file, or the name it was given; "" when it is about options.
  const char *model;
  /// The ONNX nodes it is about, as a model viewer shows them. A node without
  /// a name is called by operator and position: "Relu#4".
  const char *const *nodes;
  size_t node_count;
  /// All of it, with notes, as the command line prints it: lines that end in
  /// a newline.
  const char *text;
} hone_diagnostic_t;

/// Called on the thread that compiles, before the compilation returns.
typedef void (*hone_diagnostic_fn_t)(void *self, const hone_diagnostic_t *diagnostic);

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

typedef struct hone_compile_options_s hone_compile_options_t;

/// Options as `hone compile` has them without arguments.
HONE_API HONE_MUST_USE hone_status_t hone_compile_options_create(hone_compile_options_t **out_options);
HONE_API void hone_compile_options_destroy(hone_compile_options_t *options);
/// An option of `hone compile`, by its name without dashes, with the same
/// values: "target", "dim" ("N=1..8", once for each), "precision", "emit",
/// "disable-pass", "O", ...; flags take "1" and "0". The message of a failure
/// says what would be right.
HONE_API HONE_MUST_USE hone_status_t hone_compile_options_set(hone_compile_options_t *options, const char *name,
                                                              const char *value);
/// Where diagnostics go; `self` is passed back unchanged.
HONE_API void hone_compile_options_set_diagnostics(hone_compile_options_t *options, hone_diagnostic_fn_t report,
                                                   void *self);

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The result of a compilation: bytes, and what is known about them.
typedef struct hone_compiled_s hone_compiled_t;

/// Compiles an ONNX file. `options` may be NULL. A failure has the first error
/// as its message and that error's nodes; HONE_MALFORMED and
/// HONE_INVALID_ARGUMENT are the model's and the options' fault,
/// HONE_COMPILER_FAILURE a mistake of the compiler.
HONE_API HONE_MUST_USE hone_status_t hone_compile_file(const char *path, const hone_compile_options_t *options,
                                                       hone_compiled_t **out_compiled);
/// The same for an ONNX model in memory. `name` stands for its file in
/// diagnostics. Tensors stored outside the model are read from `folder`, and
/// never from outside it; NULL refuses models that have any.
HONE_API HONE_MUST_USE hone_status_t hone_compile_memory(const void *bytes, size_t size, const char *name,
                                                         const char *folder, const hone_compile_options_t *options,
                                                         hone_compiled_t **out_compiled);
HONE_API void hone_compiled_destroy(hone_compiled_t *compiled);

/// The bytes, aligned to 64: hone_module_load uses them in place. They live
/// until the object is destroyed.
HONE_API const void *hone_compiled_data(const hone_compiled_t *compiled);
HONE_API size_t hone_compiled_size(const hone_compiled_t *compiled);
/// Writes them to a file: to a temporary name first, then renamed, so that
/// there is never half a file.
HONE_API HONE_MUST_USE hone_status_t hone_compiled_write(const hone_compiled_t *compiled, const char *path);

/// What became of one target of a module.
typedef struct hone_compiled_target_s {
  const char *target; ///< lives until the object is destroyed
  /// Of the memory plan, in bytes: the arena, what no plan can undercut, and
  /// the sum of all intermediates.
  uint64_t arena_bytes, lower_bound_bytes, intermediate_bytes;
} hone_compiled_target_t;
/// 0 when something else than a module was asked for.
HONE_API size_t hone_compiled_target_count(const hone_compiled_t *compiled);
HONE_API HONE_MUST_USE hone_status_t hone_compiled_target(const hone_compiled_t *compiled, size_t index,
                                                          hone_compiled_target_t *out_target);

/// Reports everything about a model that would not compile, all at once, and
/// compiles nothing. Success when it would.
HONE_API HONE_MUST_USE hone_status_t hone_check_file(const char *path, const hone_compile_options_t *options);
HONE_API HONE_MUST_USE hone_status_t hone_check_memory(const void *bytes, size_t size, const char *name,
                                                       const char *folder, const hone_compile_options_t *options);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // HONE_COMPILER_H
