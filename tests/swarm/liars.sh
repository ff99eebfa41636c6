#!/bin/sh
# Liars among real processes: honest nodes end near their optimum by a rule, and by the mean they do not.
. "$SRCDIR/tests/swarm_lib.sh"

# run_with RULE ATTACK OUT: ten nodes, two of them liars.
run_with() {
    "$P2POPT" run --nodes 10 --topology complete --method robust-choco:gossip=1,step=1 --compressor qinf:bits=4 \
        --aggregator "$1" --problem logistic:lambda=1e-2 --data sample:heart --shard shuffled --rounds 100 \
        --round-timeout 1 --transport tcp --byzantine "$2@3,6" --json --quiet >"$3.json" 2>"$3.err"
}

# between LOW HIGH OUT: the gap that honest nodes are left with.
between() {
    gap=$(json gap <"$3.json") || { cat "$3.err"; return 1; }
    echo "gap $gap"
    awk -v low="$1" -v high="$2" -v gap="$gap" 'BEGIN { exit !(gap >= low && gap <= high) }'
}

# breaks_the_mean ATTACK
breaks_the_mean() {
    run_with nna:f=2 "$1" rule && between 0 1e-2 rule && run_with mean "$1" mean && between 0.1 1e9 mean
}
for attack in sign-flip:scale=5 equivocate:offset=20 shift:offset=20; do
    check "$attack breaks the mean, and not nna" breaks_the_mean $attack
done

# bears ATTACK
bears() {
    run_with nna:f=2 "$1" rule && between 0 1e-2 rule && is "$(json nodes_lost <rule.json)" 0 "nodes lost"
}
for attack in alie dissensus nan silent replay garbage-bytes; do
    check "$attack leaves the honest nodes near their optimum" bears $attack
done
plan
