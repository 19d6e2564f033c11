# Sanitizers: HONE_SANITIZE=address,undefined or thread (presets asan and tsan).
#
# Sanitized code and Debian's libMLIR, libLLVM and protobuf live in one process; what that needs is in
# sanitizer_options.cpp. Part of the code may come from another build: HonePrebuilt.cmake.

set(HONE_SANITIZE_FLAGS "")
set(HONE_COMPILER_SANITIZE_FLAGS "")
if(HONE_SANITIZE)
  # The first finding ends the program: nothing can go on after it and look well.
  set(HONE_SANITIZE_FLAGS -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize=vptr
      -fno-sanitize-recover=all)
  add_compile_options(${HONE_SANITIZE_FLAGS})
  add_link_options(-fsanitize=${HONE_SANITIZE})
endif()
if(HONE_SANITIZE MATCHES undefined)
  # A check at every access through a pointer: half of the time to compile MLIR code. Address sanitizer
  # finds the same at run time; unaligned accesses matter where files are mapped, in the runtime.
  set(HONE_COMPILER_SANITIZE_FLAGS -fno-sanitize=null,alignment,object-size)
endif()
