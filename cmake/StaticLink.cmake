# Released programs need the C library at run time and nothing else.
#
# LLVM, MLIR and the other libraries are linked from archives, which give only what is asked for. The C library stays
# shared: a static one cannot open the libraries of device drivers and compilers (dlopen), and a program runs with every
# later C library than the one it was linked with. Nothing here may meet libLLVM.so or libMLIR.so in one process.

set(HONE_LLVM_TARGETS X86 AArch64)

file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER archives EXCLUDE REGEX "/libMLIR(Test|.*Test)[^/]*\\.a$")
if(NOT archives)
  message(FATAL_ERROR "There are no archives of LLVM in ${LLVM_LIBRARY_DIR}")
endif()

# lld and some passes start every target LLVM knows. Empty functions in place of most keep their code out.
set(stubs ${PROJECT_BINARY_DIR}/llvm-stubs.c)
set(text "/* What is left out of LLVM. Polly belongs to link-time optimization of bitcode, which nothing here links. */\n")
string(APPEND text "void _Z18getPollyPluginInfov(void) { __builtin_trap(); }\n")
foreach(name IN LISTS LLVM_ALL_TARGETS LLVM_TARGETS_TO_BUILD)
  if(name IN_LIST HONE_LLVM_TARGETS OR name IN_LIST stubbed)
    continue()
  endif()
  list(APPEND stubbed ${name})
  foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler TargetMCA)
    string(APPEND text "void LLVMInitialize${name}${part}(void) {}\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${stubs} CONTENT "${text}" @ONLY)
add_library(HoneLlvmStubs STATIC ${stubs})

add_library(HoneLlvmStatic INTERFACE)
target_link_libraries(HoneLlvmStatic INTERFACE HoneLlvmStubs ${archives} ${HONE_ZLIB} ${HONE_ZSTD} ${CMAKE_DL_LIBS} m)

function(hone_link_mlir target)
  target_link_libraries(${target} PRIVATE HoneLlvmStatic)
endfunction()
