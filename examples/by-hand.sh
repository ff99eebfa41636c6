#!/bin/sh
# A swarm without `p2popt run`: a description, a certificate for each node, and every node started by hand. On several
# machines it is the same: name them by --host, and start each node where it belongs.
set -e
p2popt=${P2POPT:-p2popt}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$p2popt" init --nodes 4 --output swarm --port-base "${PORT:-5650}" --topology ring --method lead \
    --compressor qinf:bits=4 --problem logistic:lambda=1e-2,weights=samples --data sample:heart \
    --rounds 300 --report-every 100 >commands
echo "Each line of this starts a node:"
cat commands

for rank in 1 2 3; do
    "$p2popt" node --swarm swarm/swarm.yaml --rank $rank --certificate swarm/node-$rank.cert_secret \
        --output results --log-level warning >/dev/null 2>&1 &
done
"$p2popt" node --swarm swarm/swarm.yaml --rank 0 --certificate swarm/node-0.cert_secret --output results
wait
ls results
