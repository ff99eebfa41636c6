#!/bin/sh
# tools/setup names exactly the packages that are missing, and installs nothing unless it is root.
work=$(mktemp -d "${TMPDIR:-/tmp}/p2popt-setup-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/tree/tools" "$work/bin"
cp "$SRCDIR/tools/setup" "$SRCDIR/tools/summary" "$work/tree/tools/"
# A machine on which two packages are missing, and a user who is not root.
cat >"$work/bin/dpkg-query" <<'SH'
#!/bin/sh
for package; do :; done
case $package in libzmq3-dev | libyaml-dev) printf 'not-installed' ;; *) printf 'installed' ;; esac
SH
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\necho apt-get was called >&2\n' >"$work/bin/apt-get"
chmod +x "$work"/bin/*

n=0
check() {
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        echo "# got: $2"
        echo "# expected: $3"
    fi
}
said=$(PATH=$work/bin:$PATH "$work/tree/tools/setup" build 2>&1)
status=$?
check "a user is told the line for root" "$said" "tools/setup: packages are missing; as root: apt-get update && \
apt-get install -y --no-install-recommends libzmq3-dev libyaml-dev"
check "and that is exit status 1" $status 1
"$work/tree/tools/setup" frobnicate >/dev/null 2>&1
check "an unknown word is exit status 2" $? 2

mkdir "$work/results"
printf ':test-result: PASS a\n:test-result: SKIP b\n:test-result: PASS c\n' >"$work/results/a.trs"
check "a summary counts single tests" "$("$work/tree/tools/summary" "$work/results")" "2 passed, 0 failed, 1 skipped"
printf ':test-result: FAIL a\n:test-result: ERROR b\n' >"$work/results/b.trs"
check "failures and errors fail" "$("$work/tree/tools/summary" "$work/results")" "2 passed, 2 failed, 1 skipped"
rm "$work/results"/*
check "no results are a failure" "$("$work/tree/tools/summary" "$work/results")" "0 passed, 1 failed, 0 skipped"
echo "1..$n"
