#!/bin/sh
# The examples run and say what they should.
. "$SRCDIR/tests/swarm_lib.sh"

embed() { "$BUILDDIR/embed" >embed.out && said embed.out "3.000000000 3.000000000 5.000000000"; }
check "embed.c finds the mean of its rows" embed
game() { "$BUILDDIR/game" >game.out && said game.out "rock 0.500000, paper 0.166667, scissors 0.333333"; }
check "game.c finds how often to play what" game
compressors() {
    "$SRCDIR/examples/compare-compressors.sh" >compressors.out && is "$(wc -l <compressors.out)" 7 lines
}
check "compare-compressors.sh" compressors
by_hand() {
    # A port base of this test's own; on a busy machine another may be tried.
    for attempt in 1 2 3; do
        if PORT=$((20000 + ($$ * 7 + attempt * 101) % 10000)) "$SRCDIR/examples/by-hand.sh" >hand.out; then
            said hand.out "all rounds done after round 300" node-3.npy
            return
        fi
    done
    return 1
}
check "by-hand.sh" by_hand
fashion() {
    ROUNDS=20 HIDDEN=4 "$SRCDIR/examples/fashion.sh" >fashion.out &&
        is "$(grep -c '<polyline' fashion.svg)" 2 curves && is "$(grep -c '^</svg>' fashion.svg)" 1 end
}
check "fashion.sh draws the curves of two runs" fashion
nothing_to_draw() {
    echo '{"round":1,"gap":null}' >empty.jsonl
    ! awk -f "$SRCDIR/examples/plot-runs.awk" empty.jsonl >empty.svg 2>empty.err &&
        said empty.err "no line has numbers under round and gap"
}
check "plot-runs.awk says that there is nothing to draw" nothing_to_draw
plan
