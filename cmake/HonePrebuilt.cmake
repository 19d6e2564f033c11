# HONE_PREBUILT names a build folder whose archives are linked instead of being compiled again.
#
# With sanitizers: the folders that never see a byte of a user's file. Passes and backends work on verified IR alone, and
# compiling them once more would cost as much as everything else; but folding constants computes with a model's values.
# Without: all, for programs that differ from that build's in what they link.

if(HONE_SANITIZE)
  set(HONE_PREBUILT_FOLDERS backends passes)
  set(HONE_PREBUILT_EXCEPT passes/Simplify)
else()
  set(HONE_PREBUILT_FOLDERS backends dialects lib passes runtime test tools)
  set(HONE_PREBUILT_EXCEPT "")
endif()

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
                          "-DHONE_PREBUILT= to compile everything")
    endif()
    set(${out} ${archive} PARENT_SCOPE)
  endif()
endfunction()
