# The layout under share/ is the installed one: tests point P2POPT_DATADIR here.
sampledatadir = $(pkgdatadir)/data
dist_sampledata_DATA = \
	%D%/data/README \
	%D%/data/a9a.svm.gz \
	%D%/data/breast-cancer.svm.gz \
	%D%/data/digits.svm.gz \
	%D%/data/fashion10k.csv.gz \
	%D%/data/heart.svm.gz
optimadir = $(pkgdatadir)/optima
dist_optima_DATA = \
	%D%/optima/a9a_1e-3.npy \
	%D%/optima/a9a_1overN.npy \
	%D%/optima/breast-cancer_1e-3.npy \
	%D%/optima/breast-cancer_1overN.npy \
	%D%/optima/digits_1e-3.npy \
	%D%/optima/heart_1e-3.npy \
	%D%/optima/heart_1overN.npy \
	%D%/optima/optima.csv
