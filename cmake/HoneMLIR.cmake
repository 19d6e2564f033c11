# Finds MLIR 22 and says how the project's binaries link it.
#
# Development and tests link libMLIR.so and libLLVM.so; release binaries link the archives
# (HONE_STATIC). Mixing both in one process corrupts LLVM's global tables silently, so every
# executable goes through hone_link_mlir().

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(HONE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${HONE_LLVM_DEFINITIONS})

if(HONE_STATIC)
  include(StaticLink)
endif()

function(hone_link_mlir target)
  if(HONE_STATIC)
    target_link_libraries(${target} PRIVATE HoneMLIRStatic)
  else()
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endif()
endfunction()
