#!/bin/sh
# Strangers, misfits and deaths: refused or survived, with a clear message, and without a hang.
. "$SRCDIR/tests/swarm_lib.sh"

# A swarm of eight on local sockets, so that no port can be taken by someone else.
"$P2POPT" init --nodes 8 --output swarm --topology ring --method cold --compressor qinf:bits=2 \
    --problem logistic:lambda=1e-2,weights=samples --data sample:heart --rounds 400 --round-timeout 60 \
    --connect-timeout 60 >hints || exit 99
sed "s|tcp://127.0.0.1:\([0-9]*\)|ipc://$work/\1|" swarm/swarm.yaml >swarm.yaml

# node NAME SWARM RANK CERTIFICATE [OPTION]...: start it; $pid is its process.
node() {
    name=$1 description=$2 rank=$3 certificate=$4
    shift 4
    "$P2POPT" node --swarm "$description" --rank "$rank" --certificate "$certificate" "$@" \
        >"$name.out" 2>"$name.err" &
    pid=$!
    started="$started $pid"
}

# Seven nodes wait for the eighth. A stranger takes its place: same description, but a key of its own.
members=
for rank in 0 1 2 3 4 5 6; do
    node node-$rank swarm.yaml $rank swarm/node-$rank.cert_secret --output results
    members="$members $pid"
done
"$P2POPT" keygen stranger.cert >stranger.key
awk -v key="$(cat stranger.key)" '/key:/ && ++count == 8 { print "    key: \"" key "\""; next } { print }' \
    swarm.yaml >stranger.yaml
stranger() {
    node stranger stranger.yaml 7 stranger.cert_secret --listen "ipc://$work/stranger"
    ends $pid 60
    is "$status" 1 status && said stranger.err "refused"
}
check "a node with a key that is not in the swarm is refused" stranger

sed 's|qinf:bits=2|qinf:bits=3|' swarm.yaml >misfit.yaml
misfit() {
    node misfit misfit.yaml 7 swarm/node-7.cert_secret
    ends $pid 60
    is "$status" 1 status && said misfit.err "compressor"
}
check "a node with another compressor option is refused, and told which field" misfit

borrowed() {
    node borrowed swarm.yaml 7 swarm/node-6.cert_secret
    ends $pid 60
    is "$status" 1 status && said borrowed.err "key"
}
check "a node with another's certificate is told so" borrowed

undisturbed() {
    node node-7 swarm.yaml 7 swarm/node-7.cert_secret --output results
    for pid in $members $pid; do
        ends $pid 120
        is "$status" 0 "status of a node" || { tail -n 3 node-*.err; return 1; }
    done
    is "$(ls results/*.npy | wc -l)" 8 "results"
}
check "the eight nodes do not notice" undisturbed
plan_lines() { for i in 0 1 2 3 4 5 6 7; do json residual <results/node-$i.jsonl >/dev/null || return 1; done; }
check "each has left its metrics" plan_lines

# A node of a run dies in the middle.
death() {
    "$P2POPT" run --nodes 8 --method cold --compressor qinf:bits=2 --problem logistic:lambda=1e-2,weights=samples \
        --data sample:heart --rounds 100000000 --report-every 20 --round-timeout 2 --output death --json \
        >death.json 2>death.err &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s death/run.jsonl.part || return 1
    kill -KILL "$(cut -d ' ' -f 4 /proc/$pid/task/$pid/children)"
    # The others go on to the optimum of what they hold together.
    wait_for 120 at_optimum || { tail -n 3 death/run.jsonl.part; cat death.err; return 1; }
    kill -INT $pid
    ends $pid 60
    is "$status" 1 status && said death.err "lost: killed by signal 9" && is "$(json nodes_lost <death.json)" 1 lost &&
        is "$(json end <death.json)" stopped end && test -s death/solution.npy
}
at_optimum() { tail -n 1 death/run.jsonl.part | grep -q '"nodes":7.*"gap":[-0-9.]*e-\(0[89]\|[1-9][0-9]\)'; }
check "the others reach their own optimum when a node is killed" death

# Every node but one is killed: the last one must not wait for ever.
last_one() {
    "$P2POPT" run --nodes 4 --method cold --problem logistic:lambda=1e-2 --data sample:heart --rounds 100000000 \
        --report-every 20 --round-timeout 2 --output last >last.out 2>last.err &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s last/run.jsonl.part || return 1
    kill -KILL $(cut -d ' ' -f 1-3 /proc/$pid/task/$pid/children)
    sleep 0.1
    kill -INT $pid
    ends $pid 60
    is "$status" 1 status
}
check "the last node left ends, too" last_one

# A star: without a worker the others go on, without the hub the run ends and says why.
star_loses() {
    "$P2POPT" run --nodes 5 --topology star --method ef21 --compressor topk:k=30% --problem logistic:lambda=1e-2 \
        --data sample:heart --rounds 100000000 --report-every 20 --round-timeout 2 --output star$1 >star.out 2>star.err &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s star$1/run.jsonl.part || return 1
    kill -KILL "$(cut -d ' ' -f $1 /proc/$pid/task/$pid/children)"
}
without_worker() {
    star_loses 4 || return 1
    wait_for 60 grep -q '"nodes":4' star4/run.jsonl.part || return 1
    kill -INT $pid
    ends $pid 60
    is "$status" 1 status && test -s star4/solution.npy
}
without_hub() {
    star_loses 1 || return 1
    ends $pid 60
    is "$status" 1 status && said star.err "the hub, node 0, is lost"
}
check "a star goes on without a worker" without_worker
check "a star ends without its hub, and says so" without_hub

no_leftovers() { is "$(ls tmp)" "" "left in TMPDIR"; }
check "private folders are removed" no_leftovers
plan
