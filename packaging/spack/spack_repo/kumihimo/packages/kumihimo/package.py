# Kumihimo for Spack 1.0 or later. From the top of the checkout:
#   spack repo add packaging/spack/spack_repo/kumihimo && spack install kumihimo

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *

CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))


class Kumihimo(CMakePackage):
    """XcalableMP: compiles C and Fortran programs with directives to parallel programs on top of
    MPI. Also a file engine for any MPI program, and a benchmark of MPI communication."""

    homepage = f"file://{CHECKOUT}/README.md"
    # Built from the checkout that this recipe lies in. For a released tarball add the line that
    # tools/release prints; Spack looks for the file in the directory where it runs.
    git = f"file://{CHECKOUT}"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("netcdf", default=True, description="netCDF for distributed arrays, by PnetCDF")
    variant("fortran", default=True, description="xmpf90, for Fortran programs with directives")

    depends_on("c", type=("build", "run"))
    depends_on("cxx", type="build")
    depends_on("fortran", type=("build", "run"), when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi")
    depends_on("fmt@9:")
    depends_on("asio@1.22.1:", type="build")
    depends_on("xxhash", type="build")
    depends_on("zstd")
    depends_on("nlohmann-json", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("abseil-cpp cxxstd=20", type=("build", "link"))
    depends_on("parallel-netcdf+shared", when="+netcdf")

    requires(
        "^[virtuals=mpi] openmpi",
        "^[virtuals=mpi] mpich",
        policy="one_of",
        msg="the MPI must be Open MPI or MPICH",
    )
    conflicts("%gcc@:10", msg="C++20 needs gcc 11 or later")

    generator("ninja")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/kumihimo-{version}.tar.gz"

    def cmake_args(self):
        family = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
        arguments = [
            self.define("KUMIHIMO_TESTS", False),
            self.define("KUMIHIMO_KNOWN_FAMILIES", family),
            self.define(f"KUMIHIMO_{family.upper()}_CC", self.spec["mpi"].prefix.bin.mpicc),
        ]
        if self.spec.satisfies("+netcdf"):
            prefix = self.spec["parallel-netcdf"].prefix
            arguments.append(self.define(f"KUMIHIMO_PNETCDF_{family.upper()}", prefix))
        if self.spec.satisfies("~fortran"):
            arguments.append(self.define("CMAKE_Fortran_COMPILER", "NOTFOUND"))
        return arguments

    def test_doctor(self):
        """the doctor compiles and runs a program on two nodes"""
        Executable(self.prefix.bin.kumihimo)("doctor")
