//===- GraphOps.td - All operations of the graph dialect ---*- tablegen -*-===//

#ifndef DIALECTS_GRAPH_IR_GRAPHOPS
#define DIALECTS_GRAPH_IR_GRAPHOPS

include "dialects/Graph/IR/ElementwiseOps.td"
include "dialects/Graph/IR/ContractionOps.td"
include "dialects/Graph/IR/ReductionOps.td"
include "dialects/Graph/IR/MovementOps.td"
include "dialects/Graph/IR/SamplingOps.td"
include "dialects/Graph/IR/StructureOps.td"

#endif // DIALECTS_GRAPH_IR_GRAPHOPS
