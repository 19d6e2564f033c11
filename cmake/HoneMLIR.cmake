# Finds MLIR 22 and says how the project's binaries link it.
#
# Programs link libMLIR.so and libLLVM.so, released ones LLVM's archives (StaticLink.cmake). Both in one process
# corrupt LLVM's global tables silently, so every executable goes through hone_link_mlir().

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(HONE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${HONE_LLVM_DEFINITIONS})

# What lld and LLVM compress with.
set(HONE_ZLIB z)
set(HONE_ZSTD zstd)
if(HONE_STATIC)
  find_library(HONE_ZLIB_ARCHIVE libz.a REQUIRED)
  find_library(HONE_ZSTD_ARCHIVE libzstd.a REQUIRED)
  set(HONE_ZLIB ${HONE_ZLIB_ARCHIVE})
  set(HONE_ZSTD ${HONE_ZSTD_ARCHIVE})
  include(StaticLink)
else()
  function(hone_link_mlir target)
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endfunction()
endif()
