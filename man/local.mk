dist_man_MANS += \
	%D%/libp2popt.3 \
	%D%/p2popt-aggregators.7 \
	%D%/p2popt-checkpoint.5 \
	%D%/p2popt-compress.1 \
	%D%/p2popt-compressors.7 \
	%D%/p2popt-doctor.1 \
	%D%/p2popt-init.1 \
	%D%/p2popt-keygen.1 \
	%D%/p2popt-list.1 \
	%D%/p2popt-methods.7 \
	%D%/p2popt-node.1 \
	%D%/p2popt-problems.7 \
	%D%/p2popt-run-files.5 \
	%D%/p2popt-run.1 \
	%D%/p2popt-solve.1 \
	%D%/p2popt-swarm.5 \
	%D%/p2popt-topologies.7 \
	%D%/p2popt-topology.1 \
	%D%/p2popt-tune.1 \
	%D%/p2popt.1
