include tests/unit/base/local.mk
include tests/unit/aggregate/local.mk
include tests/unit/topology/local.mk
include tests/unit/problem/local.mk
