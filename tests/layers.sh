#!/bin/sh
echo 1..1
if text=$("$SRCDIR/tools/check-layers"); then
    echo "ok 1 - the code keeps to src/layers"
else
    echo "not ok 1 - the code keeps to src/layers"
    echo "$text" | sed 's/^/# /'
fi
