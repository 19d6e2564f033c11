//===- Library.h - ONNX's own library, without its exceptions ---*- C++ -*-===//
//
// The only door to the checker, shape inference, inliner, version converter and function bodies.
// Those throw; everything here returns an error text instead, empty on success.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_ONNX_LIBRARY_H
#define LIB_FRONTEND_ONNX_LIBRARY_H

#include "onnx/onnx_pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace hone::frontend::library {

/// What went wrong; empty when nothing did.
using Error = std::string;

/// Domain of Softmax, LogSoftmax and Hardmax with the meaning they had before opset 13: along all dimensions from
/// `axis` on at once.
inline constexpr char kFlatDomain[] = "hone.flat";

/// Domain of nodes that were found at fault. Only their names and results remain, so that what ONNX's library and the
/// importer do next goes on without them.
inline constexpr char kRefusedDomain[] = "hone.refused";

/// The ai.onnx opset that importers are written for.
int newestOpset();

Error parse(const char *data, size_t size, onnx::ModelProto &model);

/// Whether ONNX defines the operator at `opset` of its domain (any version of other domains).
bool isKnownOperator(const std::string &domain, const std::string &opType, int opset);

/// What ONNX's schemas say of an operator.
struct OperatorFacts {
  std::set<int> versions; ///< opset versions that changed it, the first one included
  /// Types of its first input (of its first output where it has none), as ONNX writes them: "tensor(float)".
  std::set<std::string> types;
};

/// Every operator whose newest version is not deprecated, by domain and name.
std::map<std::pair<std::string, std::string>, OperatorFacts> operators();

/// Makes a node at fault one of kRefusedDomain.
void refuse(onnx::NodeProto &node);

/// Lets the model and its functions hold refused nodes.
void importRefused(onnx::ModelProto &model);

/// What is wrong with a node, before it is refused; `function` is the one that it lies in, or null.
using NodeReport =
    std::function<void(const onnx::NodeProto &node, const onnx::FunctionProto *function, const Error &message)>;

/// ONNX's checker; `folder` is where external data lies. Nodes at fault are reported and refused; returns what is wrong
/// with the model around them.
std::vector<Error> check(onnx::ModelProto &model, const std::string &folder, const NodeReport &report);

/// Opens external data below `folder`; escaping paths and links are refused.
Error openExternalData(const std::string &folder, const std::string &location, const std::string &tensor, int &fd);

/// Calls `visit` for every dense tensor of the model: initializers and attributes, in subgraphs and functions too.
void forEachTensor(onnx::ModelProto &model, const std::function<void(onnx::TensorProto &)> &visit);

/// Gives "ai.onnx" its short name "" everywhere.
void normalizeDomains(onnx::ModelProto &model);

/// Makes sparse initializers and constants dense.
Error densify(onnx::ModelProto &model);

/// Refuses models whose functions nest too deeply or multiply beyond measure when they are inlined.
Error checkFunctions(onnx::ModelProto &model);

/// Replaces calls of the model's own functions by their bodies.
Error inlineFunctions(onnx::ModelProto &model);

/// Brings the model to the newest opset and infers shapes.
Error modernize(onnx::ModelProto &model);

/// The body ONNX gives the operator of `node`, as a graph at the newest opset whose inputs are the operator's inputs
/// that `node` has. `body` stays null when there is none.
Error functionBody(const onnx::NodeProto &node, const std::vector<onnx::TypeProto> &inputTypes, int opset,
                   std::unique_ptr<onnx::GraphProto> &body);

/// Whether ONNX may have a body for the operator.
bool hasFunctionBody(const std::string &domain, const std::string &opType, int opset);

} // namespace hone::frontend::library

#endif // LIB_FRONTEND_ONNX_LIBRARY_H
