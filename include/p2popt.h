/* libp2popt: decentralised optimisation by compressed gossip. The one header to include. */
#ifndef P2POPT_H
#define P2POPT_H

#include <p2popt/aggregator.h>
#include <p2popt/array.h>
#include <p2popt/compressor.h>
#include <p2popt/data.h>
#include <p2popt/method.h>
#include <p2popt/node.h>
#include <p2popt/option.h>
#include <p2popt/problem.h>
#include <p2popt/random.h>
#include <p2popt/status.h>
#include <p2popt/swarm.h>
#include <p2popt/topology.h>
#include <p2popt/vector.h>

#endif
