# Mistakes in a configuration, one each: where and what; and what is right in it all the same.
try() { # a configuration of one line each on standard input
    while IFS= read -r line; do
        printf '%s\n' "$line" >c.json
        printf '== %s\n' "$line"
        "$ANALYZER" check-config c.json >said 2>&1
        rc=$?
        sed 's/; use one of: text.*//' said
        echo "$rc"
    done
}
echo '{ "traceEvents": [] }' >t.json
try <<'END'
{ "inputs": [ { "path": "t.json" } ] }
{ "inputs": [ { "path": "t.json", "title": null } ], "jobs": 4096, } // comment
{ "inputs": [ { "path": "t.json" }, ], "jobs": 4097 }
{ "inputs": [ { "path": "t.json" } ], "jobs": -1 }
{ "inputs": [ { "path": "t.json" } ], "jobs": 1.5 }
{ "inputs": [ { "path": "t.json" } ], "jobs": "2" }
{ "inputs": [ { "path": "t.json" } ], "jobs": 1, "jobs": 2 }
{ "inputs": [ { "path": "t.json" } ], "memory_limit": "64M" }
{ "inputs": [ { "path": "t.json" } ], "memory_limit": "1.5G" }
{ "inputs": [ { "path": "t.json" } ], "memory_limit": "64X" }
{ "inputs": [ { "path": "t.json" } ], "memory_limit": "99999999999G" }
{ "inputs": [ { "path": "t.json" } ], "strict": 1 }
{ "inputs": [ { "path": "t.json" } ], "stric": true }
{ "inputs": [ { "path": "t.json" } ], "text": "ful" }
{ "inputs": [ { "path": "t.json" } ], "compat": "hta,nsys" }
{ "inputs": [ { "path": "t.json" } ], "compat": ["hta", "nsight"] }
{ "inputs": [ { "path": "t.json", "format": "pytorh" } ] }
{ "inputs": [ { "path": "t.json", "format": "pytorch", "nsys_csv_file_path": { "kernel_sum": "x" } } ] }
{ "inputs": [ { "format": "csv", "nsys_csv_file_path": { "kernel_sum": "x.csv" } } ] }
{ "inputs": [ { "format": "csv", "nsys_csv_file_path": { "mem_time_sum": "x.csv" }, "analysis_args": { "num_of_iters": 1 } } ] }
{ "inputs": [ { "path": "t.json", "analysis_args": { "num_of_iters": 0 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "breakdown_ratio": 1.01 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "breakdown_ratio": 1 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "util_chunks": 0 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "util_chunks": 100001 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "min_percentage": 100 } } ] }
{ "inputs": [ { "path": "t.json", "options": { "min_percentage": 100.5 } } ] }
{ "inputs": [ { "path": "t.json" } ], "thresholds": { "gap_us": -1 } }
{ "inputs": [ { "path": "t.json" } ], "thresholds": { "gap": 1 } }
{ "inputs": [ { "path": "t.json" } ], "kernel_to_class_map": { "gemm": 1 } }
{ "inputs": [ { "path": "t.json" } ], "kernel_to_class_map": { "": "x" } }
{ "inputs": [ { "path": "t.json" } ], "outputs": { "formats": ["text", "pdf"] } }
{ "inputs": [ { "path": "t.json" } ], "outputs": { "xlsx": "a.xlsx", "dir": "" } }
{ "inputs": [ { "path": "t.json" }, { "path": "t.json" } ], "outputs": { "xlsx": "a.xlsx" } }
{ "inputs": [ { "path": "t.json", "title": "x" }, { "path": "t.json", "title": "x" } ] }
{ "inputs": [ { "path": "t.json" } ], "gates": { "rules": [ { "column": "x" } ] } }
{ "inputs": [ { "path": "t.json" } ], "gates": { "baseline": "old", "rules": [ { "table": "kern_sum", "rel": -1 } ] } }
{ "inputs": [ { "path": "t.json" } ], "gates": { "rules": [ { "table": "kern_sum", "rel": 0.1, "of": "x" } ] } }
{ "inputs": [ { "path": "t.json" } ], "gates": [], "history": { "keep": 3 } }
{ "inputs": [ { "path": "t.json" } ], "history": { "path": "h.db", "accept_after": 0 } }
{ "inputs": [ { "path": "t.json" } ], "labels": { "created": "2026-13-01" } }
{ "inputs": [ { "path": "t.json" } ], "labels": { "a b": "c" } }
{ "inputs": [ { "path": "t.json" } ], "compare": { "baseline": "none" } }
{ "inputs": [ { "path": "t.json" } ], "baseline": "none" }
{ "inputs": [ { "path": "${NOT_SET}" } ] }
{ "inputs": [ { "path": "${NOT_SET:-t.json}" } ] }
{ "inputs": [ { "path": "${NOT_SET" } ] }
{ "inputs": [ { "path": ["t.json", "none*.json"] } ] }
{ "inputs": [ { "path": "none.json", "optional": true } ] }
{ "inputs": [ { "path": "none.json" } ] }
{ "inputs": [ { "path": "" } ] }
{ "inputs": [ { "path": 1 } ] }
{ "inputs": [ {} ] }
{ "inputs": {} }
{ "inputs": "t.json" }
{ }
[ ]
{ "inputs": [ { "path": "t.json" } ]
{ "inputs": [ { "path": "t.json" } ] } x
{ "inputs": [ { "path": "t.json\n" } ] }
{ "inputs": [ { "base_dir": "." , "filters": "x" } ] }
{ "inputs": [ { "base_dir": "none", "extension": "zip" } ] }
{ "inputs": [ { "path": "t.json", "duplicate_rank": "each" } ] }
{ "inputs": [ { "path": "t.json", "rank_pattern": "re:(" } ] }
END
for set in jobs=2 jobs=x inputs.0.title=new inputs.5.title=new inputs.*.strict=true nothing=1 outputs.formats=json outputs.formats.0=xml =1 jobs; do
    echo '{ "inputs": [ { "path": "t.json" } ] }' >c.json
    echo "== --set $set"
    "$ANALYZER" run --config=c.json --dry-run --set "$set" >said 2>&1
    rc=$?
    sed 's/; use one of: text.*//' said
    echo "$rc"
done
