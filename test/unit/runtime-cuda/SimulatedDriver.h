//===- SimulatedDriver.h - What tests ask of the simulated CUDA -*- C++ -*-===//
//
// The library stands in for libcuda.so.1 on machines without a GPU; beside
// CUDA's functions it exports these.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_CUDA_SIMULATEDDRIVER_H
#define HONE_TEST_UNIT_RUNTIME_CUDA_SIMULATEDDRIVER_H

#include <cstddef>
#include <cstdint>

/// Everything that is alive now, and what was done since the start.
struct SimulatedCounts {
  size_t contexts, allocations, pinned, modules, queues, events, graphs, executables;
  size_t calls; ///< of functions that may fail
  size_t launches, graphLaunches, graphsBuilt, nodesChanged, allocationsMade;
  size_t functionsMissed; ///< calls for a function that a module has not
};

extern "C" {
/// Forgets errors and settings; one device of compute capability 9.0.
void simulatedReset();
void simulatedSetDevices(int count, int major, int minor);
/// The `call`-th call from now on (counted over all functions) returns `result`.
void simulatedFailCall(size_t call, int result);
/// The next call of one function returns `result`.
void simulatedFailFunction(const char *name, int result);
/// The `launch`-th kernel that runs from now on faults: every later call fails.
void simulatedFault(size_t launch);
SimulatedCounts simulatedCounts();
}

#endif // HONE_TEST_UNIT_RUNTIME_CUDA_SIMULATEDDRIVER_H
