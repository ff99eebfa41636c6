/* DOT goes through a pipe to the layout program; its picture goes to a file that is renamed when all went well. */
#include "config.h"

#include "topology_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *const topology_draw_engines[] = { "dot", "neato", "fdp", "sfdp", "circo", "twopi", NULL };

static const char *const formats[] = { "svg", "png", "pdf" };

/* "-Tsvg" for a path that ends with .svg; NULL if the format is not one of those above. */
static const char *
format_option(const char *path, char *option, size_t cap)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot + 1, formats[i]) == 0) {
            snprintf(option, cap, "-T%s", formats[i]);
            return option;
        }
    return NULL;
}

/* Start the program with these ends as standard input and output; the error number, or 0. */
static int
start(pid_t *child, const char *engine, char *option, int input, int output)
{
    char *argv[] = { (char *)engine, option, NULL };
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0)
        return error;
    if ((error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0)
        error = posix_spawnp(child, engine, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static p2p_status
finish(pid_t child, const char *engine)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return p2p_fail(P2P_EIO, "%s: cannot be waited for: %s", engine, strerror(errno));
    if (WIFSIGNALED(status))
        return p2p_fail(P2P_EIO, "%s: ended by signal %d", engine, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return p2p_fail(P2P_EIO, "%s: ended with exit status %d", engine, WEXITSTATUS(status));
    return P2P_OK;
}

/* Run the program, feed it, wait for it. */
static p2p_status
lay_out(const p2p_topology *topology, const char *engine, char *option, int output)
{
    int ends[2], error;
    pid_t child;
    FILE *stream;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return p2p_fail(P2P_EIO, "%s: no pipe: %s", engine, strerror(errno));
    error = start(&child, engine, option, ends[0], output);
    close(ends[0]);
    if (error != 0) {
        close(ends[1]);
        return p2p_fail(P2P_EIO,
                        "%s: cannot be run: %s; Graphviz draws (apt-get install graphviz), and FILE.dot is "
                        "written without it by p2popt topology make",
                        engine, strerror(error));
    }
    /* A program that ends early tells so by its exit status, not by a signal to us. */
    signal(SIGPIPE, SIG_IGN);
    if ((stream = fdopen(ends[1], "w")) == NULL)
        close(ends[1]);
    else {
        p2p_topology_print(topology, P2P_TOPOLOGY_DOT, stream);
        fclose(stream);
    }
    return finish(child, engine);
}

p2p_status
topology_draw(const p2p_topology *topology, const char *engine, const char *path)
{
    char option[8], temporary[4096];
    p2p_status st;
    int output;

    if (format_option(path, option, sizeof option) == NULL)
        return p2p_fail(P2P_EINVAL, "--output %s: expected a name that ends with .svg, .png or .pdf", path);
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return p2p_fail(P2P_EIO, "%.60s...: the path is too long", path);
    if ((output = mkostemp(temporary, O_CLOEXEC)) < 0)
        return p2p_fail(P2P_EIO, "%s: cannot be written: %s", path, strerror(errno));
    st = lay_out(topology, engine, option, output);
    if (st == P2P_OK && (fchmod(output, 0644) != 0 || rename(temporary, path) != 0))
        st = p2p_fail(P2P_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (st != P2P_OK)
        unlink(temporary);
    close(output);
    return st;
}
