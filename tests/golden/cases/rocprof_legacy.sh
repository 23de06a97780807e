# rocprof before version 3: kernels and counters of results.csv, sums where nothing was traced, files without times.
mkdir v1 sums
cat >v1/results.csv <<'CSV'
"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","SQ_WAVES","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"
0,"void scale<float>(float*, int) [clone .kd]",2,0,0,41,42,1024,256,512,0,8,4,16,64,"0x0","0x7f",16.0000000000,900,1000,3000,3100,2000
1,"void scale<float>(float*, int) [clone .kd]",2,0,2,41,42,1024,256,512,0,8,4,16,64,"0x0","0x7f",17.5000000000,3200,3500,4500,4600,1000
2,"Cijk_Ailk_Bljk_SB.kd",2,1,0,43,43,65536,256,0,0,8,4,16,64,"0x0","0x7f",1024.0000000000,4000,4400,9400,9500,5000
3,"Cijk_Ailk_Bljk_SB.kd",2,1,1,43,43,65536,256,0,0,8,4,16,64,"0x0","0x7f",1024.0000000000,9500,9700,9600,9800,-100
4,"<barrier packet>",2,1,2,43,43,0,0,0,0,0,0,0,64,"0x0","0x0",0,9500,9500,19500,19600,10000
CSV
cat >v1/results.stats.csv <<'CSV'
"Name","Calls","TotalDurationNs","AverageNs","Percentage"
"<barrier packet>",1,10000,10000,99.0
"Cijk_Ailk_Bljk_SB",1,99,99,1.0
CSV
cat >v1/results.hip_stats.csv <<'CSV'
"Name","Calls","TotalDurationNs","AverageNs","Percentage"
"hipLaunchKernel",3,9000,3000,100.0
CSV
cat >v1/results.copy_stats.csv <<'CSV'
"Name","Calls","TotalDurationNs","AverageNs","Percentage"
"CopyHostToDevice",2,700,350,100.0
CSV
"$ANALYZER" run v1 --compat=all --csv-dir out 2>&1
cat out/kernel_summary.csv out/counter_summary.csv out/kernel_summary_by_shape.csv
cat out/*call_summary* 2>/dev/null
grep -e "^gpu\|process" out/facts.csv
echo "== sums alone"
cp v1/results.*stats.csv sums
"$ANALYZER" run sums --compat=all -q --csv-dir sums_out
echo "$?"
cut -d, -f1-3 sums_out/kernel_summary.csv
grep -h barrier out/coverage.csv sums_out/coverage.csv
echo "== rocprofv2"
cat >results_77.csv <<'CSV'
Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES

1,64700,1,77,77,1024,256,512,0,8,4,16,64,"void scale<float>(float*, int)",1000,3000,1,16
2,64700,1,77,77,1024,256,512,0,8,4,16,64,"void scale<float>(float*, int)",3500,4500,2,17.5
CSV
"$ANALYZER" probe results_77.csv
"$ANALYZER" run results_77.csv --compat=all -q --csv-dir v2
cat v2/kernel_summary.csv v2/counter_summary.csv
echo "== without times"
cut -d, -f1-18 v1/results.csv >counters.csv
"$ANALYZER" counters.csv 2>&1
echo "$?"
"$ANALYZER" probe counters.csv 2>&1
printf '{ "traceEvents":[{}\n,{"ph":"X","name":"k","pid":"6","tid":"0","ts":"6","dur":"9","args":{"BeginNs":"6000","DurationNs":"9000"}}]}\n' >results.json
"$ANALYZER" results.json 2>&1
echo "== database"
"$PYTHON" - <<'PY'
import sqlite3
for name, marks in ("results", "rocTX"), ("kernels", "KERN"):
    c = sqlite3.connect(name + ".db")
    for t in "A", "COPY", "HIP", "OPS", marks:
        c.execute('CREATE TABLE %s ("BeginNs" INTEGER, "EndNs" INTEGER, "Name" TEXT)' % t)
    c.commit()
PY
"$ANALYZER" results.db 2>&1
"$ANALYZER" kernels.db 2>&1
echo "== names with commas and without quotes, totals without kernels"
mkdir commas
cat >commas/results.stats.csv <<'CSV'
"Name","Calls","TotalDurationNs","AverageNs","Percentage"
void launch<Functor<int, float>, 1024u, 1u>(int, float),3,3000,1000,75.0
"void quoted<int, float>(int)",1,900,900,22.5
lock(),1,100,100,2.5
short,row
CSV
"$ANALYZER" commas 2>&1
cp v1/results.copy_stats.csv copies.copy_stats.csv
"$ANALYZER" copies.copy_stats.csv 2>&1
echo "$?"
