run() { "$ANALYZER" "$@"; echo "$?"; }
run run x -j many
run run x -j
run run x --memory-limit lots
run run x --color sometimes
run run x --format xlxs
run run x --format ,
run run x --opt novalue
run --config a.json b.csv
run --config=
run "$(printf 'no\033[1m\ncommand')"
run run --quiet
run check-config
run check-config a b
