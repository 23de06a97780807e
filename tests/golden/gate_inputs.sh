# Small inputs of the gate cases: sourced in the scratch folder.
# kernels FILE NAME:TIME...: a kernel sum of Nsight Systems with these rows
kernels() {
    file=$1
    shift
    echo "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name" >"$file"
    for row in "$@"; do
        time=${row##*:}
        echo "10.0,$time,10,$((time / 10)).0,$((time / 10)).0,1,$time,0.0,${row%:*}" >>"$file"
    done
}
# input TITLE FILE [MORE]: one input of a configuration
input() {
    echo "{ \"format\": \"csv\", \"title\": \"$1\", \"nsys_csv_file_path\": { \"kernel_sum\": \"$2\" }, \"analysis_args\": { \"num_of_iters\": 1 }$3 },"
}
analyzer() {
    "$ANALYZER" "$@"
    echo "exit status $?"
}
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY SOURCE_DATE_EPOCH
