#include "method/composite.h"

p2p_status
p2pi_composite_start(p2pi_prox *own, const p2p_text *text, const p2p_method_context *m)
{
    p2p_status st = p2pi_prox_parse(own, p2pi_span_of(text->s));

    if (st == P2P_OK && !p2pi_prox_is_free(own) && (p2p_problem_flags(m->problem) & P2P_PROBLEM_PROX))
        return p2p_fail(P2P_EINVAL, "prox=%s: problem \"%s\" has a regulariser or a set of its own: expected none",
                        text->s, p2p_problem_spec(m->problem));
    return st;
}

p2p_status
p2pi_composite_step(const p2pi_prox *own, const p2p_method_context *m, double step, p2p_vec x)
{
    if (p2p_problem_flags(m->problem) & P2P_PROBLEM_PROX)
        return p2p_problem_prox(m->problem, step, x);
    p2pi_prox_apply(own, step, x);
    return P2P_OK;
}
