#!/bin/sh
# p2popt tune: what it finds, that it is what a run does, and how it ends.
. "$SRCDIR/tests/swarm_lib.sh"

problem="--nodes 4 --topology ring --problem ridge:lambda=1e-1 --data sample:heart --seed 3"

# Far more time than it takes: what is cut off then does not depend on the machine.
finds() { "$P2POPT" tune $problem --seconds 600 --json >best.json && "$P2POPT" tune $problem --seconds 600 >best.out; }
check "the usual pairs are tried" finds
decided() {
    count=$(tr '{' '\n' <best.json | grep -c '"end":"reached"') && [ "$count" -ge 3 ] &&
        tr '{' '\n' <best.json | grep -q '"end":"costlier"' && said best.out "best of" "p2popt run --nodes 4"
}
check "some reach the gap, others are cut off when they have sent as much" decided
again() {
    "$P2POPT" tune $problem --seconds 600 --json | sed 's/"seconds":[^,]*//g' >again.json &&
        sed 's/"seconds":[^,]*//g' best.json | cmp - again.json
}
check "the same trials with the same ends" again

# The command it prints, on real processes.
command_of() { sed -n 's/^  p2popt //p' best.out; }
as_printed() {
    eval "\"$P2POPT\" $(command_of) --json --report-every 5 --output real" >real.json 2>real.err || { cat real.err; return 1; }
    awk -v gap="$(json gap <real.json)" 'BEGIN { exit !(gap <= 1e-6) }' &&
        awk -v best="$(sed -n 's/.*"best":{[^}]*"bits_per_node":\([0-9.e+]*\).*/\1/p' best.json)" \
            -v round="$(sed -n 's/.*"best":{[^}]*"rounds":\([0-9]*\).*/\1/p' best.json)" '
            { at = $0; sub(/.*"round":/, "", at); bits = $0; sub(/.*"bits_per_node":/, "", bits) }
            at + 0 == round { found = bits + 0 == best + 0 }
            END { exit !found }' real/run.jsonl
}
check "the printed command reaches the gap on processes, with the bits that were promised" as_printed

named() {
    "$P2POPT" tune $problem --method lead --method nids --compressor identity --seconds 600 >named.out &&
        said named.out "lead:step" "nids:step" && ! grep -q cold named.out
}
check "methods and compressors that are named are those that are tried" named
none() {
    "$P2POPT" tune $problem --method lead --compressor identity --rounds 10 --gap 1e-12 >none.out
    is $? 1 status && said none.out "none of 1 trials reached a gap of 1e-12"
}
check "no trial reaches the gap: status 1" none
unfit() {
    "$P2POPT" tune $problem --method nids --compressor topk >unfit.out
    is $? 1 status && said unfit.out refused "would lose a part"
}
check "what does not go together is refused, and why" unfit
unknown() {
    "$P2POPT" tune $problem --optimum none 2>unknown.err
    is $? 2 status && said unknown.err "the optimum of the problem is not known"
}
check "without an optimum there is no gap" unknown
wrong() {
    "$P2POPT" tune --gap -1 2>wrong.err
    is $? 2 status && said wrong.err "--gap"
}
check "a gap below 0 is a mistake in the command line" wrong
ours() {
    "$P2POPT" tune --tolerance 1e-3 2>ours.err
    is $? 2 status && said ours.err "--tolerance: --gap says"
}
check "a tolerance is not for trials" ours
game() { "$P2POPT" tune --nodes 4 --problem quadratic-game:dim=6 --quiet --seconds 600 >game.out && said game.out "|z - z*|"; }
check "a game by the distance to its solution" game
plan
