# The Debian package: `cmake --build --preset release --target deb` writes shopbell_VERSION_ARCH.deb into the build
# directory. Its other files are in deploy/, or are printed by the binary itself.
set(package_release 1)
set(package_version ${PROJECT_VERSION}-${package_release})
set(package_maintainer "Shopbell maintainers <maintainers@shopbell.example>")
set(deploy ${CMAKE_SOURCE_DIR}/deploy)
set(made ${CMAKE_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${made})

# Every process serves the API and runs jobs; neither can be turned off. So there is no unit for one of the two.
# shopbell@.service runs additional whole processes on one machine, each on its own ports.
set(unit_note "One process does everything: it serves the API, runs jobs and maintains the database.")
configure_file(${deploy}/shopbell.service.in ${made}/shopbell.service @ONLY)
set(unit_note "Another process like shopbell.service, on its own ports: shopbell@8081 serves on 127.0.0.1:8081, its
# health, readiness and metrics are on port 18081. Every process serves the API and runs jobs.")
set(unit_suffix " (port %i)")
set(unit_environment
    "Environment=SHOPBELL_HTTP_LISTEN=127.0.0.1:%i SHOPBELL_PRIVATE_LISTEN=127.0.0.1:1%i\n")
configure_file(${deploy}/shopbell.service.in ${made}/shopbell@.service @ONLY)
configure_file(${deploy}/debian/changelog.in ${made}/changelog @ONLY)

add_custom_command(
  OUTPUT ${made}/shopbell.1.gz ${made}/shopbell.toml.example ${made}/changelog.Debian.gz ${made}/shopbell.spdx.json
  COMMAND bash -euo pipefail -c "\"$1\" \"$2\" | gzip -9n >\"$3\"" man_page
          ${deploy}/man_page $<TARGET_FILE:shopbell> ${made}/shopbell.1.gz
  COMMAND bash -euc "\"$1\" config >\"$2\"" example $<TARGET_FILE:shopbell> ${made}/shopbell.toml.example
  COMMAND bash -euc "gzip -9n <\"$1\" >\"$1.Debian.gz\"" changelog ${made}/changelog
  COMMAND bash -euc "\"$1\" \"$2\" \"$3\" >\"$4\"" sbom
          ${deploy}/sbom $<TARGET_FILE:shopbell> ${package_version} ${made}/shopbell.spdx.json
  DEPENDS shopbell ${deploy}/man_page ${deploy}/sbom ${made}/changelog
  VERBATIM)

# Destinations are relative to the root of the file system: only the package is installed.
install(TARGETS shopbell RUNTIME DESTINATION usr/bin)
install(FILES ${made}/shopbell.service ${made}/shopbell@.service DESTINATION usr/lib/systemd/system)
install(FILES ${deploy}/sysusers.conf DESTINATION usr/lib/sysusers.d RENAME shopbell.conf)
install(FILES ${deploy}/completion.bash DESTINATION usr/share/bash-completion/completions RENAME shopbell)
install(FILES ${made}/shopbell.1.gz DESTINATION usr/share/man/man1)
install(FILES ${made}/shopbell.toml.example ${made}/changelog.Debian.gz ${made}/shopbell.spdx.json
        ${deploy}/debian/copyright DESTINATION usr/share/doc/shopbell)
install(FILES ${deploy}/debian/lintian-overrides DESTINATION usr/share/lintian/overrides RENAME shopbell)
install(DIRECTORY DESTINATION etc/shopbell)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME shopbell)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${package_release})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${package_maintainer})
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "marketing automation for online stores
A shop's backend tells Shopbell over HTTP who its customers are and what they
do. Shopbell keeps that in PostgreSQL, so that the right mail, coupon or
webhook can follow. One process beside one PostgreSQL, 17 or newer.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Time zones and certificates are data, so dpkg-shlibdeps does not find these dependencies. adduser creates the user on
# machines without systemd.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, ca-certificates, tzdata")
# librdkafka is loaded at run time if Kafka is configured, so dpkg-shlibdeps does not find it either.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS librdkafka1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS postgresql)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${deploy}/debian/postinst;${deploy}/debian/prerm;${deploy}/debian/postrm")
include(CPack)

add_custom_target(deb
  COMMAND ${CMAKE_CPACK_COMMAND} -G DEB
  DEPENDS shopbell ${made}/shopbell.1.gz ${made}/shopbell.toml.example ${made}/changelog.Debian.gz
          ${made}/shopbell.spdx.json
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  VERBATIM)
