include tests/unit/aggregate/local.mk
include tests/unit/base/local.mk
include tests/unit/method/local.mk
include tests/unit/node/local.mk
include tests/unit/problem/local.mk
include tests/unit/topology/local.mk
include tests/unit/wire/local.mk
include tests/unit/p2popt/local.mk
