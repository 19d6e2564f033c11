//===- ProtoScan.h - What parsing a model would cost ------------*- C++ -*-===//

#ifndef LIB_FRONTEND_PROTOSCAN_H
#define LIB_FRONTEND_PROTOSCAN_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace hone::frontend {

/// Walks the wire format of a ModelProto without parsing it and estimates the memory its parsed form takes: a file of
/// empty messages grows a hundredfold. Returns an error text when the file is malformed, too deep or would need
/// more than `limit` bytes; empty otherwise.
std::string scanModel(llvm::StringRef bytes, uint64_t limit);

} // namespace hone::frontend

#endif // LIB_FRONTEND_PROTOSCAN_H
