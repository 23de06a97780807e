#!/bin/bash -eu
# Builds every harness as OSS-Fuzz wants it: programs and their seeds in $OUT.
#   environment: SRC OUT CC CFLAGS LIB_FUZZING_ENGINE, as the builder of OSS-Fuzz sets them
cd "$SRC/analyzer"
build=${WORK:-/tmp}/build
make -j"$(nproc)" CC="$CC" BUILD="$build" CFLAGS="$CFLAGS -DAZ_SANITIZED -DAZ_MOVE_BUFFERS" HARDEN= WARN= \
    FUZZ_ENGINE="$LIB_FUZZING_ENGINE" fuzzers
for program in "$build"/fuzz/*; do
    name=$(basename "$program")
    case $name in *.d) continue ;; esac
    cp "$program" "$OUT/$name"
    cp tests/fuzz/words.dict "$OUT/$name.dict"
    (cd "tests/fuzz/corpus/$name" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
done
# The shared libraries that the base image of the runner does not have.
mkdir -p "$OUT/lib"
for program in "$OUT"/*; do
    if ! [ -f "$program" ] || ! [ -x "$program" ]; then continue; fi
    ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
        while read -r library; do cp -n "$library" "$OUT/lib/"; done
    # shellcheck disable=SC2016 # the loader expands it
    if command -v patchelf >/dev/null 2>&1; then patchelf --set-rpath '$ORIGIN/lib' "$program"; fi
done
