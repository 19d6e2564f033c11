//===- UserError.h - Errors that are not the compiler's ---------*- C++ -*-===//
//
// A pass that fails says nothing about whose mistake it is. Errors made here carry a mark that survives
// the pass manager: model, options or machine are at fault, and the compilation ends as for any model that
// cannot be compiled. Every other error behind import counts as a mistake of the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SUPPORT_USERERROR_H
#define LIB_SUPPORT_USERERROR_H

#include "mlir/IR/Diagnostics.h"

namespace hone {

/// An error at the nodes of `loc`: they ask for what is wrong or cannot be done.
mlir::InFlightDiagnostic emitUserError(mlir::Location loc);

/// Watches the errors of a context while alive and leaves them to the handlers around it.
class ErrorWatcher : public mlir::ScopedDiagnosticHandler {
public:
  explicit ErrorWatcher(mlir::MLIRContext *context);
  bool seenAny() const { return errors != 0; }
  /// There were errors, all of them made by `emitUserError`.
  bool userIsAtFault() const { return errors != 0 && errors == userErrors; }

private:
  unsigned errors = 0, userErrors = 0;
};

} // namespace hone

#endif // LIB_SUPPORT_USERERROR_H
