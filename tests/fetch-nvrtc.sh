#!/bin/sh
# Puts NVRTC, the CUDA run-time compiler, into target/nvrtc unless this machine has one already.
#
# Compiling a kernel needs no GPU and no CUDA toolkit: two libraries from one Python wheel are enough. The version is
# pinned at 13.0, because drivers of the 580 series refuse PTX from a newer NVRTC.
# Safe to run at any time and from several processes at once; quick when there is nothing to do.
# `--force` fetches even where the system has NVRTC.
set -eu

wheel='nvidia-cuda-nvrtc==13.0.*'
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
target=$root/target/nvrtc

has_fetched() {
    [ -s "$target/libnvrtc.so.13" ] && [ -s "$target/libnvrtc-builtins.so.13.0" ]
}

find_on_system() {
    for dir in $(printf '%s' "${LD_LIBRARY_PATH:-}" | tr ':' ' ') /usr/local/cuda*/lib64 \
        /usr/local/cuda*/targets/*/lib; do
        for file in "$dir"/libnvrtc.so.1[23]; do
            [ -e "$file" ] && printf '%s\n' "$file" && return 0
        done
    done
    for ldconfig in ldconfig /sbin/ldconfig; do
        line=$("$ldconfig" -p 2>/dev/null | grep -m 1 'libnvrtc\.so\.1[23]') || continue
        printf '%s\n' "${line##*=> }"
        return 0
    done
    return 1
}

if has_fetched; then
    echo "NVRTC: $target"
    exit 0
fi
if [ "${1:-}" != --force ] && found=$(find_on_system); then
    echo "NVRTC: $found"
    exit 0
fi
case $(uname -sm) in
'Linux x86_64' | 'Linux aarch64') ;;
*)
    echo "no NVRTC wheel for $(uname -sm); kernels cannot be compiled here" >&2
    exit 1
    ;;
esac
if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "fetching NVRTC needs python3 with pip (Debian, Ubuntu: apt install python3-pip)" >&2
    exit 1
fi

# Everything is prepared in a folder next to the target and moved in one step, so that a reader finds all or nothing.
mkdir -p "$root/target"
work=$(mktemp -d "$root/target/nvrtc-fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

echo "NVRTC: fetching $wheel (about 90 MB)"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work/wheel" "$wheel"
python3 - "$work" <<'PYTHON'
import pathlib, shutil, sys, zipfile

work = pathlib.Path(sys.argv[1])
wanted = {"libnvrtc.so.13", "libnvrtc-builtins.so.13.0"}
out = work / "nvrtc"
out.mkdir()
(wheel,) = (work / "wheel").glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    for member in archive.infolist():
        name = pathlib.PurePosixPath(member.filename).name
        if name in wanted:
            wanted.discard(name)
            with archive.open(member) as source, open(out / name, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
if wanted:
    sys.exit(f"{wheel.name} lacks {', '.join(sorted(wanted))}")
PYTHON

# Another process may have been faster, or an old, incomplete folder may exist.
if ! has_fetched; then
    [ ! -e "$target" ] || mv "$target" "$work/old"
    mv -T "$work/nvrtc" "$target" || has_fetched
fi
echo "NVRTC: $target"
