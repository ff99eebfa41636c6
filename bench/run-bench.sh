#!/bin/sh
# Runs the bench programs of a build folder, prints a table and writes results.json beside them.
# Usage: run-bench.sh [PART...], in the build folder; parts: engine sim compressors aggregators gradients kernels (default: all)
rows=bench/rows.tsv
result=bench/results.json
# As nodes run: a pool of waiting threads would take turns from what is measured.
export OPENBLAS_NUM_THREADS=1

measure() {
    case $1 in
    engine) bench/engine_bench ./p2popt ;;
    sim) bench/sim_bench ./p2popt ;;
    compressors)
        for size in "10000000 f32" "10000000 f64" "1000000 f32" "1000000 f64" "10000 f32" "10000 f64"; do
            bench/compressor_bench -d "${size% *}" -t "${size#* }" || return
        done ;;
    aggregators) bench/aggregator_bench ;;
    gradients) bench/gradient_bench ;;
    kernels) bench/kernel_bench ;;
    *) echo "run-bench.sh: $1: expected engine, sim, compressors, aggregators, gradients or kernels" >&2; return 2 ;;
    esac
}

{
    printf 'note\tCPU\t%s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u | head -n 1)"
    printf 'note\tcores\t%s\n' "$(getconf _NPROCESSORS_ONLN)"
    printf 'note\tload before\t%s\n' "$(cut -d' ' -f1 /proc/loadavg)"
    bench/kernel_bench -v
} >"$rows" || exit 1
for part in ${*:-engine sim compressors aggregators gradients kernels}; do
    echo "measuring: $part" >&2
    measure "$part" >>"$rows" || exit 1
done

awk -F'\t' '
$1 == "note" { printf "%s: %s\n", $2, $3 }
$1 == "row" {
    if ($2 != section) {
        section = $2
        printf "\n%-44s %-20s %12s %-9s %12s %7s\n", section, "size", "value", "", "yardstick", "ratio"
    }
    printf "%-44s %-20s %12s %-9s", $3, $4, $5, $6
    if ($7 > 0) printf " %12s %7.3f", $7, $5 / $7
    printf "\n"
}' "$rows"

awk -F'\t' '
$1 == "note" { head = head sprintf("  \"%s\": \"%s\",\n", $2, $3) }
$1 == "row" {
    body = body (body == "" ? "" : ",\n") sprintf("    {\"section\": \"%s\", \"name\": \"%s\", \"size\": \"%s\", " \
        "\"value\": %s, \"unit\": \"%s\"", $2, $3, $4, $5, $6)
    if ($7 > 0) body = body sprintf(", \"yardstick\": %s, \"ratio\": %.4g", $7, $5 / $7)
    body = body "}"
}
END { printf "{\n%s  \"results\": [\n%s\n  ]\n}\n", head, body }' "$rows" >"$result"
echo "written: $result" >&2
