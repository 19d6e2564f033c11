//===- main.cpp - hone ----------------------------------------------------===//

#include "tools/hone/Commands.h"

int main(int argc, char **argv) { return hone::driver::runHone(argc, argv); }
