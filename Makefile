# The front door. `make help` says what there is; CMake does the building (cmake -S . -B build works alone, too).
BUILD ?= build
PREFIX ?= /usr/local
PYTHON = .venv/bin/python
# Not C files: clang-format takes XMP directives apart as if they were C. Not xmpnc*.h: a program writes them.
FORMATTED = $(filter-out %/xmpnc.h %/xmpnc_access.h %/xmpnc_requests.h %/xmpnc_several.h, $(shell git ls-files '*.cpp' '*.hpp' 'runtime/include/*.h'))

.PHONY: all help setup build demo docs bench bench-quick test test-quick test-long install uninstall deb lint format clean
all: build

help:
	@echo 'make demo               a tsunami on the real ocean: builds, compiles, runs on 4 nodes, draws, checks (installs what is missing)'
	@echo 'make test               all tests, about 25 minutes on 2 processors;  make test-quick: what 2 minutes can tell;'
	@echo '                        make test-long: also the long sweeps'
	@echo 'make docs               the documentation as a site in build/site: open index.html, no server needed'
	@echo 'make build              build/bin/{xmpcc,xmpf90,xmprun,kumihimo} and the libraries under build/lib/<MPI family>/'
	@echo 'make bench-quick        the tables of docs/performance, a first look in about 5 minutes;  make bench: with all launches, for hours'
	@echo 'make install PREFIX=DIR commands, headers, libraries, pkg-config and CMake package files into DIR (default /usr/local)'
	@echo 'make uninstall PREFIX=DIR  takes away what that put there'
	@echo 'make deb                Debian packages, in build/deb'
	@echo 'make lint               layout and static checks;  make format: puts the layout right;  make clean'

setup:
	@tools/setup

# Packages first, then the configuration: a build directory configured without a package would stay without it.
PARTS = packages pnetcdf gasnet
build:
	@tools/setup $(PARTS)
	@tools/configure $(BUILD)
	cmake --build $(BUILD) --parallel

# One MPI is enough there.
demo: PARTS = packages
demo: build
	@tools/setup python data
	BUILD=$(BUILD) examples/tsunami/run

# What tests need besides is fetched and built while the compiler works. When PnetCDF is there, CMake finds it and adds what uses it.
test:
	@tools/setup packages gasnet
	@tools/configure $(BUILD)
	@tools/setup pnetcdf python docs data browser shells libraries slurm & fetching=$$!; \
	cmake --build $(BUILD) --parallel; built=$$?; wait $$fetching && exit $$built
	cmake --build $(BUILD) --parallel --target all unsanitized_tests
	$(PYTHON) tools/test --build $(BUILD)

test-quick: build
	@tools/setup python
	cmake --build $(BUILD) --parallel --target tests
	$(PYTHON) tools/test --build $(BUILD) --quick

test-long: build
	@tools/setup python docs data browser shells libraries slurm recipes simgrid processors
	cmake --build $(BUILD) --parallel --target tests
	KUMIHIMO_TEST_LONG=1 $(PYTHON) tools/test --build $(BUILD)

# The variable silences an advertisement of the theme's makers about a later MkDocs.
docs:
	@tools/setup python docs
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet --site-dir $(abspath $(BUILD))/site
	@echo "the documentation: $(BUILD)/site/index.html"

# The tables of docs/performance, in $(BUILD)/bench/SUBJECT.md; the results beside them are for kumihimo bench compare and report.
SUBJECTS = compare reflect gmove coarray coarray_fortran coarray_kernels coarray_programs transport io mpiio advise catwalk sets extents
bench bench-quick: build
	@failed=; for subject in $(SUBJECTS); do \
	    python3 bench/$$subject.py --build $(BUILD) --output $(BUILD)/bench $(if $(filter bench-quick,$@),--quick) || failed="$$failed $$subject"; \
	done; ls $(BUILD)/bench/*.md; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# DESTDIR, for who makes packages, goes before all paths.
install: build
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix $(PREFIX)

# By the list that the installation has; needs no build directory.
UNINSTALL = $(firstword $(wildcard $(addsuffix /kumihimo/uninstall.cmake,$(DESTDIR)$(PREFIX)/lib* $(DESTDIR)$(PREFIX)/lib/*)))
uninstall:
	$(if $(UNINSTALL),,$(error There is no Kumihimo in $(DESTDIR)$(PREFIX): say where it is, make uninstall PREFIX=DIRECTORY))
	@DESTDIR="$(DESTDIR)" cmake -P $(UNINSTALL)

# In a copy of the sources, with a build directory of its own.
deb:
	@tools/setup packages deb
	tools/deb $(BUILD)/deb

lint:
	@tools/setup python
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/clang-format --dry-run -Werror $(FORMATTED)

format:
	@tools/setup python
	.venv/bin/ruff check --fix --quiet . || true
	.venv/bin/ruff format --quiet .
	.venv/bin/clang-format -i $(FORMATTED)

clean:
	rm -rf $(BUILD)
