"""Recipe for Conan 2: `conan create packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class LibpoolConan(ConanFile):
    name = "libpool"
    license = "BSD-3-Clause"
    description = (
        "Worker pools for the C++ Actor Framework that settle every message "
        "exactly once"
    )
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "with_live": [True, False],
        "with_metrics": [True, False],
        "with_nodes": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "with_live": False,
        "with_metrics": False,
        "with_nodes": False,
    }

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        with open(os.path.join(self._checkout, "libpool", "version.hpp")) as file:
            parts = re.findall(r"#define LIBPOOL_VERSION_\w+ (\d+)", file.read())
        self.version = ".".join(parts)

    def export_sources(self):
        folders = ("actors", "cmake", "libpool", "nodes", "observability", "policies")
        for pattern in ("CMakeLists.txt", "LICENSE", "docs/*", "tools/poolcert"):
            copy(self, pattern, self._checkout, self.export_sources_folder)
        for folder in folders:
            copy(self, f"{folder}/*", self._checkout, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("caf/[>=1.0 <1.2]", transitive_headers=True)
        self.requires("boost/[>=1.74]", transitive_headers=True)
        if self.options.with_live or self.options.with_nodes:
            self.requires("nlohmann_json/[>=3.11]")
        if self.options.with_metrics:
            self.requires("prometheus-cpp/[>=1.0]", transitive_headers=True)
        if self.options.with_nodes:
            self.requires("cnats/[>=3.4]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "TOOLS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"LIBPOOL_{option}"] = False
        for component in ("live", "metrics", "nodes"):
            toolchain.cache_variables[f"LIBPOOL_WITH_{component.upper()}"] = bool(
                self.options.get_safe(f"with_{component}")
            )
        toolchain.cache_variables["CAF_ROOT"] = self.dependencies["caf"].package_folder
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The package's own configuration knows its components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/libpool"]
