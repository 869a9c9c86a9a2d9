# The two commands are `make demo` and `make test`; both set up the machine first (tools/setup).
.PHONY: build demo test test-kernels torture torture-all bench format lint install python-install clean

BUILD_JOBS := $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3

# The program and the Python package. Tests are configured by `make test`, and stay configured once they are.
build:
	@tools/setup build
	@cmake --preset dev $(if $(wildcard build/CMakeCache.txt),,-DLANDFALL_BUILD_TESTS=OFF) >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS) --target landfall_cli landfall_python_package

demo: build
	@tools/setup demo
	@tools/demo build/landfall

test:
	@tools/setup test
	@cmake --preset dev -DLANDFALL_BUILD_TESTS=ON >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS)
	@ctest --preset dev --parallel $(BUILD_JOBS)
	@tools/test-kernels build other

# The numerical tests under the kernels of OpenBLAS for every processor that this one can stand in for.
test-kernels:
	@tools/setup test
	@cmake --preset dev -DLANDFALL_BUILD_TESTS=ON >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS)
	@tools/test-kernels build

# Random problems, kills, faults, strangers and fuzzing for 20 minutes; then docs/testing.md from its figures.
torture:
	@tools/setup test
	@cmake --preset dev -DLANDFALL_BUILD_TESTS=ON -DLANDFALL_FUZZ_PROGRAM=ON >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS)
	@tests/torture/torture.py build; code=$$?; tools/testing-page build; exit $$code

# All figures of docs/testing.md: before the campaign the kernels, the sanitizers and coverage, which compile the library three times.
torture-all:
	@code=0; $(MAKE) test-kernels || code=1; tools/test-sanitizers build || code=1; tools/coverage build build/torture/coverage.json || code=1; \
	$(MAKE) torture || code=1; exit $$code

bench:
	@tools/setup bench
	@cmake --preset release -DLANDFALL_BUILD_BENCH=ON >/dev/null
	@cmake --build --preset release --parallel $(BUILD_JOBS)
	@bench/run build/release

format:
	@tools/setup format
	@clang-format -i $(SOURCES)

lint:
	@tools/setup lint
	@clang-format --dry-run --Werror $(SOURCES)
	@cmake --preset lint >/dev/null
	@run-clang-tidy -p build/lint -quiet -j $(BUILD_JOBS) '$(CURDIR)/(src|apps|examples)/.*'

install:
	@tools/setup build
	@cmake --preset release -DLANDFALL_BUILD_BENCH=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build --preset release --parallel $(BUILD_JOBS)
	@cmake --install build/release

# Into the environment of PYTHON, a venv made with --system-site-packages: make python-install PYTHON=venv/bin/python
python-install: build
	@tools/setup python
	@LANDFALL_BUILD_DIR=build $(PYTHON) -m pip install --quiet --no-build-isolation --no-deps .

clean:
	@rm -rf build
