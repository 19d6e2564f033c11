//===- main.cpp - hone ----------------------------------------------------===//

#include "lib/Support/CrashHandler.h"
#include "tools/hone/Commands.h"

int main(int argc, char **argv) {
  hone::installCrashHandler(hone::driver::kInternal);
  return hone::driver::runHone(argc, argv);
}
