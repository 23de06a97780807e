# Installing what is missing waits for a lock of the packages that another process holds, and says so; other failures end it.
mkdir bin
cat >bin/apt-get <<'END'
#!/bin/sh
shift 2 # -o DPkg::Lock::Timeout=...
echo "$1" >>calls
case $(cat mode) in
broken) echo "E: Unable to fetch some archives"; exit 100 ;;
locked) echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt)"; exit 100 ;;
esac
if [ "$(grep -c "^$1$" calls)" -lt 3 ]; then
    echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt)"
    exit 100
fi
END
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
chmod +x bin/*
PATH=$PWD/bin:$PATH
need() { # mode
    echo "== $1"
    echo "$1" >mode
    rm -f calls
    NEED_PAUSE=0 NEED_WAIT=4 sh "$SRC/tests/need.sh" libnothing-dev libnone-dev 2>&1
    echo "exit $?, $(sort calls | uniq -c | awk '{ printf "%s %s ", $2, $1 }')"
}
need free
need locked
need broken
