"""The rules of the source tree that a compiler does not see.

    check.py SOURCE       checks the tree and prints every violation
    check.py --self-test  checks that each rule can fail, on a small tree made for that

1. Includes point one way: a folder may include itself, the folders named in BELOW, and whatever those may include.
2. Every .cpp file is reached by a list or a glob of a CMakeLists.txt: by its path, or by its name in a folder below.
3. Every header has #pragma once. (tests/usage checks that it has a usage example.)
4. No file has more than LONGEST lines.
"""

import fnmatch
import pathlib
import posixpath
import re
import sys
import tempfile

LONGEST = 500

# Folder -> folders directly below it. A folder that is not named belongs to the one that contains it; a star stands
# for any folder that is not named, and such siblings do not include each other.
BELOW = {
    "src/landfall/parallel": [],
    "src/landfall/mpi": ["src/landfall/parallel"],
    "src/landfall/linalg": ["src/landfall/parallel"],
    "src/landfall/data/io": ["src/landfall/linalg"],
    "src/landfall/data/rows": ["src/landfall/data/io"],
    "src/landfall/data/formats": ["src/landfall/data/rows"],
    "src/landfall/data/synthetic": ["src/landfall/data/formats"],
    "src/landfall/manifold": ["src/landfall/linalg"],
    "src/landfall/landing": ["src/landfall/manifold", "src/landfall/data/rows"],
    "src/landfall/baselines": ["src/landfall/landing"],
    "src/landfall/models/fit": ["src/landfall/baselines", "src/landfall/data/formats"],
    "src/landfall/models/*": ["src/landfall/models/fit"],
    "src/landfall/run": ["src/landfall/models/*"],
    "src/landfall/report": [],
    "apps/landfall/terminal": ["src/landfall/run", "src/landfall/report", "src/landfall/data/synthetic"],
    "apps/landfall/problems": ["src/landfall/run"],
    "apps/landfall/report": ["apps/landfall/terminal", "apps/landfall/problems"],
    "apps/landfall/runs": ["apps/landfall/report"],
    "apps/landfall/reproduce": ["apps/landfall/report"],
    "apps/landfall/commands": ["apps/landfall/runs", "apps/landfall/reproduce"],
    "apps/landfall": ["apps/landfall/commands"],
}
FOR_ALL = {"src/landfall/errors.hpp", "src/landfall/version.hpp"}
UMBRELLA = "src/landfall/landfall.hpp"  # includes everything; no file of the library or the program includes it

CODE = {".cpp", ".hpp", ".ipp", ".py", ".mjs", ".js", ".ts", ".css", ".cmake"}
FOLDERS = ["src", "apps", "python", "tests", "bench", "examples", "tools", "cmake", "web"]


def files(source, suffixes, folders=tuple(FOLDERS)):
    """Paths relative to the source folder, with slashes."""
    for folder in folders:
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file() and "node_modules" not in path.parts:
                yield path.relative_to(source).as_posix()


def component(path):
    """The entry of BELOW to which a file belongs."""
    folder = pathlib.PurePosixPath(path).parent
    while folder.parts:
        for name in (str(folder), str(folder.parent / "*")):
            if name in BELOW:
                return name
        folder = folder.parent
    return None


def may_include(name):
    """All folders that an entry of BELOW may include, itself left out."""
    found = set()
    for below in BELOW[name]:
        found |= {below} | may_include(below)
    return found


def includes(text):
    """(line, name) of each #include; those in comments do not count."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if match:
            yield number, match[1]


def included_file(source, path, name):
    """The file of the tree that an #include means, or None."""
    for folder in (pathlib.PurePosixPath(path).parent, "src", "apps/landfall"):
        if (source / folder / name).is_file():
            return (source / folder / name).resolve().relative_to(source.resolve()).as_posix()
    return None


def sibling(path, other):
    """Whether two files of the same starred entry are in different folders."""
    depth = component(path).count("/") + 1
    return component(path).endswith("*") and path.split("/")[:depth] != other.split("/")[:depth]


def include_violations(source):
    for path in files(source, {".cpp", ".hpp", ".ipp"}, ("src", "apps")):
        if path == UMBRELLA or path in FOR_ALL or path == "src/landfall/version.cpp":
            continue
        own = component(path)
        if own is None:
            yield f"{path}: its folder has no place in the order of includes (BELOW in tests/structure/check.py)"
            continue
        for line, name in includes((source / path).read_text()):
            other = included_file(source, path, name)
            if other is None or other in FOR_ALL:
                continue
            if component(other) == own and not sibling(path, other):
                continue
            if component(other) not in may_include(own):
                yield f"{path}:{line}: includes {name}, but {own} is not above {component(other) or other}"


class Listed:
    """What a CMakeLists.txt says of .cpp files."""

    def __init__(self, source, path):
        text = re.sub(r"#.*", "", path.read_text())
        text = text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
        self.folder = path.parent.relative_to(source).as_posix()
        self.names, self.stems, self.globs, self.excluded = set(), set(), [], []
        for command, arguments in re.findall(r"(\w+)\s*\(([^()]*)\)", text):
            words = arguments.replace('"', "").split()
            if command == "file" and words[0] in ("GLOB", "GLOB_RECURSE"):
                self.globs += [(words[0] == "GLOB_RECURSE", word) for word in words if word.endswith(".cpp")]
            elif command == "list" and words[0] == "FILTER" and "EXCLUDE" in words:
                self.excluded.append(words[-1])
            else:
                self.names |= {posixpath.normpath(f"{self.folder}/{word}") for word in words}
                if command in ("foreach", "set") or command.startswith("landfall_"):
                    self.stems |= {f"{word}.cpp" for word in words}

    def reaches(self, path):
        if path in self.names:
            return True
        if self.folder != "." and not path.startswith(self.folder + "/"):
            return False
        inside = posixpath.relpath(path, self.folder)
        if posixpath.basename(path) in self.stems:
            return True
        if any(re.search(pattern, inside) for pattern in self.excluded):
            return False
        for recursive, glob in self.globs:
            folder, pattern = posixpath.split(posixpath.normpath(f"{self.folder}/{glob}"))
            there = path.startswith(folder + "/") if recursive else posixpath.dirname(path) == folder
            if there and fnmatch.fnmatch(posixpath.basename(path), pattern):
                return True
        return False


def unbuilt_files(source):
    lists = [Listed(source, source / path) for path in ["CMakeLists.txt", *files(source, {".txt"})]
             if posixpath.basename(path) == "CMakeLists.txt"]
    for path in files(source, {".cpp"}, ("src", "apps", "tests", "bench", "examples")):
        if not any(listed.reaches(path) for listed in lists):
            yield f"{path}: no CMakeLists.txt lists it"


def unguarded_headers(source):
    for path in files(source, {".hpp"}):
        if not re.search(r"^#pragma once$", (source / path).read_text(), re.M):
            yield f"{path}: no #pragma once"


def long_files(source):
    for path in files(source, CODE):
        lines = (source / path).read_text().count("\n")
        if lines > LONGEST:
            yield f"{path}: {lines} lines, expected at most {LONGEST}"


def violations(source):
    for rule in (include_violations, unbuilt_files, unguarded_headers, long_files):
        yield from rule(source)


def self_test():
    """A small tree that keeps the rules; then each change to it must be found, and nothing else."""
    library = "file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)\n"
    header = "#pragma once\n"
    tree = {
        "CMakeLists.txt": "add_subdirectory(src/landfall)\n",
        "src/landfall/CMakeLists.txt": library + 'list(FILTER sources EXCLUDE REGEX "^report/")\n',
        "src/landfall/errors.hpp": header,
        "src/landfall/landfall.hpp": header + "#include <landfall/models/cca/cca.hpp>\n",
        "src/landfall/linalg/types.hpp": header + "#include <landfall/errors.hpp>\n",
        "src/landfall/data/io/file.hpp": header,
        "src/landfall/data/rows/batch.hpp": header,
        "src/landfall/manifold/field.hpp": header + "#include <landfall/linalg/types.hpp>\n",
        "src/landfall/landing/solver.hpp": "//   #include <landfall/models/cca/cca.hpp>\n" + header +
                                           "/*\n#include <landfall/models/cca/cca.hpp>\n*/\n"
                                           "#include <landfall/linalg/types.hpp>\n",
        "src/landfall/landing/estimators/split.cpp": '#include "../solver.hpp"\n#include <landfall/landing/solver.hpp>\n',
        "src/landfall/baselines/registry.hpp": header + "#include <landfall/landing/solver.hpp>\n",
        "src/landfall/models/fit/plan.hpp": header,
        "src/landfall/models/cca/cca.hpp": header + "#include <landfall/models/fit/plan.hpp>\n",
        "src/landfall/models/lda/lda.hpp": header,
        "src/landfall/report/CMakeLists.txt": "add_library(landfall_report report.cpp)\n",
        "src/landfall/report/report.cpp": "",
        "apps/landfall/CMakeLists.txt": library,
        "apps/landfall/main.cpp": '#include "terminal/table.hpp"\n#include <landfall/landing/solver.hpp>\n',
        "apps/landfall/terminal/table.hpp": header,
        "apps/landfall/runs/run.hpp": header + '#include "terminal/table.hpp"\n',
        "tests/models/CMakeLists.txt": "# other_test.cpp\nlandfall_test(test_models cca_test.cpp)\n",
        "tests/models/cca_test.cpp": "\n" * LONGEST,
        "bench/CMakeLists.txt": "landfall_bench(step)\ntarget_link_libraries(bench_step PRIVATE landfall)\n",
        "bench/step.cpp": "",
        "examples/CMakeLists.txt": "foreach(name gevp)\n  add_executable(example_${name} ${name}.cpp)\nendforeach()\n",
        "examples/gevp.cpp": "",
        "tests/consumers/find_package/CMakeLists.txt": "add_executable(consumer ../main.cpp)\n",
        "tests/consumers/main.cpp": "",
        "tests/fuzz/CMakeLists.txt": "set(targets csv npy)\n",
        "tests/fuzz/targets/csv.cpp": "",
    }
    broken = {  # file -> what it has instead
        "src/landfall/linalg/up.cpp": "#include <landfall/landing/solver.hpp>\n",
        "src/landfall/data/io/file.hpp": header + "#include <landfall/data/rows/batch.hpp>\n",
        "src/landfall/manifold/data.cpp": "#include <landfall/data/rows/batch.hpp>\n",
        "src/landfall/landing/baseline.cpp": "#include <landfall/baselines/registry.hpp>\n",
        "src/landfall/landing/estimators/split.cpp": "#include <landfall/baselines/registry.hpp>\n",
        "src/landfall/baselines/model.cpp": "  #  include <landfall/models/fit/plan.hpp>\n",
        "src/landfall/models/fit/plan.hpp": header + "#include <landfall/models/cca/cca.hpp>\n",
        "src/landfall/models/cca/sibling.cpp": "#include <landfall/models/lda/lda.hpp>\n",
        "src/landfall/run/everything.cpp": "#include <landfall/landfall.hpp>\n",
        "src/landfall/elsewhere/new.cpp": "",
        "src/landfall/report/page.cpp": "",
        "apps/landfall/terminal/screen.cpp": '#include "runs/run.hpp"\n',
        "tests/models/other_test.cpp": "",
        "tests/models/cca_test.cpp": "\n" * (LONGEST + 1),
        "bench/landfall.cpp": "",
        "examples/forgotten.cpp": "",
        "tests/main.cpp": "",
        "tests/fuzz/targets/idx.cpp": "",
        "src/landfall/landing/bare.hpp": "//   #pragma once\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)

        def write(path, text):
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text(text)

        for path, text in tree.items():
            write(path, text)
        assert list(violations(source)) == [], list(violations(source))
        for path, text in broken.items():
            write(path, text)
            found = list(violations(source))
            assert len(found) == 1 and found[0].startswith(path + ":"), (path, found)
            if path in tree:
                write(path, tree[path])
            else:
                (source / path).unlink()
    print(f"{len(broken)} violations, each found")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    source = pathlib.Path(arguments[0])
    found = list(violations(source))
    checked = len(list(files(source, CODE)))
    if checked < 100:
        raise SystemExit(f"{source}: {checked} files; this is not the source folder")
    if found:
        raise SystemExit("\n".join(found))
    print(f"{checked} files")


if __name__ == "__main__":
    main(sys.argv[1:])
