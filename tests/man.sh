#!/bin/sh
# The man pages: they lint, they name every option and every member of the registries and nothing else, and the
# commands of their EXAMPLES run.
man=$SRCDIR/man
helpers=$SRCDIR/tests/page-checks
work=$(mktemp -d "${TMPDIR:-/tmp}/p2popt-man-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir bin && ln -s "$P2POPT" bin/p2popt
PATH=$work/bin:$PATH

n=0
result() { # STATUS TITLE: output of the check is in `out`
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        sed 's/^/# /' out | head -30
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

for page in "$man"/*.[1357]; do
    name=$(basename "$page")
    if command -v mandoc >/dev/null 2>&1; then
        mandoc -Tlint -Wwarning "$page" >out 2>&1
        result $? "$name lints"
    else
        skip "$name lints" "no mandoc"
    fi
done

for command in $(p2popt --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    page=$man/p2popt-$command.1
    p2popt "$command" --help | "$helpers/check-options" "$page" >out 2>&1
    result $? "p2popt-$command(1) has the options of --help"
done

for family in methods compressors topologies mixings problems aggregators transports attacks keys; do
    section=$(echo "$family" | tr a-z A-Z)
    page=$(grep -l "^\.Sh $section\$" "$man"/*.[157] | head -n 1)
    if [ -z "$page" ]; then
        echo "no page has .Sh $section" >out
        result 1 "a page has the $family"
        continue
    fi
    p2popt list --long "$family" | "$helpers/check-registry" "$page" "$section" >out 2>&1
    result $? "$(basename "$page") has the $family of the registry"
done

sed -n 's/^    X(\(P2P_[A-Z]*\), *\(-\{0,1\}[0-9]*\), *"\(.*\)").*/.It Dv \1 Ta \2 Ta \3/p' \
    "$SRCDIR/include/p2popt/status.h" >statuses
grep '^\.It Dv P2P_' "$man/libp2popt.3" | diff statuses - >out 2>&1
result $? "libp2popt(3) has the list of statuses"
"$helpers/extract-code" "$man/libp2popt.3" examples/embed.c | diff "$SRCDIR/examples/embed.c" - >out 2>&1
result $? "libp2popt(3) has examples/embed.c, which is compiled and run by another test"

for page in "$man"/*.[157]; do
    name=$(basename "$page")
    "$helpers/extract-examples" "$page" >script
    [ -s script ] || continue
    rm -rf examples && mkdir examples
    (cd examples && sh -e ../script) >out 2>&1 </dev/null
    result $? "the examples of $name run"
done
echo "1..$n"
