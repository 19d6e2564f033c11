//===- NodeLocation.cpp - ONNX nodes as source locations ------------------===//

#include "lib/Support/NodeLocation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

std::string hone::escapeName(StringRef name) {
  std::string result;
  for (unsigned char c : name) {
    if (c >= 0x20 && c < 0x7f && c != '\\')
      result += c;
    else
      result += "\\x" + llvm::toHex(StringRef(reinterpret_cast<const char *>(&c), 1));
  }
  return result;
}

Location hone::nodeLocation(MLIRContext *context, StringRef file, unsigned index, StringRef name, StringRef opType) {
  Builder builder(context);
  auto where = FileLineColLoc::get(context, file, index, /*column=*/0);
  std::string shown = name.empty() ? (opType + "#" + Twine(index)).str() : escapeName(name);
  return NameLoc::get(builder.getStringAttr(shown), where);
}

/// Calls `visit` for every node of `loc`, once per distinct location.
static void forEachNode(Location loc, llvm::function_ref<void(NameLoc, FileLineColLoc)> visit) {
  llvm::SmallPtrSet<const void *, 8> seen;
  loc->walk([&](Location part) {
    auto node = dyn_cast<NameLoc>(part);
    if (!node)
      return WalkResult::advance();
    if (seen.insert(node.getAsOpaquePointer()).second)
      visit(node, dyn_cast<FileLineColLoc>(node.getChildLoc()));
    return WalkResult::skip();
  });
}

SmallVector<std::string> hone::nodeNames(Location loc) {
  SmallVector<std::string> names;
  llvm::StringSet<> seen;
  forEachNode(loc, [&](NameLoc node, FileLineColLoc) {
    if (seen.insert(node.getName().getValue()).second)
      names.push_back(node.getName().str());
  });
  return names;
}

void hone::printNodes(Location loc, llvm::raw_ostream &os) {
  bool first = true;
  forEachNode(loc, [&](NameLoc node, FileLineColLoc where) {
    if (!first)
      os << ", ";
    else if (where)
      os << where.getFilename().getValue() << ": ";
    os << "node '" << node.getName().getValue() << "'";
    if (where)
      os << " (#" << where.getLine() << ")";
    first = false;
  });
  if (!first)
    return;
  if (auto where = dyn_cast<FileLineColLoc>(loc))
    os << where.getFilename().getValue();
  else if (isa<UnknownLoc>(loc))
    os << "hone";
  else
    os << loc;
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

hone::DiagnosticSink hone::printTo(llvm::raw_ostream &os) {
  return [&os](const NodeDiagnostic &diagnostic) { os << diagnostic.text; };
}

hone::NodeDiagnosticHandler::NodeDiagnosticHandler(MLIRContext *context, DiagnosticSink sink, bool withRemarks)
    : ScopedDiagnosticHandler(context) {
  setHandler([this, sink = std::move(sink), withRemarks](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && !withRemarks)
      return success();
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    NodeDiagnostic report{diagnostic.getSeverity(), diagnostic.str(), "", nodeNames(diagnostic.getLocation()), ""};
    if (auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      report.file = file.getFilename().str();
    llvm::raw_string_ostream stream(report.text);
    auto print = [&stream](Diagnostic &part) {
      printNodes(part.getLocation(), stream);
      stream << ": " << severityName(part.getSeverity()) << ": " << part << "\n";
    };
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
    if (printed.insert(report.text).second)
      sink(report);
    return success();
  });
}
