#include "compressor_specs.h"

#include "compress/compressor_registry.h"

#include <stdio.h>

static const char *const combinations[] = {
    "identity:vt=bf16",
    "topk:k=10%",
    "topk:k=3,index=fixed",
    "topk:k=20%,index=bitmap",
    "topk:k=10%,index=gaps,vt=f16",
    "topk:k=10%,index=gamma",
    "topk:k=10%,index=rice,vt=f64",
    "topk:k=100%",
    "randk:k=20%",
    "randk:k=20%,draw=whole",
    "randk:k=20%,scale=0",
    "randk:k=20%,shared=1",
    "randk:k=20%,send=1,index=gamma",
    "onebit:columns=7",
    "terngrad:clip=2.5,mirror=1",
    "sign:norm=l2,code=fixed",
    "sign:norm=none",
    "sign:code=trit",
    "qsgd:levels=1,code=best",
    "qsgd:levels=1,code=tritz",
    "qsgd:levels=4,bucket=7,code=gamma",
    "qsgd:levels=4,bucket=2,vt=f32",
    "qsgd:levels=16,norm=inf,code=delta",
    "qsgd:levels=1000000,code=rice",
    "qsgd:levels=20,code=huffman,dither=8",
    "qsgd:levels=20,code=range,dither=16",
    "qsgd:levels=8,norm=inf,round=near",
    "qsgd:levels=8,round=floor,vt=bf16",
    "qinf:bits=1",
    "qinf:bits=2,code=fixed",
    "qinf:bits=4,round=near",
    "qinf:bits=21,bucket=100",
    "levels:bits=5,code=best",
    "topk:k=20%+qinf:bits=4",
    "topk:k=20%+sign",
    "topk:k=30%+qsgd:levels=1",
    "topk:k=30%+levels",
    "randk:k=30%+qinf:bits=3",
    "randk:k=30%,send=1+qsgd:levels=4,bucket=3",
    "randk:k=30%,scale=0+sign",
    "randk:k=30%,shared=1+qsgd:levels=8",
    "scaled(topk:k=30%+qsgd:levels=1)",
    "scaled(qinf:bits=1)",
    "scaled(randk:k=10%,a=0.01)",
    "ef14(sign)",
    "ef14(scaled(randk:k=25%))",
    "ef21(qinf:bits=2)",
    "ef14(sidco:k=10%,every=2)",
    "permk+sign",
    "btopk:block=3,k=50%+terngrad",
    "brandk:block=7,k=30%,shared=1",
    "threshold:rel=0.3+cnat",
    "bernoulli:p=0.3,shared=1",
    "bernoulli:p=0.5+fosgd",
    "arand:scale=1",
    "terngrad:clip=2.5,code=trit",
    "cnat:round=near,form=plain,code=fixed",
    "cnat:dither=8",
    "edither:base=3,levels=5,norm=inf",
    "edither:round=near",
    "sdither:round=random,nu=4",
    "spherical:scale=unbiased,alpha=0.7,block=4",
    "fosgd:mode=abs",
    "fosgd:mode=rel,code=fixed",
    "round:round=random,step=0.1,limit=20",
    "threelc:s=1.5",
    "fp:type=bf16",
    "fp:type=e4m3,scale=max,round=random",
    "fp:type=e5m2,code=huffman",
    "sketch:rows=3,cols=40%,k=0",
    "jl:m=7,kind=srht",
    "induced(sign,qsgd:levels=4)",
    "ef14(layers(topk:k=30%,dense=5))",
    "clt:k=30%,beta=0.3,vt=f16",
    "mlmc-topk:k=40%,adaptive=0,index=rice",
    "randk:k=50%+mlmc-bits:code=trit",
    "maxnorm:levels=1,norm=inf,k=40%,code=trit",
    "multiscale:levels=3/9,k=50%,scale=0,dither=8",
    "powersgd:rank=2,warm=0,memory=none,vt=bf16",
    "powersgd+:tau=2,memory=own",
    "greedylore:rank=1,tau=3,rows=2",
    "sketch:rows=4,cols=30%,k=5,second=1",
    "sketch:rows=5,cols=100%,k=30%,memory=1,momentum=0.5",
    "levels:bits=5,code=gennorm",
    "qinf:bits=4,code=laplace",
    "topk:k=30%+qsgd:levels=4,code=normal",
    "fastsgd:base=2,tau=3,keys=delta",
    "fastsgd:base=1.1,share=30%,keys=bitmap",
    "hdc:rows=5,ratio=3",
    "hdc:rows=4,ratio=2,keys=shared,vt=f16",
    "topk:k=20%+lhc:arith=int,lanes=2",
    "lhc(topk:k=10%+qsgd:levels=4,arith=float,cells=2)",
    "ef14(lhc(identity))",
};

enum { COMBINATIONS = sizeof combinations / sizeof *combinations };

/* A scheme around another is tried with a contractive operand, then with an unbiased one; of two, the second is that.
 */
static const char *const operands[] = { "topk:k=30%", "randk:k=30%" };

static const char *
registered_spec(const p2pi_compressor_vt *member)
{
    static char text[256];
    const p2p_shape shape = { 40, P2P_F64, 4 };
    p2p_compressor *c;

    if (member->operands == 0)
        return member->entry.name;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        snprintf(text, sizeof text, "%s(%s%s%s)", member->entry.name, operands[i], member->operands > 1 ? "," : "",
                 member->operands > 1 ? operands[1] : "");
        if (p2p_compressor_new(&c, text, &shape) == P2P_OK) {
            p2p_compressor_destroy(&c);
            break;
        }
    }
    return text;
}

const char *
compressor_spec_at(size_t i)
{
    if (i < COMBINATIONS)
        return combinations[i];
    return p2pi_compressor_entry(i - COMBINATIONS) ? registered_spec(p2pi_compressor_member(i - COMBINATIONS)) : NULL;
}

size_t
compressor_spec_count(void)
{
    size_t n = COMBINATIONS;

    while (compressor_spec_at(n) != NULL)
        n++;
    return n;
}
