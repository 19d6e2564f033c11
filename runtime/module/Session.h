//===- Session.h - One execution state of a module -*- C++ -*-===//
//
// Everything a run needs, allocated before it: registers, arenas, bindings of
// inputs and outputs, and for replayable programs the recorded launches of the
// last input dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_MODULE_SESSION_H
#define HONE_RUNTIME_MODULE_SESSION_H

#include "runtime/module/Arena.h"
#include "runtime/module/Module.h"
#include "runtime/module/Packing.h"

#include <atomic>

namespace hone {

/// Forwards to the session's allocator and counts.
struct CountingAllocator {
  explicit CountingAllocator(const hone_allocator_t *target);
  hone_allocator_t facade;
  hone_allocator_t target;
  std::atomic<uint64_t> count{0};
};

/// Dimensions of one name are one symbol.
struct SymbolValue {
  const char *name;
  int64_t value;       ///< -1: not seen yet in this run
  uint32_t input, dim; ///< where it was seen
};

struct InputState {
  hone_dtype_t dtype;
  uint32_t rank;
  uint64_t bytes;
  hone_memory_t memory;           ///< where the caller's tensor lies
  bool inPlace;                   ///< kernels read the caller's tensor, not a copy
  hal::Buffer external;           ///< the caller's tensor, in place
  hal::Buffer *device;            ///< its copy otherwise
  int64_t shape[HONE_MAX_RANK];   ///< of the last run
  int32_t symbols[HONE_MAX_RANK]; ///< position among the symbols, or -1

  hal::Buffer *buffer() { return inPlace ? &external : device; }
};

struct OutputState {
  hone_dtype_t dtype;
  uint32_t rank;
  bool placed;          ///< the plan has asked for its memory in this run
  uint64_t placedBytes; ///< what it asked for and may write
  uint64_t bytes;       ///< what the shape takes
  hone_memory_t memory;
  bool inPlace;
  hal::Buffer external;
  hal::Buffer *device;
  void *owned; ///< the session's memory, when the caller gives none
  uint64_t ownedSize;
  void *destination;            ///< where the bytes go in this run
  int64_t shape[HONE_MAX_RANK]; ///< -1 where nothing has said it yet
  int32_t symbols[HONE_MAX_RANK];

  hal::Buffer *buffer() { return inPlace ? &external : device; }
};

/// One Reserve instruction, with its last packing.
struct ReserveSite {
  size_t at;    ///< its word in the code
  size_t first; ///< among the session's packed buffers
  size_t count;
  bool packed;
  Packing packing;
};

/// An open Reserve.
struct Frame {
  Arena::Mark mark;
  uint64_t lowerBound;
};

/// Memory that a program enlarges while it runs; kept from run to run.
struct GrowingMemory {
  hal::Buffer *buffer;
  uint64_t used; ///< the most bytes asked for in this run
};

/// Sees every command, before and when it is done; for tools that look inside of a run. The session must be
/// synchronous.
struct CommandObserver {
  void *self;
  hone_status_t (*before)(void *self, const hal::Command &command);
  hone_status_t (*after)(void *self, const hal::Command &command);
};

/// A command whose operands still lie in growing arrays.
struct Recorded {
  hal::Command command;
  size_t spans, scalars;
};

} // namespace hone

struct hone_session_s {
  hone_session_s(hone_module_t *module, const hone_allocator_t *allocator);
  ~hone_session_s();

  hone_status_t create(const hone_session_options_t &options);
  hone_status_t run(const hone_tensor_t *given, size_t inputCount, hone_tensor_t *outputs, size_t outputCount);

  // Bindings.cpp
  hone_status_t createBindings();
  hone_status_t bindInputs(const hone_tensor_t *given, size_t count, bool &sameDims);
  /// Says in which memory an input or output lies from now on.
  template <typename State> hone_status_t place(State &state, hone_memory_t memory);
  /// Whether kernels can use a tensor of the caller where it lies.
  bool isUsable(hone_memory_t memory, const void *data) const;
  /// Decides which outputs kernels write in place.
  void chooseOutputs(const hone_tensor_t *wanted);
  /// Gives an output memory for `bytes`: the caller's or the session's.
  hone_status_t placeOutput(size_t index, uint64_t bytes);
  /// Finds where the bytes of a placed output go.
  hone_status_t bindOutput(size_t index, const hone_tensor_t &wanted);
  hone_status_t bindDims();
  hone_status_t finishShapes();
  hone_status_t deliver(hone_tensor_t *outputs);
  void forgetOutputs();

  // Session.cpp
  /// Interprets the program into `recording`.
  hone_status_t record();
  hone_status_t ready(hone::hal::Recording *&slot);
  bool inputsAreStatic() const;
  /// Nothing is asked for yet; the program has ended, so what was outgrown goes.
  void resetGrowing();

  hone_module_t *module;
  hone::hal::Device *device;
  const hone::hal::DeviceTable *driver;
  hone::CountingAllocator counter;
  const hone_allocator_t *allocator;
  hone::hal::Stream *stream = nullptr;
  uint64_t stepLimit = 0;
  bool synchronous = false;
  const hone::CommandObserver *observer = nullptr;
  std::atomic<bool> busy{false};

  hone::Array<hone::SymbolValue> symbols;
  hone::Array<hone::InputState> inputs;
  hone::Array<hone::OutputState> outputs;
  const hone_tensor_t *wantedOutputs = nullptr; ///< of the run in progress
  bool dimsKnown = false;

  hone::Array<int64_t> registers;
  hone::Array<hone::hal::Span> buffers;
  hone::hal::Buffer *staticArena = nullptr;
  hone::Arena arena;
  hone::Array<hone::ReserveSite> sites;
  hone::Array<hone::PackedBuffer> packed;
  hone::Array<uint32_t> packScratch;
  hone::Array<hone::Frame> frames;
  uint64_t openLowerBound = 0, dynamicLowerBound = 0;
  hone::Array<hone::GrowingMemory> growing;
  hone::Array<hone::hal::Buffer *> outgrown; ///< kept until nothing of the run can refer to them

  bool recorded = false;
  hone::hal::Recording *recording = nullptr;
  hone::Array<hone::Recorded> commands;
  hone::Array<hone::hal::Span> spanPool;
  hone::Array<int64_t> scalarPool;
  hone::Array<hone::hal::Command> flatCommands;

  hone::Array<hone::hal::Timer> timers;
  hone::Array<hone_tensor_t> namedInputs, namedOutputs;
  hone::Array<uint8_t> namedSeen;

private:
  hone_status_t compute(const hone_tensor_t *given, size_t inputCount, hone_tensor_t *wanted, size_t outputCount);
  hone_status_t createState();
  hone_status_t createSites();
};

#endif // HONE_RUNTIME_MODULE_SESSION_H
