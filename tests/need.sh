#!/bin/sh
# Installs the Debian packages named as arguments that are missing; silent if none is. A command that is already there
# (gcc, make, ...) counts as its package, wherever it came from.
#   usage: need.sh PACKAGE...       exit status 1 if something is missing and cannot be installed
here() {
    case $1 in
    gcc | make | python3 | pkg-config | clang | clang-format | clang-tidy | cppcheck | shellcheck | codespell | chromium) command -v "$1" >/dev/null 2>&1 && return 0 ;;
    esac
    if command -v dpkg-query >/dev/null 2>&1; then
        dpkg-query -W -f='${Status}\n' "$1" 2>/dev/null | grep -q 'ok installed$'
    else
        case $1 in *-dev | python3-* | libjs-*) return 0 ;; esac # another system: the build says what it lacks
        return 1
    fi
}

missing=
for p in "$@"; do
    if [ "$p" = libisal-dev ]; then # optional: zlib does where it is not packaged
        [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || continue
    fi
    here "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null 2>&1 || as_root=none
fi
if [ "$as_root" = none ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing packages (Debian names):$missing" >&2
    echo "install them first, as root: apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing:$missing"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Another process (an update at night, a second build) may hold the lock of the packages for minutes: apt-get waits for that
# of dpkg only, not for that of the lists, so it is asked again.
: "${NEED_WAIT:=600}" "${NEED_PAUSE:=5}" # seconds
packages() { # apt-get arguments...
    waited=0
    while ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$NEED_WAIT" "$@" >"$log" 2>&1 </dev/null; do
        grep -Eq 'Could not get lock|Unable to (acquire|lock)|is another process using it' "$log" || return 1
        [ "$waited" -lt "$NEED_WAIT" ] || return 1
        [ "$waited" -gt 0 ] || echo "another process holds the lock of the packages: waiting for it (at most $NEED_WAIT s)"
        sleep "$NEED_PAUSE"
        waited=$((waited + (NEED_PAUSE > 0 ? NEED_PAUSE : 1)))
    done
}

# shellcheck disable=SC2086 # a list of words
if ! { packages update && packages install -y --no-install-recommends $missing; }; then
    tail -n 20 "$log" >&2
    echo "cannot install:$missing" >&2
    exit 1
fi
