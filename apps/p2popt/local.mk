bin_PROGRAMS += p2popt
p2popt_SOURCES = \
	%D%/certificate.c %D%/certificate.h \
	%D%/command.c %D%/command.h \
	%D%/commands.def \
	%D%/compress_command.c \
	%D%/compress_measure.c %D%/compress_measure.h \
	%D%/compress_report.c %D%/compress_report.h \
	%D%/compress_vector.c %D%/compress_vector.h \
	%D%/compressor_class.c %D%/compressor_class.h \
	%D%/equilibrium.c %D%/equilibrium.h \
	%D%/doctor_command.c \
	%D%/frame_file.c %D%/frame_file.h \
	%D%/init_command.c \
	%D%/json_number.h \
	%D%/keygen_command.c \
	%D%/known_optimum.c %D%/known_optimum.h \
	%D%/list_command.c \
	%D%/local_swarm.c %D%/local_swarm.h \
	%D%/log_level.c %D%/log_level.h \
	%D%/losses.c %D%/losses.h \
	%D%/main.c \
	%D%/monitor.c %D%/monitor.h \
	%D%/node_command.c \
	%D%/objective.c %D%/objective.h \
	%D%/optimum.c %D%/optimum.h \
	%D%/proximal_optimum.c %D%/proximal_optimum.h \
	%D%/output_file.c %D%/output_file.h \
	%D%/progress_line.c %D%/progress_line.h \
	%D%/report_pipe.c %D%/report_pipe.h \
	%D%/run_command.c \
	%D%/saving_arguments.c %D%/saving_arguments.h \
	%D%/run_results.c %D%/run_results.h \
	%D%/service_notify.c %D%/service_notify.h \
	%D%/solve_command.c \
	%D%/swarm_arguments.c %D%/swarm_arguments.h \
	%D%/topology_command.c \
	%D%/topology_draw.c %D%/topology_draw.h \
	%D%/topology_liars.c %D%/topology_liars.h \
	%D%/tune_command.c \
	%D%/tune_grid.c %D%/tune_grid.h \
	%D%/tune_trial.c %D%/tune_trial.h
# The tool sees the installed headers only.
p2popt_CPPFLAGS = -I$(top_srcdir)/include
p2popt_CFLAGS = $(P2P_CFLAGS) $(BLAS_CFLAGS) $(SODIUM_CFLAGS) $(JANSSON_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(LAPACKE_CFLAGS)
p2popt_LDADD = libp2popt.la $(BLAS_LIBS) $(SODIUM_LIBS) $(JANSSON_LIBS) $(CZMQ_LIBS) $(ZMQ_LIBS) $(LAPACKE_LIBS)

# Where systemd looks for the units of a package, below the same prefix.
systemdunitdir = $(prefix)/lib/systemd/system
systemdunit_DATA = %D%/p2popt@.service
EXTRA_DIST += %D%/p2popt@.service.in
CLEANFILES += %D%/p2popt@.service
%D%/p2popt@.service: %D%/p2popt@.service.in
	$(AM_V_GEN)$(MKDIR_P) %D% && sed 's|@bindir[@]|$(bindir)|' '$(srcdir)/%D%/p2popt@.service.in' >'$@'
