//===- kernels_constructor.c - Code that wants to run when it is loaded -===//
static volatile int loaded;
__attribute__((constructor)) static void initialize(void) { loaded = 1; }
void run(void) { loaded = 2; }
