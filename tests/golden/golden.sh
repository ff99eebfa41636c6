#!/bin/sh
# Every folder of golden cases in the tree through golden-run, a TAP line a case.
"$BUILDDIR/tests/golden/golden-run" "$SRCDIR"/tests/golden/*/ | awk '
    $1 == "pass"    { print "ok " ++n " - " substr($0, 9) }
    $1 == "FAIL"    { print "not ok " ++n " - " substr($0, 9) }
    $1 == "skipped" { print "ok " ++n " - " $2 " # SKIP " substr($0, 9) }
    END { print "1.." n + 0; if (n == 0) print "Bail out! golden-run ran nothing" }'
