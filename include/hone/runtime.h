//===- hone/runtime.h - Running compiled models -*- C -*-===//
//
// C11, no dependency but the C library. Stable within one major version: what
// is here is not removed or changed, only added to (structs of options grow at
// their end and carry their size).
//
// Rules that hold for every function:
//  - `create` and `load` write a new object to their last parameter, which the
//    caller owns and gives to the matching `destroy`. NULL may be destroyed.
//  - On failure nothing is written to output parameters, and every object stays
//    usable.
//  - Pointers passed in are borrowed for the call unless said otherwise.
//  - Devices and modules may be used by any number of threads at once; a
//    session by one thread at a time. A module outlives its sessions, a device
//    its modules.
//  - Nothing is global: two devices know nothing of each other.
//
//   hone_device_t *device = NULL;
//   hone_module_t *module = NULL;
//   hone_session_t *session = NULL;
//   hone_status_t status = hone_device_create("cpu", NULL, &device);
//   if (!status)
//     status = hone_module_load_file(device, "model.hone", NULL, &module);
//   if (!status)
//     status = hone_session_create(module, NULL, &session);
//   if (!status)
//     status = hone_session_run(session, inputs, n, outputs, m);
//   if (status) {
//     fprintf(stderr, "%s\n", hone_status_message(status));
//     hone_status_free(status);
//   }
//   hone_session_destroy(session); // then the module, then the device
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_H
#define HONE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HONE_API
#if defined(_WIN32)
#define HONE_API __declspec(dllexport)
#else
#define HONE_API __attribute__((visibility("default")))
#endif
#endif
#ifndef HONE_MUST_USE
#if defined(__GNUC__)
#define HONE_MUST_USE __attribute__((warn_unused_result))
#else
#define HONE_MUST_USE
#endif
#endif

#define HONE_RUNTIME_VERSION_MAJOR 0
#define HONE_RUNTIME_VERSION_MINOR 1

/// "0.1", of the library that is linked.
HONE_API const char *hone_runtime_version(void);

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

typedef enum hone_status_code_e {
  HONE_OK = 0,
  HONE_INVALID_ARGUMENT = 1, ///< the caller passed something wrong
  HONE_NOT_FOUND = 2,        ///< no such device, file or name
  HONE_INCOMPATIBLE = 3,     ///< the module was compiled for another machine
  HONE_MALFORMED = 4,        ///< the module's bytes are damaged
  HONE_OUT_OF_MEMORY = 5,
  HONE_DEVICE_FAILURE = 6,   ///< the driver reported an error
  HONE_MODEL_FAILURE = 7,    ///< the model refuses these values (a bad index, ...)
  HONE_MODEL_REFUSED = 8,    ///< the compiler refuses the model: damaged, or beyond what it can do
  HONE_COMPILER_FAILURE = 9, ///< a mistake of the compiler
} hone_status_code_t;

/// NULL is success. Anything else carries a code and a message and is freed by
/// the receiver with hone_status_free.
typedef struct hone_status_s *hone_status_t;

HONE_API hone_status_code_t hone_status_code(hone_status_t status);
/// One line; valid until the status is freed. "" for NULL.
HONE_API const char *hone_status_message(hone_status_t status);
/// The ONNX nodes of the kernel at fault, separated by ", "; "" where there is
/// none. Valid until the status is freed.
HONE_API const char *hone_status_node(hone_status_t status);
HONE_API void hone_status_free(hone_status_t status);
/// A new status with copies of both texts, for libraries that report like the
/// runtime does. `nodes` may be NULL.
HONE_API HONE_MUST_USE hone_status_t hone_status_create(hone_status_code_t code, const char *message,
                                                        const char *nodes);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

typedef struct hone_device_s hone_device_t;

/// Where the runtime takes memory from. `self` is passed back unchanged.
/// `allocate` returns NULL when there is none; `alignment` is a power of two:
/// 64, or 2 MB for blocks that gain from huge pages. `release` gets the size
/// and alignment that were asked for. Both may be called by any thread that
/// uses the runtime.
typedef struct hone_allocator_s {
  void *self;
  void *(*allocate)(void *self, size_t size, size_t alignment);
  void (*release)(void *self, void *memory, size_t size, size_t alignment);
} hone_allocator_t;

/// Opens "cpu", "cuda:<ordinal>" or "vulkan:<ordinal>", as far as their drivers
/// are built in. `allocator` may be NULL for the C library's (and anonymous
/// mappings on 2 MB pages for large blocks); it must outlive the device.
///
/// Vulkan drivers compile kernels when a module is loaded. If the environment's
/// HONE_PIPELINE_CACHE names a folder, what they compiled is kept there for the
/// next process.
HONE_API HONE_MUST_USE hone_status_t hone_device_create(const char *uri, const hone_allocator_t *allocator,
                                                        hone_device_t **out_device);
HONE_API void hone_device_destroy(hone_device_t *device);
/// What the device is, for people: "cpu: avx2 fma avx512f ...".
HONE_API const char *hone_device_description(const hone_device_t *device);

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

/// Memory of a device, for tensors that stay there from run to run: see
/// HONE_MEMORY_DEVICE. HONE_INCOMPATIBLE where memory has no addresses (Vulkan).
typedef struct hone_buffer_s hone_buffer_t;

HONE_API HONE_MUST_USE hone_status_t hone_buffer_create(hone_device_t *device, size_t size, hone_buffer_t **out_buffer);
HONE_API void hone_buffer_destroy(hone_buffer_t *buffer);
/// The `data` of a tensor in it; on CUDA devices not for the processor to read.
HONE_API void *hone_buffer_data(const hone_buffer_t *buffer);
// Copy from and to host memory, and wait.
HONE_API HONE_MUST_USE hone_status_t hone_buffer_write(hone_buffer_t *buffer, size_t offset, const void *source,
                                                       size_t size);
HONE_API HONE_MUST_USE hone_status_t hone_buffer_read(const hone_buffer_t *buffer, size_t offset, void *target,
                                                      size_t size);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The numbers are those of the module format. Sub-byte types take one byte an
/// element (sign-extended where signed, the low bits of F4E2M1); a bool is one
/// byte, 0 or 1.
typedef enum hone_dtype_e {
  HONE_DTYPE_F64 = 1,
  HONE_DTYPE_F32 = 2,
  HONE_DTYPE_F16 = 3,
  HONE_DTYPE_BF16 = 4,
  HONE_DTYPE_F8E4M3FN = 5,
  HONE_DTYPE_F8E4M3FNUZ = 6,
  HONE_DTYPE_F8E5M2 = 7,
  HONE_DTYPE_F8E5M2FNUZ = 8,
  HONE_DTYPE_F8E8M0 = 9,
  HONE_DTYPE_F4E2M1 = 10,
  HONE_DTYPE_I64 = 16,
  HONE_DTYPE_I32 = 17,
  HONE_DTYPE_I16 = 18,
  HONE_DTYPE_I8 = 19,
  HONE_DTYPE_I4 = 20,
  HONE_DTYPE_I2 = 21,
  HONE_DTYPE_U64 = 32,
  HONE_DTYPE_U32 = 33,
  HONE_DTYPE_U16 = 34,
  HONE_DTYPE_U8 = 35,
  HONE_DTYPE_U4 = 36,
  HONE_DTYPE_U2 = 37,
  HONE_DTYPE_BOOL = 48,
  HONE_DTYPE_MAX_ENUM = 0x7fffffff ///< not a type: makes the enum 32 bits wide
} hone_dtype_t;

/// Bytes of one element in host memory; 0 for a value that is no type.
HONE_API size_t hone_dtype_size(hone_dtype_t dtype);
/// "f32", "i64", "bool", ...; "invalid" for a value that is no type.
HONE_API const char *hone_dtype_name(hone_dtype_t dtype);

#define HONE_MAX_RANK 16

/// A dense row-major tensor, aligned to its element size, in host memory unless
/// hone_session_place_input or _output says otherwise. Owned by the caller
/// throughout, but for outputs whose `data` was NULL.
typedef struct hone_tensor_s {
  void *data;
  size_t size; ///< bytes behind `data`
  hone_dtype_t dtype;
  uint32_t rank;
  int64_t shape[HONE_MAX_RANK];
} hone_tensor_t;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

typedef struct hone_module_s hone_module_t;

/// Where a module's constants live while it is used.
typedef enum hone_constants_e {
  /// In the module's bytes when they are small (up to 1 MB) or would take more
  /// than a quarter of the machine's memory; otherwise the first session copies
  /// them into 2 MB pages, once for all sessions. Networks ran a quarter faster
  /// from those; the copy takes about 0.2 ms per MB.
  HONE_CONSTANTS_AUTO = 0,
  HONE_CONSTANTS_IN_PLACE = 1, ///< no copy: starts at once, shares page cache
  HONE_CONSTANTS_COPY = 2,     ///< always copied
  HONE_CONSTANTS_MAX_ENUM = 0x7fffffff
} hone_constants_t;

typedef struct hone_module_options_s {
  size_t struct_size; ///< sizeof(hone_module_options_t)
  hone_constants_t constants;
  /// Runs the program of this target ("cpu:avx2"); NULL picks the first one in
  /// the module that the device can run.
  const char *target;
  /// Also compares the checksum of the constants: reads all of them. The index
  /// and the code are always compared.
  int verify_constants;
} hone_module_options_t;

/// Verifies and loads a compiled model. `bytes` is borrowed until the module is
/// destroyed and used in place if aligned to 64 bytes. `options` may be NULL.
///
/// Loading is safe for any bytes. Running executes the code within them: run
/// only what you would execute.
HONE_API HONE_MUST_USE hone_status_t hone_module_load(hone_device_t *device, const void *bytes, size_t size,
                                                      const hone_module_options_t *options, hone_module_t **out_module);
/// The same for a file, which is mapped: loading takes milliseconds whatever
/// the size. The file must not be changed while the module lives; replacing it
/// by rename is fine.
HONE_API HONE_MUST_USE hone_status_t hone_module_load_file(hone_device_t *device, const char *path,
                                                           const hone_module_options_t *options,
                                                           hone_module_t **out_module);
HONE_API void hone_module_destroy(hone_module_t *module);

typedef struct hone_dim_info_s {
  int64_t size;       ///< -1: known when run
  const char *symbol; ///< "" for none; dimensions of equal symbol are equal
  int64_t min, max;   ///< what a dimension of size -1 may be
} hone_dim_info_t;

typedef struct hone_tensor_info_s {
  const char *name; ///< the ONNX name
  hone_dtype_t dtype;
  uint32_t rank;
  hone_dim_info_t dims[HONE_MAX_RANK];
} hone_tensor_info_t;

typedef struct hone_module_info_s {
  const char *producer, *model;
  const char *target; ///< of the program that runs on the device
  uint64_t file_bytes, constant_bytes, code_bytes;
  /// Of the program's static plan: the arena, what no plan of its order can
  /// undercut, and the sum of all intermediates.
  uint64_t arena_bytes, lower_bound_bytes, intermediate_bytes;
  /// What a session's `peak_bytes` never exceeds, run-time sizes included,
  /// while extents are in their declared ranges; 0 when nothing is known.
  uint64_t arena_bound_bytes;
  uint32_t input_count, output_count, kernel_count, constant_count;
  uint32_t executable_count, program_count;
} hone_module_info_t;

// What `info` functions write points into the module and lives as long.
HONE_API void hone_module_info(const hone_module_t *module, hone_module_info_t *out_info);
HONE_API size_t hone_module_input_count(const hone_module_t *module);
HONE_API size_t hone_module_output_count(const hone_module_t *module);
HONE_API HONE_MUST_USE hone_status_t hone_module_input_info(const hone_module_t *module, size_t index,
                                                            hone_tensor_info_t *out_info);
HONE_API HONE_MUST_USE hone_status_t hone_module_output_info(const hone_module_t *module, size_t index,
                                                             hone_tensor_info_t *out_info);
HONE_API HONE_MUST_USE hone_status_t hone_module_find_input(const hone_module_t *module, const char *name,
                                                            size_t *out_index);
HONE_API HONE_MUST_USE hone_status_t hone_module_find_output(const hone_module_t *module, const char *name,
                                                             size_t *out_index);

/// One of the module's programs: the same model, planned for one target.
typedef struct hone_program_info_s {
  const char *target;
  uint64_t arena_bytes, lower_bound_bytes, intermediate_bytes, arena_bound_bytes;
  size_t instruction_words;
  int is_selected; ///< this one runs on the device
} hone_program_info_t;
HONE_API HONE_MUST_USE hone_status_t hone_module_program_info(const hone_module_t *module, size_t index,
                                                              hone_program_info_t *out_info);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

typedef struct hone_session_s hone_session_t;

/// Somebody else's threads: `run` calls task(context, i) once for every i below
/// `count`, on any threads, in any order, and returns when all have returned.
typedef struct hone_parallel_for_s {
  void *self;
  void (*run)(void *self, size_t count, void (*task)(void *context, size_t index), void *context);
} hone_parallel_for_t;

typedef struct hone_session_options_s {
  size_t struct_size; ///< sizeof(hone_session_options_t)
  /// How many threads compute, the caller's included: 1 (and 0) starts none.
  uint32_t threads;
  /// Measures every kernel: see hone_session_profile.
  uint32_t profile;
  /// The session's memory; NULL for the device's allocator. Must outlive it.
  const hone_allocator_t *allocator;
  /// Computes on these threads instead of own ones, `threads` wide. Copied.
  const hone_parallel_for_t *parallel_for;
  /// Ends a run with HONE_MODEL_FAILURE after so many plan instructions; 0 for
  /// no limit. Plans without loops end by themselves.
  uint64_t step_limit;
  /// Waits after every kernel: slow, but when a kernel fails on a device that
  /// works by itself, the status says which one.
  uint32_t synchronous;
} hone_session_options_t;

/// Prepares a module for running; `options` may be NULL. Any number of sessions
/// share one module, its code and its constants.
HONE_API HONE_MUST_USE hone_status_t hone_session_create(hone_module_t *module, const hone_session_options_t *options,
                                                         hone_session_t **out_session);
HONE_API void hone_session_destroy(hone_session_t *session);

/// Runs the model once and returns when the outputs are written. Inputs and
/// outputs come in the model's order. Type, rank and shape of every input are
/// checked against the model.
///
/// An output whose `data` is NULL gets memory of the session, valid until its
/// next run; otherwise `data` and `size` are the caller's buffer, which must be
/// large enough. Shape, dtype and `size` (bytes written) are set on return.
/// Inputs and outputs must not overlap.
///
/// Nothing is allocated once the session has run with the same dimensions.
HONE_API HONE_MUST_USE hone_status_t hone_session_run(hone_session_t *session, const hone_tensor_t *inputs,
                                                      size_t input_count, hone_tensor_t *outputs, size_t output_count);

/// The same by names, in any order. All inputs must be given; of the outputs
/// those that are wanted.
HONE_API HONE_MUST_USE hone_status_t hone_session_run_named(hone_session_t *session, const char *const *input_names,
                                                            const hone_tensor_t *inputs, size_t input_count,
                                                            const char *const *output_names, hone_tensor_t *outputs,
                                                            size_t output_count);

/// Where the `data` of a tensor lies.
typedef enum hone_memory_e {
  HONE_MEMORY_HOST = 0,
  /// Memory of the session's device. On the CPU that is host memory; on CUDA
  /// devices `data` is a device address, from hone_buffer_create or any other
  /// user of the primary context.
  HONE_MEMORY_DEVICE = 1,
  HONE_MEMORY_MAX_ENUM = 0x7fffffff
} hone_memory_t;

/// From the next run on, the tensor given for an input lies in this memory. A
/// tensor in device memory that is aligned to 64 bytes is used in place. What
/// writes it must be over before the run starts.
HONE_API HONE_MUST_USE hone_status_t hone_session_place_input(hone_session_t *session, size_t index,
                                                              hone_memory_t memory);
/// The same for an output. With HONE_MEMORY_DEVICE an output whose `data` is
/// NULL stays on the device, in memory of the session.
HONE_API HONE_MUST_USE hone_status_t hone_session_place_output(hone_session_t *session, size_t index,
                                                               hone_memory_t memory);

typedef struct hone_memory_info_s {
  uint64_t arena_bytes;       ///< held for intermediates now
  uint64_t peak_bytes;        ///< most intermediates used so far, static + dynamic
  uint64_t lower_bound_bytes; ///< what no plan of this order could undercut
  uint64_t output_bytes;      ///< held for outputs whose `data` was NULL
  uint64_t constant_bytes;    ///< shared by the module's sessions
  uint64_t allocation_count;  ///< blocks taken since the session was created
} hone_memory_info_t;
HONE_API void hone_session_memory(const hone_session_t *session, hone_memory_info_t *out_info);

/// One kernel (or "(copy)", "(fill)") of a profile.
typedef struct hone_profile_entry_s {
  const char *kernel;
  const char *const *nodes; ///< the ONNX nodes it computes
  size_t node_count;
  uint64_t calls, nanoseconds;
} hone_profile_entry_t;

/// Writes up to `capacity` entries, those with calls only, in the module's
/// order, and returns how many there are. 0 unless the session was created with
/// `profile`. Entries live until the session is destroyed.
HONE_API size_t hone_session_profile(const hone_session_t *session, hone_profile_entry_t *out_entries, size_t capacity);
HONE_API void hone_session_profile_reset(hone_session_t *session);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // HONE_RUNTIME_H
