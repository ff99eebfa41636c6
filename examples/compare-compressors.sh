#!/bin/sh
# How far the same method gets on the same problem with different compressors, and what a node sends for it. In the
# simulator, so that nothing but the compressor differs.
set -e
p2popt=${P2POPT:-p2popt}
printf '%-16s %-12s %s\n' compressor 'f - f*' 'kbit a node'
for compressor in identity qinf:bits=4 qinf:bits=2 sign topk:k=10% randk:k=10%; do
    "$p2popt" run --nodes 8 --topology ring --method cold --compressor "$compressor" \
        --problem logistic:lambda=1e-2,weights=samples --data sample:heart --rounds 500 --transport sim --quiet --json |
        awk -v name="$compressor" '
            /"gap":/ { gap = $2 }
            /"bits_per_node":/ { bits = $2 }
            END { printf "%-16s %-12.2e %.1f\n", name, gap, bits / 1000 }'
done
