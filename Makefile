# The two commands are `make demo` and `make test`; both set up the machine first (tools/setup).
.PHONY: build demo test test-kernels bench format lint install clean

BUILD_JOBS := $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
PREFIX ?= /usr/local

build:
	@tools/setup build
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS)

demo: build
	@tools/demo build/landfall

test:
	@tools/setup build fuzz report
	@$(MAKE) --no-print-directory build
	@ctest --preset dev --parallel $(BUILD_JOBS)
	@tools/test-kernels build other

# The numerical tests under the kernels of OpenBLAS for every processor that this one can stand in for.
test-kernels:
	@tools/setup build
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev --parallel $(BUILD_JOBS)
	@tools/test-kernels build

bench:
	@tools/setup build bench
	@cmake --preset release >/dev/null
	@cmake --build --preset release --parallel $(BUILD_JOBS)
	@bench/run build/release

format:
	@tools/setup lint
	@clang-format -i $(SOURCES)

lint: build
	@tools/setup lint
	@clang-format --dry-run --Werror $(SOURCES)
	@run-clang-tidy -p build -quiet -j $(BUILD_JOBS) '$(CURDIR)/(src|apps|examples)/.*'

install:
	@tools/setup build
	@cmake --preset release -DLANDFALL_BUILD_BENCH=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build --preset release --parallel $(BUILD_JOBS)
	@cmake --install build/release

clean:
	@rm -rf build
