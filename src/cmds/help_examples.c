/* Examples at the end of each command's help. Options and commands in them are checked against the
 * tables by tests/options_documented.py. */
#include "cmds/internal.h"

static const struct {
    const struct az_cmd *cmd;
    const char *text;
} examples[] = {
    { &az_cmd_run,
      "  analyzer trace.json                                  one screen\n"
      "  analyzer run trace.json -v                           more tables; -vv: all of them\n"
      "  analyzer run trace.json -q --format html,xlsx -o out report files in out/\n"
      "  analyzer run 'ranks/*.json.gz' --csv-dir out         ranks of one run, one CSV file per "
      "table\n"
      "  analyzer run --config=config.json --only=night2      one input of a configuration\n"
      "  analyzer run --watch traces --baseline base.json     a line per new trace, pass or "
      "fail\n" },
    { &az_cmd_multirank,
      "  analyzer multirank -b profiles                       every run below profiles/, as text\n"
      "  analyzer multirank -b profiles -f step_8 -o out      one step, with a workbook\n" },
    { &az_cmd_probe, "  analyzer probe trace.json\n  analyzer probe profiles\n" },
    { &az_cmd_init, "  analyzer init trace.json > config.json && analyzer --config=config.json\n" },
    { &az_cmd_classify,
      "  analyzer classify night.sqlite -n 40\n"
      "  analyzer classify --config=config.json               only what its class map leaves "
      "over\n" },
    { &az_cmd_check_config, "  analyzer check-config config.json\n" },
    { &az_cmd_replay, "  analyzer replay --emit=bench trace.json              write the commands\n"
                      "  analyzer replay bench                                run them\n" },
    { &az_cmd_list, "  analyzer list\n" },
    { &az_cmd_schema, "  analyzer schema > config.schema.json\n" },
    { &az_cmd_help,
      "  analyzer help gate\n  analyzer help config\n  analyzer help --man gate | man -l -\n" },
    { &az_cmd_version, "  analyzer version\n" },
    { &az_cmd_compare,
      "  analyzer compare before.json after.json              causes of the difference per step\n"
      "  analyzer compare before.json after.json --format html -o out\n"
      "  analyzer compare --config=config.json A B            two inputs of a configuration\n" },
    { &az_cmd_gate,
      "  analyzer gate baseline.json trace.json               exit status 1 if it is slower\n"
      "  analyzer gate --config=gate.json --format text,junit -o reports\n"
      "  analyzer gate --calibrate run1.json run2.json run3.json run4.json\n" },
    { &az_cmd_history,
      "  analyzer history list --db nights.sqlite\n"
      "  analyzer history trend 'kern_sum*' --db nights.sqlite --format html -o out\n"
      "  analyzer history mark-good 12 --db nights.sqlite\n" },
    { &az_cmd_bisect, "  git bisect run analyzer bisect --good good.json --bad bad.json \\\n"
                      "      --result trace.json -- ./measure.sh\n" },
    { &az_cmd_query, "  analyzer query trace.json \"SELECT name, sum(dur_ns) AS ns\n"
                     "      FROM kernels GROUP BY name ORDER BY ns DESC LIMIT 9\"\n"
                     "  analyzer query trace.json .tables\n"
                     "  analyzer query trace.json --format csv -f statements.sql\n" },
    { &az_cmd_serve, "  analyzer serve trace.json\n" },
    { &az_cmd_map, "  analyzer map /local/traces -o /shared/parts          on each machine\n"
                   "  analyzer reduce /shared/parts -o report              once\n" },
    { &az_cmd_reduce, "  analyzer reduce parts -o report --format text,html\n" },
    { &az_cmd_slurm, "  analyzer slurm -b /shared/run7 -o /shared/run7-report --submit \\\n"
                     "      -- -p batch --time=30\n" },
    { &az_cmd_merge, "  analyzer merge -o all.json.gz rank_0.json rank_1.json\n"
                     "  analyzer merge -b profiles -o all.json.gz\n" },
    { &az_cmd_cut, "  analyzer cut trace.json --steps 10-12 -o part.json.gz\n"
                   "  analyzer cut ranks/*.json --range forward -o parts\n" },
    { &az_cmd_tracelens_pytorch, "  analyzer tracelens-pytorch --profile_json_path trace.json\n" },
    { &az_cmd_tracelens_inference,
      "  analyzer tracelens-inference --profile_json_path decode.json.gz\n" },
    { &az_cmd_tracelens_hip_api,
      "  analyzer tracelens-pftrace-hip-api --trace_path run.pftrace\n" },
    { &az_cmd_tracelens_hip_activity,
      "  analyzer tracelens-pftrace-hip-activity --trace_path run.pftrace\n" },
    { &az_cmd_tracelens_memory_copy,
      "  analyzer tracelens-pftrace-memory-copy --trace_path run.pftrace\n" },
    { &az_cmd_tracelens_multirank, "  analyzer tracelens-multirank -b profiles\n" },
    { &az_cmd_tracelens_collectives, "  analyzer tracelens-collectives --trace_dir traces\n" },
    { &az_cmd_tracelens_genesis, "  analyzer tracelens-genesis --capture-dir run\n" },
    { &az_cmd_tracelens_split,
      "  analyzer tracelens-split trace.json.gz -o parts --find-steady-state\n" },
    { &az_cmd_tracelens_compare,
      "  analyzer tracelens-compare a.xlsx b.xlsx -o comparison.xlsx\n" },
    { &az_cmd_tracelens_rocprof,
      "  analyzer tracelens-rocprof --profile_json_path train_results.json\n" },
    { &az_cmd_tracelens_jax, "  analyzer tracelens-jax --profile_path host.xplane.pb\n" },
    { &az_cmd_tt_perf_report, "  analyzer tt-perf-report ops_perf_results.csv --id-range 5-10\n" },
    { &az_cmd_gpu_perf_analyzer, "  analyzer gpu-perf-analyzer --config=config.json\n" },
};

const char *az_cmd_examples(const struct az_cmd *cmd)
{
    for (size_t i = 0; i < AZ_LENGTH(examples); i++)
        if (examples[i].cmd == cmd)
            return examples[i].text;
    return NULL;
}
