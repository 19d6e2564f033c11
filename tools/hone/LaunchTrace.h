//===- LaunchTrace.h - The launches of a run, from inside -------*- C++ -*-===//
//
// Follows a run of a module command by command. Beside the memory of the run it keeps a shadow: the bytes
// that there would be if every kernel did what the reference interpreter says. Copies and fills happen in
// both, so what differs in the end was made by kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_HONE_LAUNCHTRACE_H
#define TOOLS_HONE_LAUNCHTRACE_H

#include "runtime/module/Session.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::driver {

/// A kernel with what it read and wrote; all stages of a kernel are one launch.
struct Launch {
  std::string kernel;             ///< the name of its function
  std::vector<std::string> nodes; ///< that it computes
  llvm::SmallVector<int64_t> scalars;
  std::vector<hal::Span> spans;                    ///< of the kernel's buffers; without a buffer where no stage uses it
  std::vector<std::vector<uint8_t>> before, after; ///< of each buffer
};

class LaunchTrace {
public:
  /// `done` is called behind every launch; what it returns is the error that ends the run.
  using Visit = std::function<std::string(const Launch &)>;
  /// Which kernel a function of the module is, or is a stage of, and which of the kernel's buffers it gets, in order;
  /// null: all.
  struct Stage {
    std::string kernel;
    const llvm::SmallVector<int64_t> *buffers = nullptr;
  };
  using FindStage = std::function<Stage(llvm::StringRef function)>;
  LaunchTrace(hone_session_s &session, FindStage findStage, Visit done);
  ~LaunchTrace();
  LaunchTrace(const LaunchTrace &) = delete;
  LaunchTrace &operator=(const LaunchTrace &) = delete;

  /// Behind the run: visits a launch that may have had one more stage.
  std::string finish();

  /// The shadow of a buffer's bytes; of inputs and constants, which nobody writes, those of the run.
  std::vector<uint8_t> shadowOf(const hal::Span &span, llvm::ArrayRef<uint8_t> actual);
  void setShadow(const hal::Span &span, llvm::ArrayRef<uint8_t> bytes);

private:
  hone_status_t before(const hal::Command &command);
  hone_status_t after(const hal::Command &command);
  hone_status_t read(const hal::Span &span, std::vector<uint8_t> &bytes);
  hone_status_t move(const hal::Command &command);
  std::vector<uint8_t> &shadow(const hal::Buffer *buffer);
  bool continues(const hal::Command &command, const Stage &stage, llvm::StringRef function) const;

  hone_session_s &session;
  FindStage findStage;
  Visit done;
  CommandObserver observer;
  llvm::DenseMap<const hal::Buffer *, std::vector<uint8_t>> shadows;
  bool pending = false;
  Launch launch;
  std::vector<std::string> stages; ///< of the pending launch so far
  Stage current;
};

} // namespace hone::driver

#endif // TOOLS_HONE_LAUNCHTRACE_H
