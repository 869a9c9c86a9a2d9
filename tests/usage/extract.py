"""The usage examples of the documentation, as C++ that can be compiled.

    extract.py files  SOURCE           print the names of the .cpp files there will be, one a line
    extract.py write  SOURCE OUT NAME  write OUT/NAME
    extract.py check  SOURCE           every header has an example, and the rules below hold

The example of a header is the first part of the comment at its top whose lines are indented by three spaces;
empty lines inside it count, a line of prose ends it. The examples of a folder become one file, a function
each, after the #include of the header and of what the example includes itself. README.md's blocks between
```cpp and ``` become functions of readme.cpp, and one with a main() a program of its own,
readme_program_K.cpp. What an example may assume is declared in given.hpp.
"""

import pathlib
import re
import sys

LONGEST = 12  # lines of an example in a header; more belongs into examples/


class Missing(Exception):
    pass


def header_example(text, name):
    """The lines of the example at the top of a header."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        inside = line[2:]
        if inside.startswith("   ") or (lines and not inside.strip()):
            lines.append(inside[3:])
        elif lines:
            break
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise Missing(f"{name}: no usage example in the comment at the top (lines indented by three spaces)")
    if len(lines) > LONGEST:
        raise Missing(f"{name}: the usage example has {len(lines)} lines, expected at most {LONGEST}")
    return lines


def markdown_blocks(text):
    """(number of the first line, lines) of each C++ block."""
    blocks, current = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if current is None and line.strip() == "```cpp":
            current = (number + 1, [])
        elif current is not None and line.strip() == "```":
            blocks.append(current)
            current = None
        elif current is not None:
            current[1].append(line)
    return blocks


def is_program(lines):
    return any(re.match(r"(int|auto) main\(", line) for line in lines)


def as_function(name, lines, origin, first_line):
    """The example in a function; its #include lines go before."""
    includes = [line for line in lines if line.startswith("#include")]
    body = ["" if line.startswith("#include") else line for line in lines]  # keeps the line numbers
    position = f'#line {first_line} "{origin}"'
    return "\n".join(includes + [f"namespace given {{ void {name}() {{", position] + body + ["}}", ""])


def headers(source):
    """Name of the folder -> its headers."""
    folders = {}
    root = source / "src" / "landfall"
    for path in sorted(root.rglob("*.hpp")):
        folders.setdefault(path.parent.name, []).append(path)
    return folders


def readme(source):
    path = source / "README.md"
    return path, markdown_blocks(path.read_text()) if path.exists() else []


def names(source):
    _, blocks = readme(source)
    programs = [f"readme_program_{k}.cpp" for k, (_, lines) in enumerate(blocks, 1) if is_program(lines)]
    return [f"{folder}.cpp" for folder in headers(source)] + ["readme.cpp"] + programs


def content(source, name):
    prelude = '#include "given.hpp"\n'
    path, blocks = readme(source)
    if name.startswith("readme_program_"):
        first, lines = blocks[int(re.findall(r"\d+", name)[0]) - 1]
        return "\n".join([f'#line {first} "{path}"'] + lines + [""])
    parts = [prelude]
    if name == "readme.cpp":
        for first, lines in blocks:
            if not is_program(lines):
                own = any(line.startswith("#include") for line in lines)
                parts.append("" if own else "#include <landfall/landfall.hpp>\n")
                parts.append(as_function(f"readme_line_{first}", lines, path, first))
        return "\n".join(parts)
    for path in headers(source)[name.removesuffix(".cpp")]:
        text = path.read_text()
        lines = header_example(text, path.relative_to(source))
        first = next(k for k, line in enumerate(text.splitlines(), 1) if line.startswith("//   "))
        parts.append(f"#include <{path.relative_to(source / 'src')}>")
        parts.append(as_function(f"usage_of_{path.stem}", lines, path, first))
    return "\n".join(parts)


def check(source):
    top = "// Prose.\n//\n//   a();\n//\n//   b();\n// Prose.\n//   formula\n"
    assert header_example(top, "top.hpp") == ["a();", "", "b();"]
    for bad in ("// Prose alone.\n#pragma once\n//   late();\n", "//   x;\n" * (LONGEST + 1)):
        try:
            header_example(bad, "bad.hpp")
        except Missing as missing:
            assert str(missing).startswith("bad.hpp:")
        else:
            raise AssertionError("a header without a proper example was accepted")
    assert markdown_blocks("```cpp\na\n```\n```sh\nb\n```\n```cpp\nint main() {}\n```\n") == [
        (2, ["a"]), (8, ["int main() {}"])]
    assert is_program(["int main() {}"]) and not is_program(["domain();"])

    written = "".join(content(source, name) for name in names(source))
    count = 0
    for path in (source / "src").rglob("*.hpp"):
        count += 1
        if f"#include <{path.relative_to(source / 'src')}>\n" not in written:
            raise Missing(f"{path.relative_to(source)}: left out")
    print(f"{count} headers, {len(readme(source)[1])} blocks of README.md")


def main(arguments):
    command, source = arguments[0], pathlib.Path(arguments[1])
    if command == "files":
        print("\n".join(names(source)))
    elif command == "write":
        target, text = pathlib.Path(arguments[2]) / arguments[3], content(source, arguments[3])
        if not target.exists() or target.read_text() != text:  # what did not change is not compiled again
            target.write_text(text)
    elif command == "check":
        check(source)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Missing as missing:
        sys.exit(str(missing))
