#!/bin/sh
# Debian packages of the tree (`make deb`): a copy of the files of `make dist` with src/packaging/debian in its place, built by
# dpkg-buildpackage. The version is that of the Makefile, the time of the change log is that of the last commit.
#   environment: BUILD, VERSION
set -e
SRC=$(cd "$(dirname "$0")/../.." && pwd)
cd "$SRC"
# What the package is built with: names without versions and architectures; those of another architecture are skipped.
# shellcheck disable=SC2046 # a list of words
sh tests/need.sh build-essential fakeroot $(sed -n '/^Build-Depends:/,/^Standards-Version:/p' src/packaging/debian/control |
    sed -e '/^Standards-Version:/d' -e 's/^Build-Depends://' -e 's/debhelper-compat/debhelper/' -e 's/([^)]*)//g' -e 's/\[[^]]*\]//g' | tr ',' ' ')
make --no-print-directory BUILD="$BUILD" dist >/dev/null
work=$BUILD/deb
rm -rf "$work"
mkdir -p "$work"
tar -xzf "$BUILD/dist/analyzer-$VERSION.tar.gz" -C "$work"
tree=$work/analyzer-$VERSION
cp -r "$tree/src/packaging/debian" "$tree/debian"
epoch=${SOURCE_DATE_EPOCH:-$({ [ -e .git ] && git log -1 --format=%ct 2>/dev/null; } || stat -c %Y Makefile)} # without git too
SOURCE_DATE_EPOCH=$epoch
export SOURCE_DATE_EPOCH
{
    echo "analyzer ($VERSION) unstable; urgency=medium"
    printf '\n  * See /usr/share/doc/analyzer/CHANGELOG.md.\n\n'
    echo " -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(LC_ALL=C date -u -R -d "@$epoch")"
} >"$tree/debian/changelog"
holder=$(sed -n 's/^Copyright (c) //p' LICENSE | head -n 1)
{
    sed -e "s|@HOLDER@|$holder|" -e '/@LICENSE@/d' "$tree/src/packaging/debian/copyright"
    sed -e '1,/^Copyright/d' -e 's/^$/./' LICENSE | sed -e '1{/^\.$/d}' -e 's/^/ /'
} >"$tree/debian/copyright"
unset BUILD VERSION MAKEFLAGS MFLAGS MAKEOVERRIDES # of this tree, not of the copy
cd "$tree"
echo "building, some minutes: $work/build.log"
dpkg-buildpackage --build=binary --no-sign -j"$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" >"$work/build.log" 2>&1 &
child=$!
trap 'kill "$child" 2>/dev/null; exit 130' INT TERM
waited=0
while kill -0 "$child" 2>/dev/null; do # the log grows in bursts: a sign of life every half minute
    sleep 1
    waited=$((waited + 1))
    [ $((waited % 30)) -ne 0 ] || echo "  $((waited / 60)) min $((waited % 60)) s: $(find "$tree" -name '*.o' | wc -l) files compiled"
done
wait "$child" || {
    tail -n 30 "$work/build.log" >&2
    exit 1
}
for package in "$work"/*.deb; do
    echo "${package#"$SRC"/}"
done
