EXTRA_DIST += %D%/check-layers %D%/setup %D%/summary src/layers .ci/run
