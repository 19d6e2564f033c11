//===- UserError.cpp - Errors that are not the compiler's -----------------===//

#include "lib/Support/UserError.h"

using namespace mlir;

static constexpr llvm::StringLiteral kMark = "hone.user-error";

InFlightDiagnostic hone::emitUserError(Location loc) {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(StringRef(kMark)));
  return diagnostic;
}

static bool isMarked(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String && argument.getAsString() == kMark;
  });
}

hone::ErrorWatcher::ErrorWatcher(MLIRContext *context) : ScopedDiagnosticHandler(context) {
  setHandler([this](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    userErrors += isMarked(diagnostic);
    return failure();
  });
}
