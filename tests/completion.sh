#!/bin/sh
# The bash completion, asked the way readline asks it.
command -v bash >/dev/null 2>&1 || { echo "1..0 # SKIP no bash"; exit 0; }
PATH=$(dirname "$P2POPT"):$PATH exec bash -s <<'BASH'
source "$SRCDIR/completions/p2popt"
n=0
# expect TITLE LINE WORD...: completing LINE offers each WORD; a WORD that starts with ! is not offered.
expect() {
    local title=$1 why= word
    COMP_LINE=$2
    COMP_POINT=${#COMP_LINE}
    COMP_WORDS=($COMP_LINE)
    COMPREPLY=()
    shift 2
    _p2popt
    for word; do
        if [[ $word == !* ]]; then
            [[ " ${COMPREPLY[*]} " != *" ${word#!} "* ]] || why="$why; offers ${word#!}"
        else
            [[ " ${COMPREPLY[*]} " == *" $word "* ]] || why="$why; does not offer $word"
        fi
    done
    n=$((n + 1))
    if [[ -z $why ]]; then
        echo "ok $n - $title"
    else
        echo "not ok $n - $title$why"
        echo "# got: ${COMPREPLY[*]}"
    fi
}
expect "commands" "p2popt " run node list
expect "commands that begin alike" "p2popt ke" keygen !run
expect "options of a command" "p2popt run --no" --nodes !--output
expect "method names" "p2popt run --method " cold nids
expect "compressor names by their beginning" "p2popt run --compressor q" qinf !topk
expect "keys of a member" "p2popt run --compressor topk:" k=
expect "names behind an equals sign" "p2popt run --topology=ri" ring
expect "families" "p2popt list me" methods
expect "words of a choice" "p2popt run --dtype f" f32 f64
echo "1..$n"
BASH
