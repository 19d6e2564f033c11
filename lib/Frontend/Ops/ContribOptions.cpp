//===- ContribOptions.cpp - What importers read of Microsoft's operators --===//
//
// These operators have no schema that a checker could use, and they grow: a newer option that an importer does not know
// must be refused, not forgotten.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"

#include "lib/Support/NodeLocation.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

namespace {

struct Options {
  StringLiteral opType;
  int inputs;
  StringLiteral attributes; ///< names that importers read, or may overlook, between spaces
};

constexpr int kAny = INT32_MAX;
#define CONV_ATTRIBUTES "auto_pad dilations group kernel_shape pads strides"
#define POOL_ATTRIBUTES "auto_pad ceil_mode kernel_shape pads strides"
#define ATTENTION_ATTRIBUTES                                                                                           \
  "num_heads scale mask_filter_value unidirectional do_rotary past_present_share_buffer rotary_embedding_dim"

constexpr Options kOptions[] = {
    {"Attention", 6, ATTENTION_ATTRIBUTES " qkv_hidden_sizes"},
    {"BiasAdd", 3, ""},
    {"BiasGelu", 2, ""},
    {"BiasSplitGelu", 2, ""},
    {"DequantizeLinear", 3, "axis block_size output_dtype"},
    {"DynamicQuantizeLSTM", 12,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout"},
    {"DynamicQuantizeMatMul", 5, ""},
    // The type of the mask's output is what it is asked for.
    {"EmbedLayerNormalization", 9, "epsilon mask_index_type"},
    {"ExpandDims", 2, ""},
    {"FastGelu", 2, ""},
    {"FusedConv", 4, CONV_ATTRIBUTES " activation activation_params"},
    // None of the activations has a third parameter.
    {"FusedGemm", 3, "alpha beta transA transB activation activation_alpha activation_beta activation_gamma"},
    {"FusedMatMul", 2, "alpha transA transB transBatchA transBatchB"},
    {"GatherBlockQuantized", 4, "bits block_size gather_axis quantize_axis"},
    {"GatherND", 2, "batch_dims"},
    {"Gelu", 1, "approximate"},
    {"GridSample", 2, "align_corners mode padding_mode"},
    {"GroupNorm", 3, "activation channels_last epsilon groups"},
    {"GroupQueryAttention", 16,
     "causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads local_window_size num_heads qk_norm_epsilon "
     "qk_output rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type"},
    {"LayerNormalization", 3, "axis epsilon stash_type"},
    // It computes what the weights are, from their table: training changes nothing.
    {"MatMulBnb4", 3, "K N block_size quant_type training_mode transB"},
    {"MatMulIntegerToFloat", 7, ""},
    // How roughly products may be computed.
    {"MatMulNBits", 6, "K N bits block_size accuracy_level weight_prepacked"},
    {"MultiHeadAttention", 8, "num_heads scale mask_filter_value unidirectional"},
    {"NhwcConv", 3, CONV_ATTRIBUTES},
    {"NhwcFusedConv", 4, CONV_ATTRIBUTES " activation activation_params"},
    {"NhwcMaxPool", 1, POOL_ATTRIBUTES " dilations"},
    {"Pad", 3, "mode"},
    {"QAttention", 9, ATTENTION_ATTRIBUTES},
    {"QEmbedLayerNormalization", 18, "epsilon"},
    {"QGemm", 9, "alpha transA transB"},
    {"QLinearAdd", 8, ""},
    {"QLinearAveragePool", 5, POOL_ATTRIBUTES " channels_last count_include_pad"},
    {"QLinearConcat", kAny, "axis"},
    {"QLinearConv", 9, CONV_ATTRIBUTES " channels_last"},
    {"QLinearGlobalAveragePool", 5, "channels_last"},
    {"QLinearLeakyRelu", 5, "alpha"},
    {"QLinearMul", 8, ""},
    {"QLinearSigmoid", 5, ""},
    {"QLinearSoftmax", 5, "axis opset"},
    {"QLinearWhere", 9, ""},
    {"QuantizeLinear", 3, "axis block_size output_dtype saturate precision"},
    {"QuickGelu", 1, "alpha"},
    {"Range", 3, ""},
    {"RotaryEmbedding", 4, "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
    {"SimplifiedLayerNormalization", 2, "axis epsilon stash_type"},
    {"SkipGroupNorm", 5, "activation channels_last epsilon groups"},
    {"SkipLayerNormalization", 5, "epsilon"},
    {"SkipSimplifiedLayerNormalization", 4, "epsilon"},
    {"TransposeMatMul", 2, "alpha transA transB transBatchA transBatchB"},
    {"Trilu", 2, "upper"},
};

} // namespace

LogicalResult frontend::checkContribOptions(NodeBuilder &node) {
  const Options *options = llvm::find_if(kOptions, [&](const Options &row) { return row.opType == node.opType(); });
  if (options == std::end(kOptions))
    return node.fail("its options are not known");
  const onnx::NodeProto &proto = node.proto();
  SmallVector<StringRef> known;
  options->attributes.split(known, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const onnx::AttributeProto &attribute : proto.attribute())
    if (!llvm::is_contained(known, StringRef(attribute.name())))
      return node.fail("attribute '" + escapeName(attribute.name()) + "' is not supported");
  for (int i = options->inputs; i < proto.input_size(); ++i)
    if (!proto.input(i).empty())
      return node.fail("input #" + Twine(i) + " is not supported");
  return success();
}

LogicalResult frontend::refuseAttributes(NodeBuilder &node, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (node.getInt(name, 0) != 0)
      return node.fail("attribute '" + name + "' is not supported");
  return success();
}
