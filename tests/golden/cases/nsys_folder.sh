# A folder of recordings of Nsight Systems: their numbers are no ranks, and a report with its export next to it is one input.
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . no_kernels >/dev/null || exit 99
mkdir d ranks
for f in report1 report2 gemm_report1 gemm_report2 reporting1 reporting2; do
    cp no_kernels.sqlite d/$f.sqlite
done
cp no_kernels.sqlite ranks/report_0.sqlite
cp no_kernels.sqlite ranks/report_1.sqlite
for f in report1 gemm_report2 alone newer; do
    echo "NVIDIA Tegra Profiler Report" >d/$f.nsys-rep
done
cp no_kernels.sqlite d/newer.sqlite
touch -d '2024-01-01' d/report1.nsys-rep d/gemm_report2.nsys-rep d/newer.sqlite
touch -d '2024-01-02' d/report1.sqlite d/gemm_report2.sqlite d/newer.nsys-rep
"$ANALYZER" run d --dry-run
echo "$?"
"$ANALYZER" run ranks --dry-run
echo "$?"
"$ANALYZER" run d/report1.nsys-rep d/report1.sqlite --dry-run
echo "$?"
