#!/bin/sh
# p2popt run from outside: results, the same bytes on every transport, interruption.
. "$SRCDIR/tests/swarm_lib.sh"

same="--nodes 4 --topology ring --method cold --compressor qinf:bits=2 --problem logistic:lambda=1e-2,weights=samples
    --data sample:heart --rounds 60 --seed 5"

one_transport() {
    "$P2POPT" run $same --transport "$1" --output "$1" --report-every 7 --json >"$1.json" 2>"$1.err" || {
        cat "$1.err"
        return 1
    }
}
for transport in tcp ipc inproc sim; do
    check "four nodes run over $transport" one_transport $transport
done
for transport in ipc inproc sim; do
    check "$transport gives the solution of tcp, byte for byte" cmp tcp/solution.npy $transport/solution.npy
done

# All-reduces, and the same bits over a star and a complete graph.
reduced() {
    "$P2POPT" run --nodes 4 --topology $1 --method allreduce:optimiser=heavy-ball,beta=0.5 --compressor $3 --rounds 40 --quiet \
        --problem softmax:lambda=1e-2 --data sample:digits --transport $2 --output $1-$2 >$1-$2.out
}
for topology in ring star complete; do
    all_reduce() {
        reduced $topology tcp powersgd:rank=1 && reduced $topology sim powersgd:rank=1 &&
            cmp $topology-tcp/solution.npy $topology-sim/solution.npy
    }
    check "an all-reduce over a $topology of processes is that of sim" all_reduce
done
check "a star and a complete graph reduce to the same bits" cmp star-tcp/solution.npy complete-tcp/solution.npy

# Messages that are packed once more: fewer bytes on the wire, the same bits behind it.
packed() {
    for zstd in no yes; do
        "$P2POPT" run --nodes 4 --topology ring --method cold --compressor qinf:bits=4,code=fixed --rounds 40 --quiet \
            --problem softmax:lambda=1e-2 --data sample:digits --zstd $zstd --json --output zstd-$zstd \
            --transport $1 >zstd-$zstd.json || return 1
    done
    cmp zstd-no/solution.npy zstd-yes/solution.npy &&
        awk -v plain="$(json bits_per_node <zstd-no.json)" -v packed="$(json bits_per_node <zstd-yes.json)" \
            'BEGIN { exit !(packed > 0 && packed < plain) }'
}
for transport in tcp sim; do
    check "packed messages over $transport are shorter and change nothing" packed $transport
done

# Every method with a proximal step finds the minimum of f + psi, which is that of the reference solver.
proximal() {
    "$P2POPT" run --nodes 6 --topology $1 --method $2 --compressor $3 --rounds 6000 --quiet --json --transport inproc \
        --problem elastic-net:l1=0.02,l2=0.05 --data sample:heart --output proximal >proximal.json &&
        awk -v gap="$(json gap <proximal.json)" 'BEGIN { exit !(gap < 1e-13 && gap > -1e-13) }'
}
while read -r topology method compressor; do
    check "$method over a $topology takes a proximal step" proximal $topology $method $compressor
done <<END
ring cold qinf:bits=4
ring dyna-cold binary
ring nids identity
ring exact-diffusion identity
complete d2 identity
ring extra identity
star gd identity
star diana qsgd:levels=16
star ef21 topk:k=50%
star ef21:down=topk:k=80% topk:k=80%
complete ef-bv topk:k=80%
END

# A network learns digits from small batches and messages of two bits an entry, in floats and layer by layer.
network() {
    "$P2POPT" run --nodes 8 --transport inproc --problem mlp:hidden=32 --data sample:digits --shard shuffled --batch 16 \
        --dtype f32 --method choco:step=0.2 --compressor "$1" --rounds 1200 --quiet --json --output network >network.json &&
        awk -v share="$(json accuracy <network.json)" 'BEGIN { exit !(share > 0.97 && share <= 1) }'
}
check "a network learns digits with qinf" network qinf:bits=2
check "a network learns digits with topk of each layer" network 'layers(topk:k=10%)'

# Layers without sizes are those of the problem.
layered() {
    "$P2POPT" run $same --problem logistic:lambda=1e-2,intercept=yes,weights=samples --transport sim --quiet \
        --compressor "layers(topk:k=20%$2)" --output "layers-$1" >"layers-$1.out"
}
by_layers() {
    layered problem "" && layered given ",sizes=13/1" && layered one ",sizes=14" &&
        cmp layers-problem/solution.npy layers-given/solution.npy &&
        ! cmp -s layers-problem/solution.npy layers-one/solution.npy
}
check "layers without sizes are those of the problem" by_layers

# Games, whose methods send in some rounds what they do not in others.
game() {
    "$P2POPT" run --nodes 4 --rounds 60 --quiet --transport "$1" --topology "$2" --method "$3" --compressor "$4" \
        --problem "$5" --seed 3 --output "game-$2-$3-$1" >"game-$2-$3-$1.out" 2>&1 || {
        cat "game-$2-$3-$1.out"
        return 1
    }
}
one_game() {
    game tcp "$@" && game sim "$@" && cmp "game-$1-$2-tcp/solution.npy" "game-$1-$2-sim/solution.npy"
}
while read -r topology method compressor problem; do
    check "$method over a $topology of processes is that of sim" one_game $topology $method $compressor $problem
done <<EOF
ring cold-vi qinf:bits=2 quadratic-game
ring dyna-cold-vi binary quadratic-game
star extragradient identity matrix-game
complete popov identity bilinear-game
star masha1 qinf:bits=2 quadratic-game
complete masha2 topk:k=2 quadratic-game
star three-pillars permk quadratic-game
EOF

# Rounds of microseconds: a way between threads is not full because nobody has looked what the other has read.
nobody_lost() {
    for seed in 1 2 3 4 5; do
        "$P2POPT" run --nodes 3 --topology ring --transport inproc --method cold --compressor qinf:bits=4 --quiet \
            --problem quadratic:dim=6 --rounds 3000 --seed $seed >inproc.out 2>inproc.err || return 1
        ! grep absent inproc.err || return 1
    done
}
check "fast rounds between threads lose nobody" nobody_lost

# The figures that do not depend on time are the same as well.
lines() { json gap <"$1/run.jsonl"; json bits_per_node <"$1/run.jsonl"; json round <"$1/run.jsonl"; }
same_figures() {
    lines tcp >tcp.figures && lines sim >sim.figures && cmp tcp.figures sim.figures
}
check "the reported rounds are the same, too" same_figures
reported() { is "$(json round <tcp/run.jsonl | tr '\n' ' ')" "7 14 21 28 35 42 49 56 60 " rounds; }
check "every seventh round is reported, and the last" reported

closing() {
    for key in method compressor topology nodes dimension rounds value optimum gap consensus_distance bits_per_node \
        bits_uncompressed seconds rounds_per_second reached; do
        json $key <tcp.json >/dev/null || return 1
    done
    is "$(json nodes <tcp.json)" 4 nodes && is "$(json dimension <tcp.json)" 13 dimension &&
        is "$(json rounds <tcp.json)" 60 rounds && is "$(json end <tcp.json)" rounds end &&
        is "$(json reached <tcp.json)" null reached && is "$(json bits_uncompressed <tcp.json)" 49920.0 dense
}
check "the closing object has every key" closing

to_tolerance() {
    "$P2POPT" run $same --rounds 100000 --tolerance 1e-8 --json >tolerance.json 2>tolerance.err &&
        is "$(json end <tolerance.json)" tolerance end && is "$(json reached <tolerance.json)" true reached
}
check "a swarm of processes agrees that it met the tolerance" to_tolerance
missed() {
    "$P2POPT" run $same --rounds 5 --tolerance 1e-8 --transport sim >missed.out
    is $? 1 status && said missed.out "optimum NOT reached"
}
check "a tolerance that is not met is exit status 1" missed

f32() {
    "$P2POPT" run $same --dtype f32 --output f32 --quiet >/dev/null &&
        "$P2POPT" run $same --dtype f32 --transport sim --output f32-sim --quiet >/dev/null &&
        cmp f32/solution.npy f32-sim/solution.npy
}
check "f32 over tcp and in sim" f32
alone() { "$P2POPT" run $same --nodes 1 --topology complete --quiet >alone.out && said alone.out "of 1 nodes"; }
check "a swarm of one node" alone

interrupted() {
    "$P2POPT" run $same --rounds 100000000 --report-every 10 --output stopped --json >stopped.json 2>stopped.err &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s stopped/run.jsonl.part || return 1
    kill -INT $pid
    ends $pid 60
    is "$status" 0 status && is "$(json end <stopped.json)" stopped end && test -s stopped/solution.npy &&
        json round <stopped/run.jsonl >/dev/null
}
check "SIGINT ends the swarm orderly, with results" interrupted

twice() {
    "$P2POPT" run $same --rounds 100000000 --report-every 10 --output twice >twice.out 2>twice.err &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s twice/run.jsonl.part || return 1
    nodes=$(cat /proc/$pid/task/$pid/children)
    # Stopped nodes cannot end orderly.
    kill -STOP $nodes
    kill -TERM $pid
    wait_for 60 said twice.err "a second signal kills them" || return 1
    kill -TERM $pid
    ends $pid 60
    is "$status" 1 status || return 1
    for node in $nodes; do
        has_ended $node || { echo "node process $node is left"; return 1; }
    done
    ! test -e twice/run.jsonl || { echo "results of a killed run"; return 1; }
}
check "a second signal kills the nodes" twice

orphans() {
    "$P2POPT" run $same --rounds 100000000 --report-every 10 --output orphans >/dev/null 2>&1 &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s orphans/run.jsonl.part || return 1
    nodes=$(cat /proc/$pid/task/$pid/children)
    kill -KILL $pid
    wait $pid 2>/dev/null
    for node in $nodes; do
        wait_for 20 has_ended $node || { echo "node process $node lives on"; return 1; }
    done
    rm -rf tmp/p2popt-run-*
}
check "nodes do not outlive a run that is killed" orphans

no_leftovers() { is "$(ls tmp)" "" "left in TMPDIR"; }
check "private folders are removed" no_leftovers
plan
