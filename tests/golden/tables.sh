# Prints CSV tables of a folder, each under its name; used by cases that own every cell of them.
#   usage: tables.sh FOLDER TABLE...
cd "$1" || exit 1
shift
for t in "$@"; do
    echo "== $t"
    cat "$t.csv"
done
