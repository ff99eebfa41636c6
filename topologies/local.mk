# Installed topologies: found by name as "sample:NAME".
topologiesdir = $(pkgdatadir)/topologies
dist_topologies_DATA = \
	%D%/README \
	%D%/abilene.edges \
	%D%/africa.edges \
	%D%/arpanet1972.edges \
	%D%/geant2012.edges \
	%D%/karate.edges \
	%D%/kdl.edges \
	%D%/les-miserables.edges \
	%D%/nsfnet.edges \
	%D%/uninett2011.edges \
	%D%/usa48.edges
