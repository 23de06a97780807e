# The tables of a folder appear together: where one cannot be written, the others are not, and those of before stay.
T=$SRC/example/pytorch/train_step.json
for j in 1 4; do
    mkdir -p out/trust_checks.csv
    echo before >out/account.csv
    "$ANALYZER" "$T" -q --csv-dir out -j "$j" 2>&1
    echo "exit status $?"
    ls -A out
    cat out/account.csv
done
rm -r out
"$ANALYZER" "$T" -q --csv-dir out && find out -type f | wc -l
