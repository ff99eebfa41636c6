/* p2popt init: a commented swarm description, a certificate for each node, and how to start them. */
#include "certificate.h"
#include "command.h"
#include "swarm_arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPTION_NODES = 256, OPTION_OUTPUT, OPTION_HOST, OPTION_PORT_BASE, OPTION_FORCE };
enum { MAX_HOSTS = 1024, MAX_NODES = 65535, PATH_SIZE = 4096 };

typedef struct {
    size_t nodes, hosts;
    const char *output, *host[MAX_HOSTS];
    int port_base, force;
} plan;

static command self;

static void
certificate_path(char path[PATH_SIZE], const plan *p, size_t rank)
{
    snprintf(path, PATH_SIZE, "%s/node-%zu.cert", p->output, rank);
}

static void
remove_certificates(const plan *p, size_t count)
{
    char path[PATH_SIZE];

    for (size_t rank = 0; rank < count; rank++) {
        certificate_path(path, p, rank);
        certificate_remove(path);
    }
}

static int
secured(const p2p_swarm *swarm)
{
    const char *security = p2p_swarm_get(swarm, "security");

    return security == NULL || strcmp(security, "none") != 0;
}

/* Hosts take turns; the nodes of one host get ports in a row. */
static p2p_status
add_nodes(const plan *p, p2p_swarm *swarm, p2p_identity *identities)
{
    p2p_status st = P2P_OK;

    for (size_t rank = 0; rank < p->nodes && st == P2P_OK; rank++) {
        char endpoint[512];
        size_t port = (size_t)p->port_base + rank / p->hosts;

        if (port > 65535)
            return p2p_fail(P2P_EINVAL, "node %zu would listen on port %zu: lower --port-base or name more hosts",
                            rank, port);
        snprintf(endpoint, sizeof endpoint, "tcp://%s:%zu", p->host[rank % p->hosts], port);
        if (secured(swarm) && (st = p2p_identity_new(&identities[rank])) != P2P_OK)
            return st;
        st = p2p_swarm_add(swarm, endpoint, secured(swarm) ? identities[rank].public_key : NULL);
    }
    return st;
}

static p2p_status
write_certificates(const plan *p, const p2p_identity *identities)
{
    p2p_status st = P2P_OK;
    size_t rank;

    for (rank = 0; rank < p->nodes && st == P2P_OK; rank++) {
        char path[PATH_SIZE], name[32];

        certificate_path(path, p, rank);
        snprintf(name, sizeof name, "node-%zu", rank);
        st = certificate_write(path, name, &identities[rank], p->force);
    }
    if (st != P2P_OK && !p->force)
        remove_certificates(p, rank - 1); /* the last one has removed itself */
    return st;
}

/* The description is checked as a whole before anything is written, and written last. */
static p2p_status
write_all(const plan *p, p2p_swarm *swarm, p2p_identity *identities)
{
    const p2p_topology *topology;
    char path[PATH_SIZE];
    p2p_status st;

    if ((st = add_nodes(p, swarm, identities)) != P2P_OK || (st = p2p_swarm_topology(swarm, &topology)) != P2P_OK)
        return st;
    if (mkdir(p->output, 0777) != 0 && errno != EEXIST)
        return p2p_fail(P2P_EIO, "%s: %s", p->output, strerror(errno));
    snprintf(path, sizeof path, "%s/swarm.yaml", p->output);
    if (!p->force && access(path, F_OK) == 0)
        return p2p_fail(P2P_EIO, "%s: %s; --force replaces it", path, strerror(EEXIST));
    if (secured(swarm) && (st = write_certificates(p, identities)) != P2P_OK)
        return st;
    if ((st = p2p_swarm_write(swarm, path)) != P2P_OK && secured(swarm) && !p->force)
        remove_certificates(p, p->nodes);
    return st;
}

static void
print_hints(const plan *p, const p2p_swarm *swarm)
{
    for (size_t rank = 0; rank < p->nodes; rank++) {
        printf("p2popt node --swarm %s/swarm.yaml --rank %zu", p->output, rank);
        if (secured(swarm))
            printf(" --certificate %s/node-%zu.cert_secret", p->output, rank);
        printf("    # %s\n", p2p_swarm_endpoint(swarm, rank));
    }
}

static const command_option options[] = {
    { "nodes", OPTION_NODES, "N", "number of nodes (required)" },
    { "output", OPTION_OUTPUT, "DIR", "where the files go (required; made if it does not exist)" },
    { "host", OPTION_HOST, "HOST", "where nodes listen; repeat it for several machines [127.0.0.1]" },
    { "port-base", OPTION_PORT_BASE, "PORT", "the first port on each host [5600]" },
    { "force", OPTION_FORCE, NULL, "replace files that exist" },
    { NULL, 0, NULL, NULL }
};

static void
read_arguments(plan *p, p2p_swarm *swarm, int argc, char **argv)
{
    int letter;

    while ((letter = command_next_option(&self, argc, argv)) != -1)
        switch (letter) {
        case OPTION_NODES: p->nodes = (size_t)command_integer(&self, "nodes", optarg, 1, MAX_NODES); break;
        case OPTION_OUTPUT: p->output = optarg; break;
        case OPTION_HOST:
            if (p->hosts == MAX_HOSTS || *optarg == '\0' || strpbrk(optarg, " \t\n\"'#") != NULL || strlen(optarg) > 255)
                exit(command_usage_error(&self, "--host \"%s\": expected a host name or address, at most %d of them",
                                         optarg, MAX_HOSTS));
            p->host[p->hosts++] = optarg;
            break;
        case OPTION_PORT_BASE: p->port_base = (int)command_integer(&self, "port-base", optarg, 1, 65535); break;
        case OPTION_FORCE: p->force = 1; break;
        default: swarm_arguments_take(&self, swarm, letter, optarg);
        }
    command_no_operands(&self, argc, argv);
    if (p->nodes == 0)
        exit(command_usage_error(&self, "--nodes is missing"));
    if (p->output == NULL || strlen(p->output) > PATH_SIZE - 64)
        exit(command_usage_error(&self, p->output == NULL ? "--output is missing" : "--output: the name is too long"));
    if (p->hosts == 0)
        p->host[p->hosts++] = "127.0.0.1";
}

static int
run(int argc, char **argv)
{
    static plan p = { .port_base = 5600 };
    p2p_identity *identities;
    p2p_swarm *swarm;
    p2p_status st;

    self = swarm_arguments_join(&init_command);
    if ((st = p2p_swarm_new(&swarm)) != P2P_OK)
        return command_failure(&self, st);
    read_arguments(&p, swarm, argc, argv);
    identities = calloc(p.nodes, sizeof *identities);
    if (identities == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for %zu key pairs", p.nodes);
    else if ((st = write_all(&p, swarm, identities)) == P2P_OK)
        print_hints(&p, swarm);
    free(identities);
    p2p_swarm_destroy(&swarm);
    return st == P2P_OK ? command_flush(&self) : command_failure(&self, st);
}

const command init_command = { "init", "Write a swarm description and certificates", "--nodes N --output DIR [OPTION]...",
                               options, run };
