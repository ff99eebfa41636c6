bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = %D%/p2popt
