# Warnings, sanitizers and the linker: the same for every target of the project.

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type -fvisibility=hidden)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-comment> -ffunction-sections -fdata-sections)

include(HoneSanitize)
include(HonePrebuilt)

# /usr/bin/ld.lld may be another LLVM's; name the one that belongs to the compiler.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND EXISTS /usr/lib/llvm-22/bin/ld.lld)
  add_link_options(-fuse-ld=/usr/lib/llvm-22/bin/ld.lld)
endif()
add_link_options(-Wl,--gc-sections -Wl,--as-needed)
if(HONE_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--strip-all)
endif()

# hone_no_exceptions(<target>): MLIR code and the runtime live without exceptions and RTTI.
function(hone_no_exceptions target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
endfunction()
