//===- Run.cpp - Running a session ----------------------------------------===//
//
// Bind, then replay the recorded launches or interpret the plan, then hand the
// outputs over.
//
//===----------------------------------------------------------------------===//

#include "runtime/module/Interpreter.h"
#include "runtime/module/Session.h"

using namespace hone;

hone_status_t hone_session_s::run(const hone_tensor_t *given, size_t inputCount, hone_tensor_t *wanted,
                                  size_t outputCount) {
  hone_status_t status = compute(given, inputCount, wanted, outputCount);
  // Nothing of a run that failed goes on: its buffers may be replaced, and its
  // outputs are the caller's.
  if (status)
    hone_status_free(driver->wait(stream));
  return status;
}

hone_status_t hone_session_s::compute(const hone_tensor_t *given, size_t inputCount, hone_tensor_t *wanted,
                                      size_t outputCount) {
  if (outputCount != outputs.size())
    return makeStatus(HONE_INVALID_ARGUMENT, "%zu outputs are wanted, the model has %zu", outputCount, outputs.size());
  bool sameDims = false;
  HONE_TRY(bindInputs(given, inputCount, sameDims));
  chooseOutputs(wanted);
  if (module->program->replayable() && !synchronous) {
    wantedOutputs = nullptr;
    if (!recorded || !sameDims)
      HONE_TRY(record());
    for (size_t i = 0; i < outputs.size(); ++i)
      HONE_TRY(bindOutput(i, wanted[i]));
    HONE_TRY(driver->replay(stream, recording));
  } else {
    wantedOutputs = wanted;
    hone_status_t status = Interpreter(*this, /*recording=*/false).run();
    if (!status)
      status = finishShapes();
    wantedOutputs = nullptr;
    HONE_TRY(status);
  }
  HONE_TRY(deliver(wanted));
  // The next run of these sizes finds one chunk that is large enough; without
  // memory for it the chunks serve as well.
  hone_status_free(arena.coalesce());
  return nullptr;
}

namespace {
/// Sessions are for one thread at a time; a second one gets an error.
class Turn {
public:
  explicit Turn(std::atomic<bool> &busy) : busy(busy), taken(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (taken)
      busy.store(false, std::memory_order_release);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  bool isOurs() const { return taken; }

private:
  std::atomic<bool> &busy;
  bool taken;
};
} // namespace

static hone_status_t busySession() {
  return makeStatus(HONE_INVALID_ARGUMENT, "the session is running on another thread");
}

hone_status_t hone_session_run(hone_session_t *session, const hone_tensor_t *inputs, size_t input_count,
                               hone_tensor_t *outputs, size_t output_count) {
  if (!session || (!inputs && input_count) || (!outputs && output_count))
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_session_run: NULL");
  Turn turn(session->busy);
  if (!turn.isOurs())
    return busySession();
  return session->run(inputs, input_count, outputs, output_count);
}

static hone_status_t arrangeInputs(hone_session_s &session, const char *const *names, const hone_tensor_t *inputs,
                                   size_t count) {
  uint8_t *seen = session.namedSeen.begin();
  size_t total = session.namedInputs.size();
  for (size_t i = 0; i < total; ++i)
    seen[i] = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t index;
    HONE_TRY(hone_module_find_input(session.module, names[i], &index));
    if (seen[index])
      return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' is given twice", names[i]);
    seen[index] = 1;
    session.namedInputs[index] = inputs[i];
  }
  for (size_t i = 0; i < total; ++i)
    if (!seen[i])
      return makeStatus(HONE_INVALID_ARGUMENT, "input '%.128s' is missing",
                        session.module->table->inputs()->Get(i)->name()->c_str());
  return nullptr;
}

hone_status_t hone_session_run_named(hone_session_t *session, const char *const *input_names,
                                     const hone_tensor_t *inputs, size_t input_count, const char *const *output_names,
                                     hone_tensor_t *outputs, size_t output_count) {
  if (!session || ((!inputs || !input_names) && input_count) || ((!outputs || !output_names) && output_count))
    return makeStatus(HONE_INVALID_ARGUMENT, "hone_session_run_named: NULL");
  Turn turn(session->busy);
  if (!turn.isOurs())
    return busySession();
  HONE_TRY(arrangeInputs(*session, input_names, inputs, input_count));
  Array<hone_tensor_t> &all = session->namedOutputs;
  uint8_t *seen = session->namedSeen.begin() + session->namedInputs.size();
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = {};
    seen[i] = 0;
  }
  size_t index;
  for (size_t i = 0; i < output_count; ++i) {
    HONE_TRY(hone_module_find_output(session->module, output_names[i], &index));
    if (seen[index])
      return makeStatus(HONE_INVALID_ARGUMENT, "output '%.128s' is wanted twice", output_names[i]);
    seen[index] = 1;
    all[index] = outputs[i];
  }
  HONE_TRY(session->run(session->namedInputs.begin(), session->namedInputs.size(), all.begin(), all.size()));
  for (size_t i = 0; i < output_count; ++i) {
    HONE_TRY(hone_module_find_output(session->module, output_names[i], &index));
    outputs[i] = all[index];
  }
  return nullptr;
}
