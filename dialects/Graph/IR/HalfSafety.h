//===- HalfSafety.h - What becomes of halves in an op -----------*- C++ -*-===//
//
// A half has 11 (f16) or 8 (bf16) digits, and f16 ends at 65504. Two things follow for an op: whether its
// operands may be rounded so, and how large its results are. One word says both; what it means for a range
// of numbers is computed in passes/Quantization.
//
//===----------------------------------------------------------------------===//

#ifndef DIALECTS_GRAPH_IR_HALFSAFETY_H
#define DIALECTS_GRAPH_IR_HALFSAFETY_H

namespace hone::graph {

enum class HalfSafety {
  Single,     ///< operands need all digits of f32, results may be of any size
  Counts,     ///< results are positions or sizes, which halves do not tell apart
  Ends,       ///< operands may be rounded; results are extreme where operands are, or at 0
  Ratio,      ///< as Ends, where the last operand stays away from 0
  Moves,      ///< results are elements of the operands
  Averages,   ///< results lie between elements of the operands; sums are f32
  Sums,       ///< many elements are added, in f32; the sum may be large
  Activation, ///< operands may be rounded, sums are f32, results are what networks scale to be moderate
  Unit,       ///< as Activation, with results between 0 and 1
};

} // namespace hone::graph

#endif // DIALECTS_GRAPH_IR_HALFSAFETY_H
