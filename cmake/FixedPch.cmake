# One precompiled header for all MLIR code, at a fixed path outside source and build tree.
#
# CMake's own target_precompile_headers() writes the absolute source path into the header, so two
# checkouts never share compiler-cache entries. This one depends on the compiler, the flags and
# LLVM's headers alone: a fresh clone in another folder hits the cache.

set(HONE_PCH_DIR "/var/tmp/hone-pch" CACHE PATH "Where the shared precompiled header lives")

function(hone_build_pch header)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  list(APPEND flags -std=c++17 -fPIC -fno-exceptions -fno-rtti -fvisibility=hidden
       -ffunction-sections -fdata-sections -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
  list(APPEND flags ${HONE_SANITIZE_FLAGS} ${HONE_COMPILER_SANITIZE_FLAGS})
  list(APPEND flags ${HONE_LLVM_DEFINITIONS})
  foreach(dir IN LISTS LLVM_INCLUDE_DIRS MLIR_INCLUDE_DIRS)
    list(APPEND flags -isystem ${dir})
  endforeach()
  file(READ ${header} text)
  string(SHA1 key "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${flags} ${text}")
  string(SUBSTRING ${key} 0 12 key)
  set(dir ${HONE_PCH_DIR}/${key})
  file(MAKE_DIRECTORY ${dir})
  if(NOT EXISTS ${dir}/pch.h)
    configure_file(${header} ${dir}/pch.h COPYONLY)
  endif()
  # At configure time: a build rule would run again in every new build tree.
  if(NOT EXISTS ${dir}/pch.pch)
    message(STATUS "Building the precompiled header ${dir}/pch.pch")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -x c++-header ${dir}/pch.h -o ${dir}/pch.tmp
                    COMMAND_ERROR_IS_FATAL ANY)
    file(RENAME ${dir}/pch.tmp ${dir}/pch.pch)
  endif()
  set(HONE_PCH_FILE ${dir}/pch.pch CACHE INTERNAL "")
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  hone_build_pch(${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

function(hone_use_pch target)
  if(HONE_PCH_FILE)
    # Executables would be compiled with -fPIE, which the header is not.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp -include-pch ${HONE_PCH_FILE}>")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${HONE_PCH_FILE})
  endif()
endfunction()
