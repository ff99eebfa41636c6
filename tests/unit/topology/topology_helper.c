#include "topology_helper.h"

#include <math.h>
#include <stdio.h>

p2p_topology *
topology_of(const char *spec, const char *mixing, size_t nodes)
{
    p2p_topology *t;

    ck_ok(p2p_topology_new(&t, spec, mixing, nodes, 1));
    return t;
}

const char *
edges_text(const p2p_topology *t)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < p2p_topology_size(t); i++) {
        p2p_neighbourhood here = p2p_topology_at(t, i);

        for (size_t k = 0; k < here.degree; k++)
            if (here.peers[k] > i)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, "%s%zu-%u", used ? " " : "", i, here.peers[k]);
    }
    return text;
}

double
weight_of(const p2p_topology *t, size_t i, size_t j)
{
    p2p_neighbourhood here = p2p_topology_at(t, i);

    if (i == j)
        return here.self_weight;
    for (size_t k = 0; k < here.degree; k++)
        if (here.peers[k] == j)
            return here.weights[k];
    return 0;
}

void
check_sound(const p2p_topology *t)
{
    for (size_t i = 0; i < p2p_topology_size(t); i++) {
        p2p_neighbourhood here = p2p_topology_at(t, i);
        double sum = here.self_weight;

        for (size_t k = 0; k < here.degree; k++) {
            ck_assert(here.peers[k] != i && (k == 0 || here.peers[k] > here.peers[k - 1]));
            ck_assert(here.weights[k] > 0 && weight_of(t, here.peers[k], i) == here.weights[k]);
            sum += here.weights[k];
        }
        check_close(sum, 1, 1e-12);
    }
}

void
check_close(double got, double wanted, double tolerance)
{
    ck_assert_msg(fabs(got - wanted) <= tolerance, "%.17g, expected %.17g within %g", got, wanted, tolerance);
}
