# For tests that run swarms: TAP, a private folder, waiting for conditions. Sourced by scripts of `make check`.
work=$(mktemp -d "${TMPDIR:-/tmp}/p2popt-test-XXXXXX") || exit 99
started=
# Whatever a test started is ended, by its number.
finish() {
    for pid in $started; do
        kill -9 "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 99' INT TERM HUP
cd "$work" || exit 99
# Private folders of `p2popt run` go here, so that a leftover is seen.
mkdir tmp && TMPDIR=$work/tmp && export TMPDIR

n=0
# check TITLE COMMAND...: one test; what the command prints is shown if it fails.
check() {
    n=$((n + 1))
    title=$1
    shift
    if "$@" >"$work/.said" 2>&1; then
        echo "ok $n - $title"
    else
        echo "not ok $n - $title"
        sed 's/^/# /' "$work/.said" | head -40
    fi
}
plan() { echo "1..$n"; }

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    tries=$(($1 * 10))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

# ends PID SECONDS: sets $status to its exit status, or to "none" if it goes on for longer; then it is killed.
ends() {
    if wait_for "$2" has_ended "$1"; then
        wait "$1"
        status=$?
    else
        kill -9 "$1"
        wait "$1" 2>/dev/null
        status=none
    fi
}
# A zombie has ended too: nobody has asked for its status yet.
has_ended() { ! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null; }

# said FILE TEXT...: each text is in the file.
said() {
    file=$1
    shift
    for text; do
        grep -qF -e "$text" "$file" || { echo "$file lacks: $text"; cat "$file"; return 1; }
    done
}
is() { [ "$1" = "$2" ] || { echo "$3: \"$1\", expected \"$2\""; return 1; }; }
json() { "$BUILDDIR/json_value" "$1"; }
