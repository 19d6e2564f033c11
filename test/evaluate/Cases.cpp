//===- Cases.cpp - Functions and what they should compute -----------------===//

#include "test/evaluate/Cases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hone;
using namespace hone::evaluate;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Reads one file; the first mistake ends it.
class FileReader {
public:
  FileReader(StringRef path, StringRef text) : path(path), text(text) {}
  llvm::Expected<File> read();

private:
  llvm::Error fail(unsigned line, const Twine &message) {
    return llvm::createStringError(path + ":" + Twine(line) + ": " + message);
  }
  llvm::Error readSection(ArrayRef<StringRef> lines, unsigned firstLine);
  llvm::Error readVariant(std::string text, std::string types, unsigned firstLine);
  llvm::Error readCase(StringRef text, unsigned line, Section &section);
  llvm::Error readBound(StringRef &text, unsigned line, Bound &bound);
  llvm::Error readValues(StringRef &text, unsigned line, std::vector<TextValue> &values);

  StringRef path, text;
  File file;
};

} // namespace

/// What a comment line says; nothing for other lines.
static StringRef comment(StringRef line) {
  line = line.ltrim();
  return line.consume_front("//") ? line.trim() : StringRef();
}

static std::vector<std::string> splitList(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<std::string> list;
  for (StringRef part : parts)
    list.push_back(part.trim().str());
  return list;
}

llvm::Error FileReader::readBound(StringRef &text, unsigned line, Bound &bound) {
  if (!text.consume_front("within "))
    return llvm::Error::success();
  auto [number, rest] = text.ltrim().split(' ');
  double value;
  if (number.getAsDouble(value))
    return fail(line, "expected 'within N ulp' or 'within X', not 'within " + number + "'");
  text = rest.ltrim();
  if (text.consume_front("ulp "))
    bound.ulps = value;
  else
    bound.relative = value;
  text = text.ltrim();
  return llvm::Error::success();
}

llvm::Error FileReader::readValues(StringRef &text, unsigned line, std::vector<TextValue> &values) {
  do {
    std::string error;
    if (!parseValue(text, values.emplace_back(), error))
      return fail(line, error);
    text = text.ltrim();
  } while (text.consume_front(","));
  return llvm::Error::success();
}

llvm::Error FileReader::readCase(StringRef text, unsigned line, Section &section) {
  Case &added = section.cases.emplace_back();
  added.line = line;
  if (llvm::Error error = readBound(text, line, added.bound))
    return error;
  if (!text.consume_front("@"))
    return fail(line, "expected 'EVAL [within BOUND] @function(VALUES) [-> VALUES]'");
  StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  added.function = name.str();
  text = text.drop_front(name.size()).ltrim();
  if (!text.consume_front("("))
    return fail(line, "expected '(' behind @" + name);
  text = text.ltrim();
  if (!text.starts_with(")"))
    if (llvm::Error error = readValues(text, line, added.arguments))
      return error;
  if (!text.consume_front(")"))
    return fail(line, "expected ',' or ')' at '" + text.take_front(20) + "'");
  text = text.ltrim();
  if (text.consume_front("->")) {
    text = text.ltrim();
    if (llvm::Error error = readValues(text, line, added.results))
      return error;
  }
  if (!text.empty())
    return fail(line, "nothing is expected at '" + text.take_front(20) + "'");
  return llvm::Error::success();
}

/// A section with all its types in place.
llvm::Error FileReader::readVariant(std::string text, std::string types, unsigned firstLine) {
  Section section;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (unsigned i = 0; i < lines.size(); ++i) {
    StringRef said = comment(lines[i]);
    if (!said.consume_front("EVAL "))
      continue;
    unsigned line = firstLine + i;
    std::string whole = said.trim().str();
    while (i + 1 < lines.size() &&
           (StringRef(whole).ends_with(",") || StringRef(whole).ends_with("(") || StringRef(whole).ends_with("->")))
      whole += " " + comment(lines[++i]).str();
    if (llvm::Error error = readCase(whole, line, section))
      return error;
  }
  if (section.cases.empty())
    return llvm::Error::success();
  section.text = std::string(firstLine - 1, '\n') + text;
  section.types = std::move(types);
  file.sections.push_back(std::move(section));
  return llvm::Error::success();
}

llvm::Error FileReader::readSection(ArrayRef<StringRef> lines, unsigned firstLine) {
  // (text, types) of all combinations so far.
  std::vector<std::pair<std::string, std::string>> variants = {{llvm::join(lines, "\n"), ""}};
  for (auto [i, line] : llvm::enumerate(lines)) {
    StringRef said = comment(line);
    if (!said.consume_front("FOR "))
      continue;
    auto [name, list] = said.split(" in ");
    std::vector<std::string> types = splitList(list);
    if (types.empty())
      return fail(firstLine + i, "expected 'FOR NAME in TYPE, TYPE'");
    std::vector<std::pair<std::string, std::string>> more;
    for (const auto &[text, known] : variants)
      for (const std::string &type : types) {
        std::string replaced = text, wanted = "$" + name.trim().str();
        for (size_t at = 0; (at = replaced.find(wanted, at)) != std::string::npos; at += type.size())
          replaced.replace(at, wanted.size(), type);
        more.emplace_back(std::move(replaced), known + (known.empty() ? "" : ", ") + name.trim().str() + " = " + type);
      }
    variants = std::move(more);
  }
  for (auto &[text, types] : variants)
    if (llvm::Error error = readVariant(std::move(text), std::move(types), firstLine))
      return error;
  return llvm::Error::success();
}

llvm::Expected<File> FileReader::read() {
  file.path = path.str();
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  unsigned first = 0;
  for (unsigned i = 0; i <= lines.size(); ++i) {
    StringRef said = i < lines.size() ? comment(lines[i]) : StringRef("-----");
    if (said.consume_front("TARGETS:"))
      file.targets = splitList(said);
    if (said != "-----")
      continue;
    if (llvm::Error error = readSection(llvm::ArrayRef(lines).slice(first, i - first), first + 1))
      return error;
    first = i + 1;
  }
  if (file.targets.empty())
    return fail(1, "no line says '// TARGETS: '");
  if (file.sections.empty())
    return fail(1, "no line says '// EVAL '");
  return std::move(file);
}

llvm::Expected<File> evaluate::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + path + ": " + buffer.getError().message());
  return FileReader(path, (*buffer)->getBuffer()).read();
}
