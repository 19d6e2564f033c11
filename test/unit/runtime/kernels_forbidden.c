//===- kernels_forbidden.c - Calls what kernels may not call -===//
int system(const char *);
void run(void) { system("true"); }
