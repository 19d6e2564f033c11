# The CMake package of an installed Hone: what find_package(Hone) reads.

include(CMakePackageConfigHelpers)
set(package lib/cmake/Hone)
install(EXPORT HoneTargets NAMESPACE Hone:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HoneConfig.cmake.in ${PROJECT_BINARY_DIR}/HoneConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HoneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HoneConfig.cmake ${PROJECT_BINARY_DIR}/HoneConfigVersion.cmake
        DESTINATION ${package})
