//===- evaluate.cpp - Runs graph functions and compares their results -----===//

#include "test/evaluate/CommandLine.h"

int main(int argc, char **argv) { return hone::evaluate::runEvaluate(argc, argv); }
