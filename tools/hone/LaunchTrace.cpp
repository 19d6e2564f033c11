//===- LaunchTrace.cpp - The launches of a run, from inside ---------------===//

#include "tools/hone/LaunchTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace hone;
using namespace hone::driver;

LaunchTrace::LaunchTrace(hone_session_s &session, FindStage findStage, Visit done)
    : session(session), findStage(std::move(findStage)), done(std::move(done)) {
  observer.self = this;
  observer.before = [](void *self, const hal::Command &command) {
    return static_cast<LaunchTrace *>(self)->before(command);
  };
  observer.after = [](void *self, const hal::Command &command) {
    return static_cast<LaunchTrace *>(self)->after(command);
  };
  session.observer = &observer;
}

LaunchTrace::~LaunchTrace() { session.observer = nullptr; }

std::vector<uint8_t> &LaunchTrace::shadow(const hal::Buffer *buffer) {
  std::vector<uint8_t> &bytes = shadows[buffer];
  if (bytes.size() < buffer->size)
    bytes.resize(buffer->size);
  return bytes;
}

std::vector<uint8_t> LaunchTrace::shadowOf(const hal::Span &span, llvm::ArrayRef<uint8_t> actual) {
  if (span.buffer->readOnly)
    return actual.vec();
  auto begin = shadow(span.buffer).begin() + span.offset;
  return {begin, begin + span.size};
}

void LaunchTrace::setShadow(const hal::Span &span, llvm::ArrayRef<uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), shadow(span.buffer).begin() + span.offset);
}

hone_status_t LaunchTrace::read(const hal::Span &span, std::vector<uint8_t> &bytes) {
  bytes.resize(span.size);
  if (!span.size)
    return nullptr;
  if (!session.device->unified)
    return session.driver->read(session.stream, span, bytes.data());
  memcpy(bytes.data(), static_cast<const uint8_t *>(span.buffer->host) + span.offset, span.size);
  return nullptr;
}

/// The kernel's number of the buffer that is number `i` of a stage's.
static size_t bufferOf(const LaunchTrace::Stage &stage, size_t i) {
  return stage.buffers && i < stage.buffers->size() ? size_t((*stage.buffers)[i]) : i;
}

/// Whether `command` is one more stage of the pending launch: another function of its kernel on the same bytes.
bool LaunchTrace::continues(const hal::Command &command, const Stage &stage, llvm::StringRef function) const {
  if (!pending || stage.kernel != launch.kernel || llvm::is_contained(stages, function))
    return false;
  for (size_t i = 0; i < command.spanCount; ++i) {
    size_t number = bufferOf(stage, i);
    if (number >= launch.spans.size() || !launch.spans[number].buffer)
      continue;
    const hal::Span &known = launch.spans[number];
    if (known.buffer != command.spans[i].buffer || known.offset != command.spans[i].offset)
      return false;
  }
  return true;
}

std::string LaunchTrace::finish() {
  if (!pending)
    return "";
  pending = false;
  return done(launch);
}

static hone_status_t failed(const std::string &message) {
  return message.empty() ? nullptr : makeStatus(HONE_MODEL_FAILURE, "%s", message.c_str());
}

hone_status_t LaunchTrace::before(const hal::Command &command) {
  if (command.kind != hal::CommandKind::Launch) {
    HONE_TRY(failed(finish()));
    return move(command);
  }
  const format::Kernel &kernel = *session.module->table->kernels()->Get(command.tag);
  llvm::StringRef function = kernel.name()->c_str();
  current = findStage(function);
  bool isFurther = continues(command, current, function);
  if (!isFurther) {
    HONE_TRY(failed(finish()));
    stages.clear();
    pending = true;
    launch = {};
    launch.kernel = current.kernel;
    if (kernel.nodes())
      for (const auto *node : *kernel.nodes())
        launch.nodes.push_back(node->str());
    launch.scalars.assign(command.scalars, command.scalars + command.scalarCount);
  }
  stages.push_back(function.str());
  for (size_t i = 0; i < command.spanCount; ++i) {
    size_t number = bufferOf(current, i), count = std::max(launch.spans.size(), number + 1);
    launch.spans.resize(count);
    launch.before.resize(count);
    launch.after.resize(count);
    if (launch.spans[number].buffer)
      continue;
    launch.spans[number] = command.spans[i];
    HONE_TRY(read(command.spans[i], launch.before[number]));
  }
  return nullptr;
}

hone_status_t LaunchTrace::after(const hal::Command &command) {
  if (command.kind == hal::CommandKind::Launch)
    for (size_t i = 0; i < command.spanCount; ++i)
      HONE_TRY(read(command.spans[i], launch.after[bufferOf(current, i)]));
  return nullptr;
}

/// Copies, fills and single elements, in the shadow.
hone_status_t LaunchTrace::move(const hal::Command &command) {
  const hal::Span &target = command.spans[0];
  std::vector<uint8_t> bytes(target.size);
  if (command.kind == hal::CommandKind::Copy) {
    std::vector<uint8_t> actual;
    HONE_TRY(read(command.spans[1], actual));
    bytes = shadowOf(command.spans[1], actual);
  } else if (command.kind == hal::CommandKind::Fill) {
    std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(command.scalars[0]));
  } else {
    memcpy(bytes.data(), command.scalars, bytes.size());
  }
  setShadow(target, bytes);
  return nullptr;
}
