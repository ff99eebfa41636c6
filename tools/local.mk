EXTRA_DIST += %D%/check-layers src/layers
