# Sanitizers: HONE_SANITIZE=address,undefined or thread (presets asan and tsan).
#
# Sanitized code and Debian's libMLIR, libLLVM and protobuf live in one process; what that needs is in
# sanitizer_options.cpp. HONE_PREBUILT names a build folder from which the folders that never see a
# byte of a user's file are taken as they are: passes and backends work on verified IR alone, and
# compiling them once more would cost as much as everything else.

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

# Folders that HONE_PREBUILT provides, and exceptions: folding constants computes with a model's values.
set(HONE_PREBUILT_FOLDERS backends passes)
set(HONE_PREBUILT_EXCEPT passes/Simplify)

# Sets <out> to the archive that stands for <folder>, or to nothing.
function(hone_prebuilt_archive folder target out)
  set(${out} "" PARENT_SCOPE)
  if(NOT HONE_PREBUILT)
    return()
  endif()
  string(REGEX MATCH "^[^/]*" top ${folder})
  if(top IN_LIST HONE_PREBUILT_FOLDERS AND NOT folder IN_LIST HONE_PREBUILT_EXCEPT)
    set(archive ${HONE_PREBUILT}/${folder}/lib${target}.a)
    if(NOT EXISTS ${archive})
      message(FATAL_ERROR "${archive} is missing: build ${HONE_PREBUILT} first (./dev build), or give "
                          "-DHONE_PREBUILT= to sanitize everything")
    endif()
    set(${out} ${archive} PARENT_SCOPE)
  endif()
endfunction()
