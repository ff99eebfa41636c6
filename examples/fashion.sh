#!/bin/sh
# Train a network 784-128-10 on pictures of clothes with eight nodes on a ring, once with messages as they are and once
# with the largest twentieth of each layer's entries, and draw how far each got after how many bits: fashion.svg.
# ROUNDS (1200) and HIDDEN (128) make it shorter.
set -e
p2popt=${P2POPT:-p2popt}
here=$(dirname "$0")
rounds=${ROUNDS:-1200}

train() {
    "$p2popt" run --nodes 8 --topology ring --transport inproc --dtype f32 --problem "mlp:hidden=${HIDDEN:-128}" \
        --data sample:fashion10k --shard shuffled --method "$2" --compressor "$3" --batch 32 --rounds "$rounds" \
        --report-every $((rounds / 20)) --quiet --output "fashion-$1"
}
train plain choco:step=0.1,gossip=0.7 identity
train compressed choco:step=0.1,gossip=0.2 'layers(topk:k=5%)'
awk -v x=bits_per_node -v y=value -v title='MLP 784-128-10 on fashion10k, 8 nodes' -f "$here/plot-runs.awk" \
    fashion-plain/run.jsonl fashion-compressed/run.jsonl >fashion.svg
echo "fashion.svg: value against bits a node"
