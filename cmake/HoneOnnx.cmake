# ONNX's own C++ library (checker, shape inference, inliner, version converter), compiled from the
# sources inside the Python package `onnx`: target onnxcore.
#
# Protobuf's lite runtime keeps descriptors out of the process, so that an application may load
# another ONNX library beside ours.

set(Protobuf_USE_STATIC_LIBS ${HONE_STATIC})
find_package(Protobuf REQUIRED)

hone_prebuilt_archive(lib/Frontend onnxcore prebuilt)
if(prebuilt AND NOT HONE_SANITIZE)
  add_library(onnxcore INTERFACE)
  target_link_libraries(onnxcore INTERFACE ${prebuilt} protobuf::libprotobuf-lite)
  return()
endif()

if(EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(HONE_ONNX_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python)
else()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(HONE_ONNX_PYTHON ${Python3_EXECUTABLE})
endif()
set(HONE_ONNX_ROOT "" CACHE PATH "Folder that holds the package folder onnx/ (default: the Python package's)")
set(root "${HONE_ONNX_ROOT}")
if(NOT root)
  # Finding the package must not run it: importing onnx takes a second.
  execute_process(
    COMMAND ${HONE_ONNX_PYTHON} -c
      "import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec('onnx').origin)))"
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
endif()
if(NOT EXISTS ${root}/onnx/defs/schema.cc)
  message(FATAL_ERROR "The Python package onnx with its C++ sources was not found (asked ${HONE_ONNX_PYTHON}). "
                      "Run ./dev setup, or set HONE_ONNX_ROOT to the folder that holds onnx/.")
endif()
message(STATUS "ONNX sources: ${root}/onnx")

set(generated ${PROJECT_BINARY_DIR}/onnxcore)
file(MAKE_DIRECTORY ${generated}/onnx)
set(proto_sources "")
foreach(proto onnx-ml onnx-operators-ml onnx-data)
  # Beside the generated code, so that protoc sees the import path onnx/... and nothing else.
  configure_file(${root}/onnx/${proto}.proto ${generated}/onnx/${proto}.proto COPYONLY)
  add_custom_command(
    OUTPUT ${generated}/onnx/${proto}.pb.cc ${generated}/onnx/${proto}.pb.h
    COMMAND protobuf::protoc --proto_path=${generated} --cpp_out=${generated} ${generated}/onnx/${proto}.proto
    DEPENDS ${generated}/onnx/${proto}.proto
    COMMENT "Generating onnx/${proto}.pb.cc")
  list(APPEND proto_sources ${generated}/onnx/${proto}.pb.cc)
endforeach()

file(GLOB_RECURSE library_sources ${root}/onnx/common/*.cc ${root}/onnx/shape_inference/*.cc
     ${root}/onnx/version_converter/*.cc ${root}/onnx/inliner/*.cc)
file(GLOB_RECURSE schema_sources ${root}/onnx/defs/*.cc)
list(APPEND library_sources ${root}/onnx/checker.cc)
list(FILTER library_sources EXCLUDE REGEX "_test\\.cc$")

set(onnx_definitions ONNX_ML=1 ONNX_NAMESPACE=onnx ONNX_USE_LITE_PROTO=1 __ONNX_NO_DOC_STRINGS)
set(onnx_includes ${generated} ${root} ${Protobuf_INCLUDE_DIRS})

# The schemas are tables that are read once: optimizing them costs minutes and buys nothing.
add_library(onnxschemas OBJECT ${schema_sources})
add_library(onnxcore STATIC ${proto_sources} ${library_sources} $<TARGET_OBJECTS:onnxschemas>)
add_custom_target(onnxprotos DEPENDS ${proto_sources})
add_dependencies(onnxschemas onnxprotos)
add_dependencies(onnxcore onnxprotos)
add_dependencies(hone-headers onnxprotos)
# Two schemas of 1.23 use their texts whatever this definition says.
set_source_files_properties(${root}/onnx/defs/doc_strings.cc PROPERTIES
  COMPILE_OPTIONS -U__ONNX_NO_DOC_STRINGS SKIP_PRECOMPILE_HEADERS ON)
foreach(target onnxschemas onnxcore)
  target_compile_definitions(${target} PRIVATE ${onnx_definitions})
  target_include_directories(${target} SYSTEM PRIVATE ${onnx_includes})
  target_compile_options(${target} PRIVATE -w ${HONE_COMPILER_SANITIZE_FLAGS})
endforeach()
target_compile_options(onnxschemas PRIVATE -O0)
target_compile_options(onnxcore PRIVATE -O1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_precompile_headers(onnxschemas PRIVATE ${root}/onnx/defs/function.h)
  target_compile_options(onnxschemas PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endif()
target_compile_definitions(onnxcore INTERFACE ${onnx_definitions})
target_include_directories(onnxcore SYSTEM INTERFACE ${onnx_includes})
target_link_libraries(onnxcore PUBLIC protobuf::libprotobuf-lite)
