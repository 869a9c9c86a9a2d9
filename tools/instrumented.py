"""Library and program with other flags, and the test programs of an ordinary build linked with them: compiling the tests again takes longer than
the library."""

import json
import os
import pathlib
import shlex
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent


def source_version():
    """Of the library, as git names it: figures are of one campaign where it is the same."""
    return subprocess.run(["git", "rev-parse", "HEAD:src"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


class Instrumented:
    def __init__(self, build, name, flags):
        """Compiles into BUILD/NAME."""
        self.build, self.out, self.flags = build, build / name, flags
        subprocess.run(["cmake", "-S", root, "-B", self.out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=",
                        f"-DCMAKE_CXX_FLAGS={' '.join(flags)}", "-DLANDFALL_BUILD_TESTS=OFF", "-DLANDFALL_BUILD_EXAMPLES=OFF",
                        "-DLANDFALL_BUILD_PYTHON=OFF"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", self.out, "--parallel", str(os.cpu_count()), "--target", "landfall_cli"], check=True,
                       stdout=subprocess.DEVNULL)
        self.environment = {**os.environ, "LANDFALL_PROGRAM": str(self.out / "landfall")}

    def programs(self):
        """Of the build, one for each folder of tests, without those that take minutes."""
        return sorted(path for path in (self.build / "tests").glob("*/test_*") if path.is_file() and os.access(path, os.X_OK)
                      and path.name not in ("test_reproduce", "test_models_slow"))

    def scripts(self, names):
        """Names and commands of tests that run the program, or another one that is linked with the library."""
        tests = json.loads(subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout)

        def instrumented(word):
            path = pathlib.Path(word)
            if path == self.build / "landfall":
                return str(self.out / "landfall")
            return str(self.link(path)) if path.parent == self.build / "tests/torture" and path.suffix == "" else word

        return [(test["name"], [instrumented(word) for word in test["command"]]) for test in tests["tests"] if test["name"] in names]

    def link(self, program):
        name = str(program.relative_to(self.build))
        command = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", name], check=True, capture_output=True, text=True).stdout
        words = shlex.split(command.strip().split("\n")[-1].split(" && ")[1])
        own = {"liblandfall.a": "src/landfall", "liblandfall_report.a": "src/landfall/report"}
        words = [str(self.out / own[file] / file) if (file := pathlib.Path(word).name) in own else word for word in words]
        linked = self.out / program.name
        words[words.index("-o") + 1] = str(linked)
        subprocess.run([*words, *self.flags], cwd=self.build, check=True)
        return linked
