"""Builds the extension with CMake; everything else is in pyproject.toml.

LANDFALL_BUILD_DIR names a folder that CMake has configured already, such as build/: nothing is compiled again then.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent
SCRATCH = SOURCE / "build" / "wheel"  # not build/, which is CMake's


class CMakeBuild(build_ext):
    def build_extension(self, ext: Extension) -> None:
        folder = pathlib.Path(os.environ.get("LANDFALL_BUILD_DIR") or SCRATCH / "cmake").resolve()
        if not (folder / "CMakeCache.txt").exists():
            options = {
                "CMAKE_BUILD_TYPE": "Release",
                # Run folders and reports need the chart library, which tools/setup gets by npm.
                "LANDFALL_BUILD_APPS": "ON" if (SOURCE / "web/node_modules/uplot").exists() else "OFF",
                "LANDFALL_BUILD_EXAMPLES": "OFF",
                "LANDFALL_BUILD_TESTS": "OFF",
                "Python_EXECUTABLE": sys.executable,
            }
            ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.check_call(
                ["cmake", "-S", str(SOURCE), "-B", str(folder), *ninja, *(f"-D{name}={value}" for name, value in options.items())]
            )
        subprocess.check_call(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1), "--target", "landfall_python"])
        built = next((folder / "python" / "landfall").glob("_core.*.so"))
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)


def version() -> str:
    found = re.search(r"project\(landfall VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


SCRATCH.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    ext_modules=[Extension("landfall._core", [])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)
