# A kernel_stats CSV alone: the sums stand in for the dispatches; kernels of one short name are one row, with the deviation
# of all their dispatches (100 200 and 300 300 600 here).
cat >x_kernel_stats.csv <<'CSV'
"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"void ns::add<float>(float*, ""q"")",2,300,150.000000,20.00,100,200,70.710678118655
"void ns::add<int>(int*)",3,1200,400.000000,80.00,300,600,173.205080756888
"rcclGeneric(int)",1,1000,1000.000000,0.0,1000,1000,0.00000000e+00
CSV
"$ANALYZER" run x_kernel_stats.csv --compat=all -q --csv-dir out
cat out/kernel_summary.csv out/kernel_summary_by_category.csv
cut -d, -f1-9 out/kern_sum.csv
# numbers that together are beyond 64 bits stay at the greatest one, and never turn negative
cat >y_kernel_stats.csv <<'END'
"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"f(int)",9223372036854775807,9223372036854775807,1.0,50.0,1,1,0
"void ns::h<float>(float*)",9223372036854775807,9223372036854775807,1.0,50.0,1,1,0
"void ns::h<int>(int*)",9223372036854775807,9223372036854775807,1.0,50.0,1,1,0
END
"$ANALYZER" run y_kernel_stats.csv --compat=all -q --csv-dir far
cut -d, -f1-5 far/kernel_summary.csv far/kernel_summary_by_category.csv
# A table of sums whose name does not say of what: skipped with a warning.
cp y_kernel_stats.csv sums.csv
"$ANALYZER" run sums.csv 2>err; echo "exit $?"; cat err
