//===- Files.cpp - Reading and writing files ------------------------------===//
//
// Whole files, atomically; names and JSON strings that are safe whatever a model calls its tensors.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace hone::tools;

static bool failed(const std::string &path, const char *what, std::string &error) {
  error = std::string("cannot ") + what + " '" + path + "': " + strerror(errno);
  return false;
}

bool hone::tools::readFile(const std::string &path, std::vector<uint8_t> &bytes, std::string &error) {
  FILE *file = fopen(path.c_str(), "rb");
  if (!file)
    return failed(path, "open", error);
  bytes.clear();
  uint8_t block[1 << 16];
  while (size_t n = fread(block, 1, sizeof(block), file))
    bytes.insert(bytes.end(), block, block + n);
  bool bad = ferror(file);
  fclose(file);
  return bad ? failed(path, "read", error) : true;
}

/// The file that the links at `path` lead to, which need not be there.
static std::string throughLinks(std::string path) {
  std::error_code error;
  // More links than the system follows are a circle, which opening the file will report.
  for (int i = 0; i < 40; ++i) {
    std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error)
      break;
    path = (std::filesystem::path(path).parent_path() / target).string();
  }
  return path;
}

bool hone::tools::writeFile(const std::string &path, const void *bytes, size_t size, std::string &error) {
  std::string target = throughLinks(path);
  struct stat info;
  // A device or a pipe must not be replaced by a file.
  bool exists = !stat(target.c_str(), &info);
  if (!exists && errno != ENOENT)
    return failed(path, "write", error);
  bool direct = exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  std::string written = direct ? target : target + ".tmp." + std::to_string(getpid());
  FILE *file = fopen(written.c_str(), "wb");
  if (!file)
    return failed(path, "write", error);
  bool complete = fwrite(bytes, 1, size, file) == size;
  complete = fclose(file) == 0 && complete;
  if (complete && (direct || rename(written.c_str(), target.c_str()) == 0))
    return true;
  failed(path, "write", error);
  if (!direct)
    unlink(written.c_str());
  return false;
}

bool hone::tools::makeDirectory(const std::string &path, std::string &error) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at < path.size() && path[at] != '/')
      continue;
    std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0777) && errno != EEXIST)
      return failed(path, "make directory", error);
  }
  struct stat info;
  if (stat(path.c_str(), &info) || !S_ISDIR(info.st_mode)) {
    error = "'" + path + "' is not a directory";
    return false;
  }
  return true;
}

static bool endsWith(const std::string &text, const char *end) {
  size_t length = strlen(end);
  return text.size() >= length && !text.compare(text.size() - length, length, end);
}

bool hone::tools::readTensor(const std::string &path, hone_dtype_t wanted, HostTensor &tensor, std::string &error) {
  std::vector<uint8_t> bytes;
  bool npy = endsWith(path, ".npy");
  if (!npy && !endsWith(path, ".pb")) {
    error = "'" + path + "': tensors are read from .npy and .pb files";
    return false;
  }
  if (!readFile(path, bytes, error))
    return false;
  std::string reason;
  if (npy ? decodeNpy(bytes, wanted, tensor, reason) : decodePb(bytes, tensor, reason))
    return true;
  error = "'" + path + "': " + reason;
  return false;
}

bool hone::tools::writeTensor(const std::string &directory, const std::string &stem, const HostTensor &tensor,
                              std::string &file, std::string &error) {
  const TypeInfo *type = findType(tensor.dtype);
  bool npy = type && type->npy;
  std::vector<uint8_t> bytes;
  if (!(npy ? encodeNpy(tensor, bytes, error) : encodePb(tensor, bytes, error)))
    return false;
  file = stem + (npy ? ".npy" : ".pb");
  return writeFile(directory + "/" + file, bytes.data(), bytes.size(), error);
}

std::string hone::tools::safeFileName(const std::string &name, std::vector<std::string> &taken) {
  std::string stem;
  for (char c : name.substr(0, 100)) {
    bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                (c == '.' && !stem.empty());
    stem += safe ? c : '_';
  }
  if (stem.empty())
    stem = "output";
  auto lower = [](std::string text) {
    for (char &c : text)
      c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return text;
  };
  std::string unique = stem;
  for (int n = 1; std::find(taken.begin(), taken.end(), lower(unique)) != taken.end(); ++n)
    unique = stem + "." + std::to_string(n);
  taken.push_back(lower(unique));
  return unique;
}

/// Length of the UTF-8 character at `at`, or 0 when it is none.
static size_t utf8Length(const std::string &text, size_t at) {
  auto lead = static_cast<uint8_t>(text[at]);
  size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (!length || at + length > text.size())
    return 0;
  uint32_t code = length == 1 ? lead : lead & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    auto next = static_cast<uint8_t>(text[at + i]);
    if (next >> 6 != 2)
      return 0;
    code = code << 6 | (next & 0x3f);
  }
  static constexpr uint32_t kLeast[5] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[length] || code > 0x10ffff || surrogate ? 0 : length;
}

std::string hone::tools::jsonString(const std::string &text) {
  std::string json = "\"";
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    size_t length = utf8Length(text, at);
    if (!length) {
      json += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<uint8_t>(c) < ' ' || c == 127) {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", c);
      json += escape;
    } else {
      json.append(text, at, length);
    }
    at += length ? length : 1;
  }
  return json + "\"";
}

std::string hone::tools::jsonShape(const std::vector<int64_t> &shape) {
  std::string json = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    json += (i ? ", " : "") + std::to_string(shape[i]);
  return json + "]";
}
