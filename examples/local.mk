# Scripts use the tool, embed.c and game.c the library alone; tests run all of them.
EXTRA_DIST += %D%/by-hand.sh %D%/compare-compressors.sh %D%/fashion.sh %D%/plot-runs.awk
check_PROGRAMS += embed game
embed_SOURCES = %D%/embed.c
embed_CPPFLAGS = -I$(top_srcdir)/include
embed_CFLAGS = $(P2P_CFLAGS)
embed_LDADD = libp2popt.la
game_SOURCES = %D%/game.c
game_CPPFLAGS = $(embed_CPPFLAGS)
game_CFLAGS = $(P2P_CFLAGS)
game_LDADD = libp2popt.la

# The same program against what was installed, the way its users compile it.
installcheck-local:
	PKG_CONFIG_PATH=$(DESTDIR)$(pkgconfigdir) $(CC) $(srcdir)/%D%/embed.c -o installed-embed \
		`PKG_CONFIG_PATH=$(DESTDIR)$(pkgconfigdir) $(PKG_CONFIG) --cflags --libs p2popt`
	LD_LIBRARY_PATH=$(DESTDIR)$(libdir) ./installed-embed
	rm -f installed-embed
