#!/bin/sh
# What Kumihimo needs of Debian for aarch64 (C library, both MPI families, GoogleTest, ...), unpacked below DIRECTORY for the
# cross compiler and for qemu: docs/how-to/other-processors.md. This machine's own packages stay as they are.
#   cmake/aarch64-root.sh DIRECTORY
set -eu

[ $# -eq 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
packages="libc6-dev libstdc++-12-dev libgfortran-12-dev libopenmpi-dev openmpi-bin libmpich-dev mpich libgtest-dev libfmt-dev libpnetcdf-dev libxxhash-dev libasio-dev libabsl-dev nlohmann-json3-dev libtomlplusplus-dev libzstd-dev"
mkdir -p "$1"
root=$(cd "$1" && pwd) state=$(cd "$1" && pwd)/.apt
mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/etc"
: > "$state/status"
sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2> /dev/null |
    head -n 1 > "$state/mirror"
mirror=$(cat "$state/mirror") codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ -n "$mirror" ] || { echo "$0: apt's sources name no Debian archive: put one there first (man sources.list)" >&2; exit 1; }
echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename main" \
    > "$state/etc/sources.list"

private() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$state/etc/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferencesparts=/dev/null -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
private update
# shellcheck disable=SC2086
private install --yes --no-install-recommends --download-only $packages
for package in "$state"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
rm -r "$state"
# Absolute links would lead out of the root.
find "$root" -type l -lname '/*' | while read -r link; do ln -snfr "$root$(readlink "$link")" "$link"; done

# The compilers, and those of the MPI families: their own ones would be programs of the other processor.
mkdir -p "$root/wrappers"
for compiler in gcc g++ gfortran; do
    printf '#!/bin/sh\nexec aarch64-linux-gnu-%s --sysroot=%s "$@"\n' $compiler "$root" > "$root/wrappers/$compiler"
done
wrap() {  # name compiler options... -- libraries...
    name=$root/wrappers/$1 compiler=$root/wrappers/$2 options=""
    shift 2
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    cat > "$name" << END
#!/bin/sh
if [ "\$1" = -show ]; then shift; show=echo; else show=exec; fi
\$show $compiler "\$@"$options $*
END
}
lib=$root/usr/lib/aarch64-linux-gnu include=$root/usr/include/aarch64-linux-gnu
wrap mpicc.openmpi gcc "-I$lib/openmpi/include" "-I$lib/openmpi/include/openmpi" -- "-L$lib/openmpi/lib" -lmpi
wrap mpifort.openmpi gfortran "-I$lib/fortran/gfortran-mod-15/openmpi" "-I$lib/openmpi/lib" -- "-L$lib/openmpi/lib/fortran/gfortran" \
    "-L$lib/openmpi/lib" -lmpi_usempif08 -lmpi_usempi_ignore_tkr -lmpi_mpifh -lmpi
wrap mpicc.mpich gcc "-I$include/mpich" -- "-L$lib" -lmpich
wrap mpifort.mpich gfortran -fallow-invalid-boz -fallow-argument-mismatch "-I$include/mpich" -- "-L$lib" -lmpichfort -lmpich
chmod +x "$root"/wrappers/*
