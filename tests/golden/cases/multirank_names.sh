# Four runs of ranks of two steps, one of sixteen ranks; dot folders, a loop of links, mixed extensions, a file without a rank.
ranks() { "$PYTHON" "$SRC/tests/gen/make_ranks.py" "$@" --layers 1 --steps 1; }
in=results/profiles
for run in 013_profile_544p_bs1 014_profile_544p_bs2 016_profile_720p_bs1; do
    for step in 7 8; do
        ranks "$in/$run/rank_{rank}_step_$step.json" --first-step $step
    done
done
for step in 7 8; do
    ranks "$in/015_profile_544p_bs4/rank_{rank}_step_$step.json" --ranks 16 --first-step $step
done
ranks "$in/014_profile_544p_bs2/rank_{rank}_step_9.json.gz" --only 0,1
mkdir -p $in/.hidden $in/013_profile_544p_bs1/sub
cp $in/013_profile_544p_bs1/rank_0_step_8.json $in/.hidden/rank_0_step_8.json
cp $in/013_profile_544p_bs1/rank_0_step_8.json $in/013_profile_544p_bs1/.rank_9_step_8.json
ln -s ../.. $in/013_profile_544p_bs1/sub/loop
ln -s 016_profile_720p_bs1 $in/017_latest
ranks "$in/013_profile_544p_bs1/summary_step_8.json" --only 0 --anonymous
echo '{ "lr": 1 }' >$in/016_profile_720p_bs1/settings_step_7.json
echo text | gzip -n >$in/014_profile_544p_bs2/rank_0_step_9.txt.gz

m() { echo "== $*"; "$ANALYZER" multirank "$@"; echo "exit $?"; }
before=$(find results | sort | xargs ls -ld --time-style=+%s.%N)
m -b results -f step_8 -d
m -b results -f rank_0 step_8 -d
m -b results -f 013_profile_544p_bs1 step_8 -d
m -b results -d
m -b results -e gz -f step_9 -d
m -b results -e auto -f 014_ step_9 -d
m -b results -f 015 rank_1 step_7 -d
m -b results --exact-rank -f 015 rank_1 step_7 -d
m -b results/profiles -p 're:rank[_-]' -f latest/rank_0 step_7 -d
[ "$before" = "$(find results | sort | xargs ls -ld --time-style=+%s.%N)" ] && echo "nothing was written"

echo "== and for real"
"$ANALYZER" multirank -b results -f step_8 -q -j 2
echo "exit $?"
find results -name '*.xlsx' | sort
"$ANALYZER" multirank -b results -f rank_0 step_8 --format csv -q
echo "exit $?"
find results -type d -name '*report*' | sort

echo "== own reports are no traces"
"$ANALYZER" multirank -b results -f 013 rank_0 step_7 -r --format json -q
echo "exit $?"
find results -name '*report*.json' -o -name replay.json | sort
m -b results -f 013 rank_0 step_7 -d
