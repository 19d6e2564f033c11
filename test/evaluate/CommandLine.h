//===- CommandLine.h - The program that evaluates ---------------*- C++ -*-===//

#ifndef TEST_EVALUATE_COMMANDLINE_H
#define TEST_EVALUATE_COMMANDLINE_H

namespace hone::evaluate {

/// The whole program; returns its exit code.
int runEvaluate(int argc, char **argv);

} // namespace hone::evaluate

#endif // TEST_EVALUATE_COMMANDLINE_H
