//===- Files.h - Reading and writing tensors and text -*- C++ -*-===//
//
// Functions return false and set `error`, which names the file. Files are written under a temporary name and renamed:
// there is never half a file. Links are followed; what is no file, as a device or a pipe, is written to as it is.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONERUN_FILES_H
#define HONE_TOOLS_HONERUN_FILES_H

#include "tools/hone-run/Tensor.h"

namespace hone::tools {

bool readFile(const std::string &path, std::vector<uint8_t> &bytes, std::string &error);
bool writeFile(const std::string &path, const void *bytes, size_t size, std::string &error);
/// Makes a directory and its parents.
bool makeDirectory(const std::string &path, std::string &error);

// NumPy's format, all versions, both byte orders, C and Fortran order. Types NumPy does not have are raw bytes to it;
// `wanted` says what the reader expects those to be (and that int8 may stand for int4).
bool decodeNpy(const std::vector<uint8_t> &bytes, hone_dtype_t wanted, HostTensor &tensor, std::string &error);
bool encodeNpy(const HostTensor &tensor, std::vector<uint8_t> &bytes, std::string &error);

// ONNX's TensorProto, every type, raw and typed fields.
bool decodePb(const std::vector<uint8_t> &bytes, HostTensor &tensor, std::string &error);
bool encodePb(const HostTensor &tensor, std::vector<uint8_t> &bytes, std::string &error);

/// By the extension: .npy or .pb.
bool readTensor(const std::string &path, hone_dtype_t wanted, HostTensor &tensor, std::string &error);
/// As .npy where NumPy has the type, otherwise .pb; adds the extension to `stem`, which is within `directory`, and
/// returns the file's name.
bool writeTensor(const std::string &directory, const std::string &stem, const HostTensor &tensor, std::string &file,
                 std::string &error);

/// A name made of what every file system takes, different from those in `taken` (ignoring case), which it joins.
std::string safeFileName(const std::string &name, std::vector<std::string> &taken);

/// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(const std::string &text);
std::string jsonShape(const std::vector<int64_t> &shape);

} // namespace hone::tools

#endif // HONE_TOOLS_HONERUN_FILES_H
