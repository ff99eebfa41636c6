#!/bin/sh
# Checkpoints: a resumed run is the uninterrupted one, byte for byte; damaged, foreign and missing ones; full disks.
. "$SRCDIR/tests/swarm_lib.sh"

run() { "$P2POPT" run --nodes 4 --seed 3 --quiet --json "$@"; }
# whole DIR SPECS...: 40 rounds at once, and 17 and the rest.
whole() {
    name=$1
    shift
    run "$@" --rounds 40 --output "$name" >"$name.json" 2>"$name.err"
}
halves() {
    name=$1
    shift
    run "$@" --rounds 17 --checkpoint "$name.saved" >"$name.first" 2>"$name.err" &&
        run "$@" --rounds 40 --checkpoint "$name.saved" --resume --output "$name.resumed" >"$name.second" 2>"$name.err"
}
figures() { for key in rounds value gap bits_per_node consensus_distance; do json $key <"$1" || echo none; done; }
alike() {
    cmp "$1/solution.npy" "$1.resumed/solution.npy" && figures "$1.json" >"$1.a" && figures "$1.second" >"$1.b" &&
        cmp "$1.a" "$1.b"
}

# Every method there is, with the first topology, compressor and problem it works with.
one_method() {
    while read -r topology compressor problem data; do
        set -- --transport sim --topology "$topology" --method "$method" --compressor "$compressor" --problem "$problem"
        [ -z "$data" ] || set -- "$@" --data "$data"
        if whole "m-$method" "$@"; then
            halves "m-$method" "$@" || { cat "m-$method.err"; return 1; }
            alike "m-$method"
            return
        fi
    done <<EOF
ring qinf:bits=4 quadratic:dim=60
ring identity quadratic:dim=60
ring binary quadratic:dim=60
star qinf:bits=4 quadratic:dim=60
star topk:k=4 quadratic:dim=60
star identity quadratic:dim=60
one-peer identity quadratic:dim=60
ring qinf:bits=4 consensus sample:heart
star topk:k=10 logistic:lambda=1e-2 sample:heart
star identity logistic:lambda=1e-2 sample:heart
ring powersgd:rank=1 quadratic:dim=60
star randk:k=4,scale=0,shared=1 quadratic:dim=60
star threshold:lambda=0.1 quadratic:dim=60
ring qinf:bits=4 quadratic-game
ring identity quadratic-game
ring binary quadratic-game
star qinf:bits=4 quadratic-game
star identity quadratic-game
star permk quadratic-game
EOF
    cat "m-$method.err"
    return 1
}
"$P2POPT" list methods | awk '{ print $1 }' | grep -v -e pairwise -e '^$' -e : >methods
[ "$(wc -l <methods)" -ge 60 ] || echo "Bail out! only $(wc -l <methods) methods"
while read -r method; do
    check "$method resumes" one_method </dev/null
done <methods

# Every compressor: what it remembers comes back too.
one_compressor() {
    for spec in "$compressor" "$compressor(topk:k=10%)" "$compressor(randk:k=10%)" \
        "$compressor(topk:k=10%,randk:k=10%)"; do
        for place in "star dcgd" "ring cold" "ring dyna-cold" "ring choco"; do
            name="c-$compressor"
            set -- --transport sim --topology "${place% *}" --method "${place#* }" --compressor "$spec" \
                --problem quadratic:dim=60
            if whole "$name" "$@"; then
                halves "$name" "$@" || { cat "$name.err"; return 1; }
                alike "$name"
                return
            fi
        done
    done
    cat "$name.err"
    return 1
}
# ef21 keeps an estimate at its receivers, which methods do themselves.
"$P2POPT" list compressors | awk '{ print $1 }' | grep -v -e ef21 -e '^$' -e : >compressors
[ "$(wc -l <compressors)" -ge 40 ] || echo "Bail out! only $(wc -l <compressors) compressors"
while read -r compressor; do
    check "$compressor resumes" one_compressor </dev/null
done <compressors

# Minibatches, floats, packed messages; real processes.
common="--topology ring --method cold --compressor topk:k=20% --problem logistic:lambda=1e-2 --data sample:heart"
variant() {
    whole "v-$1" $common $2 && halves "v-$1" $common $2 && alike "v-$1"
}
check "minibatches resume" variant batch "--transport sim --batch 4 --batch-shuffle yes"
check "floats resume" variant f32 "--transport sim --dtype f32"
check "packed messages resume" variant zstd "--transport sim --zstd yes"
check "processes resume" variant tcp "--transport tcp"
check "threads resume" variant inproc "--transport inproc"

# Nodes killed at different rounds still have one in common.
killed() {
    "$P2POPT" run --nodes 4 --seed 3 $common --rounds 4000000 --checkpoint killed --checkpoint-every 50 --quiet \
        >killed.out 2>&1 &
    pid=$!
    started="$started $pid"
    wait_for 60 test -s killed/node-3.checkpoint.previous || return 1
    kill -9 $pid
    wait $pid 2>/dev/null
    wait_for 60 gone killed || return 1
    round=$(round_of killed/node-0.checkpoint) && run $common --rounds $((round + 60)) --checkpoint killed --resume \
        --output killed.resumed >killed.json && run $common --rounds $((round + 60)) --output killed.whole >whole.json &&
        cmp killed.resumed/solution.npy killed.whole/solution.npy
}
# No node writes there any more: they die with their starter.
gone() { before=$(cksum "$1"/*) && sleep 0.3 && [ "$before" = "$(cksum "$1"/*)" ]; }
round_of() { od -An -tu4 -j24 -N4 "$1" | tr -d ' '; }
check "a swarm that was killed resumes" killed

# What is wrong with a checkpoint is said with its place; the one before stands in for a damaged one.
saved() {
    rm -rf saved && run $common --transport sim --rounds 30 --checkpoint saved --checkpoint-every 20 >saved.json &&
        [ "$(round_of saved/node-2.checkpoint)" = 30 ] && [ "$(round_of saved/node-2.checkpoint.previous)" = 20 ]
}
resumed() { run $common --transport sim --rounds 40 --checkpoint saved --resume --output resumed "$@" >resumed.json 2>resumed.err; }
damaged() {
    saved && whole straight $common --transport sim && truncate -s 500 saved/node-2.checkpoint && resumed &&
        said resumed.err "saved/node-2.checkpoint: offset 500: the file ends here" &&
        cmp resumed/solution.npy straight/solution.npy
}
check "a damaged one is told of, and the one before is used by all" damaged
nothing() {
    saved && rm saved/node-1.checkpoint* && ! resumed && said resumed.err "no checkpoint of node 1 in saved to resume from"
}
check "a node without any cannot resume" nothing
foreign() {
    saved
    run $common --seed 4 --transport sim --rounds 40 --checkpoint saved --resume >foreign.out 2>foreign.err
    is $? 1 status && said foreign.err "saved/node-0.checkpoint: offset 16: of the swarm with fingerprint"
}
check "those of another swarm are refused" foreign
swapped() {
    saved && mv saved/node-0.checkpoint x && mv saved/node-1.checkpoint saved/node-0.checkpoint && ! resumed &&
        said resumed.err "offset 12: of node 1: expected node 0"
}
check "those of another node are refused" swapped
usage() {
    "$P2POPT" run --nodes 4 --resume 2>usage.err
    is $? 2 status && said usage.err "--resume: needs --checkpoint DIR"
}
check "resuming needs a folder" usage
# A limit on the size of files stands for a full disk.
full() {
    saved && cp -r saved before && (trap '' XFSZ; ulimit -f 16 && run $common --transport sim --rounds 90 --checkpoint saved \
        --checkpoint-every 10 --problem quadratic:dim=2000 --data "" --compressor qinf:bits=4 >full.json 2>full.err)
    is $? 0 status && said full.err "no checkpoint of round 10" && cmp saved/node-0.checkpoint before/node-0.checkpoint &&
        ! ls saved | grep -v '^node-[0-9].checkpoint'
}
check "a full disk leaves those that were there, and the run goes on" full
pairs() {
    "$P2POPT" run --nodes 4 --topology ring --method pairwise --compressor identity --problem quadratic --transport sim \
        --rounds 20 --checkpoint pairs 2>pairs.err
    is $? 2 status && said pairs.err "no rounds in common"
}
check "a method without common rounds has no checkpoints" pairs
plan
