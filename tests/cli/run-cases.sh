#!/bin/sh
# Runs every folder of tests/cli/cases: `cmd` is a shell script ($P2POPT is the tool, the working folder is fresh).
# Compared where present: stdout, stderr (exact text), stdout.has, stderr.has (each line must occur), exit (default 0).
cases=$SRCDIR/tests/cli/cases
set -- "$cases"/*/
echo "1..$#"
n=0
failed=0
for folder; do
    n=$((n + 1))
    name=$(basename "$folder")
    work=$(mktemp -d "${TMPDIR:-/tmp}/p2popt-cli-XXXXXX")
    (cd "$work" && CASE=$folder timeout 120 sh "$folder/cmd" >"$work/.stdout" 2>"$work/.stderr" </dev/null)
    status=$?
    wanted=0
    [ -f "$folder/exit" ] && wanted=$(cat "$folder/exit")
    why=
    [ "$status" = "$wanted" ] || why="exit status $status, expected $wanted"
    for stream in stdout stderr; do
        if [ -f "$folder/$stream" ] && ! cmp -s "$folder/$stream" "$work/.$stream"; then
            why="$why; $stream differs"
        fi
        if [ -f "$folder/$stream.has" ]; then
            while IFS= read -r line; do
                grep -qF -e "$line" "$work/.$stream" || why="$why; $stream lacks: $line"
            done <"$folder/$stream.has"
        fi
    done
    if [ -z "$why" ]; then
        echo "ok $n - $name"
    else
        failed=1
        echo "not ok $n - $name: $why"
        sed 's/^/# out: /' "$work/.stdout" | head -40
        sed 's/^/# err: /' "$work/.stderr" | head -40
    fi
    rm -rf "$work"
done
exit $failed
