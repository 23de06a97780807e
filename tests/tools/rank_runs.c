/* Traces of the ranks of a made-up run, of which everything is known: who is slow, by how much, and
 * how wrong each clock is. rank_runs DIR [KEY=VALUE...]   see `keys` below; the truth goes to
 * DIR/truth Each rank is a program of operations on streams (host, compute, communication). An
 * operation starts when those before it on its stream and those it waits for have ended; a
 * collective ends for its members a transfer after the last of them arrived. So a delay that one
 * rank receives goes on to the next collective as it does in a real run. Lengths vary as on real
 * devices: a slowly wandering speed of each rank, noise of each kernel, and a heavy tail. The run
 * is computed twice with the same numbers, with and without the straggler: the difference is what
 * it costs. Patterns: fsdp, moe (all-to-all in groups, data-parallel all-reduce), pp (1F1B over
 * stages, data-parallel), p2p (one pipeline, send and recv only), tp (tensor parallel as in vLLM).
 */
#include "base/err.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HOST, COMPUTE, COMM, COMM2, RECV_F, SEND_F, RECV_B, SEND_B, STREAMS };
enum { MAX_RANKS = 1024, MAX_STEPS = 4096, HOSTS = MAX_RANKS };
enum what { LAUNCH, SLEEP, KERNEL, COLL };

/* ---- options ---- */
static char pattern[16] = "fsdp", how[16] = "spread", names[16] = "rank";
static double ranks = 8, per_host = 8, steps = 12, layers = 0, seed = 1, straggler = -1, delay = 0,
              often = 1;
static double offset = 500, drift = 0, jumps = 0, jump_us = 200, lost = 0, ragged = 0, gap = 0,
              scale = 1, seq = 0, devices = 0;
static double jitter = 0.01, rho = 0.98, white = 0.01, tail = 0.004, tail_us = 60, hetero = 0.002,
              load = 0.05;
static double end_us = 0.7, no_steps = 0, group = 8, stages = 4, own_clocks = 0;

static const struct key {
    const char *name;
    double *number;
    char *text;
    const char *help;
} keys[] = {
    { "pattern", NULL, pattern, "fsdp moe pp p2p tp" },
    { "ranks", &ranks, NULL, "2 to 1024" },
    { "per_host", &per_host, NULL,
      "ranks on a host; these share its clock but for a microsecond or two" },
    { "devices", &devices, NULL, "that each trace says its host has; 0: per_host" },
    { "steps", &steps, NULL, "recorded steps" },
    { "layers", &layers, NULL, "of the model; micro-batches of pp; 0: the pattern's own" },
    { "seed", &seed, NULL, "" },
    { "straggler", &straggler, NULL, "rank that is slow; -1: none, -2: any" },
    { "delay", &delay, NULL, "us that it is slower in a step" },
    { "how", NULL, how,
      "spread (over all kernels), place (in one), host (before the step begins)" },
    { "often", &often, NULL, "share of the steps in which it is slow" },
    { "offset", &offset, NULL, "us, spread of the hosts' clocks" },
    { "drift", &drift, NULL, "ppm, greatest drift of a clock" },
    { "own_clocks", &own_clocks, NULL, "1: each rank has a clock of its own, not each host" },
    { "jumps", &jumps, NULL, "steps of each host's clock on average" },
    { "jump_us", &jump_us, NULL, "us, spread of these" },
    { "lost", &lost, NULL, "share of device events that are lost, half of it in one go" },
    { "ragged", &ragged, NULL, "share of ranks whose recording lacks the first step" },
    { "gap", &gap, NULL, "us between recorded steps" },
    { "scale", &scale, NULL, "times length of all kernels and transfers" },
    { "seq", &seq, NULL, "1: sequence numbers are recorded" },
    { "jitter", &jitter, NULL, "spread of the wandering speed, as a share" },
    { "rho", &rho, NULL, "correlation of that speed from kernel to kernel" },
    { "white", &white, NULL, "spread of each kernel, as a share" },
    { "tail", &tail, NULL, "chance of a kernel to be much longer" },
    { "tail_us", &tail_us, NULL, "by how much at least (Pareto, 1.8)" },
    { "hetero", &hetero, NULL, "spread of the lasting speed of ranks, as a share" },
    { "load", &load, NULL, "moe: spread of the experts' loads, as a share" },
    { "end_us", &end_us, NULL, "us, spread of the members' ends of a collective" },
    { "no_steps", &no_steps, NULL, "1: no ProfilerStep annotations" },
    { "group", &group, NULL, "moe: ranks of an expert group" },
    { "stages", &stages, NULL, "pp: stages" },
    { "names", NULL, names,
      "of files: rank (rank3_trace.json), host (node01_4711.176.pt.trace.json)" },
};
enum { KEYS = AZ_LENGTH(keys) };

/* ---- numbers ---- */
struct rng {
    uint64_t s;
};
static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static double uniform(struct rng *r) /* splitmix64; never 0 */
{
    r->s += UINT64_C(0x9e3779b97f4a7c15);
    return ((double)(mixed(r->s) >> 11) + 0.5) / 9007199254740992.0;
}
static double normal(struct rng *r)
{
    const double a = uniform(r), b = uniform(r);
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}
/* One for each purpose, so that none moves another's numbers. States are hashed: such that differ
 * by a multiple of the generator's increment would be one sequence, shifted. */
static struct rng stream_of(int what, int a)
{
    const uint64_t s =
        mixed((uint64_t)seed * UINT64_C(0xd1342543de82ef95) + UINT64_C(0x9e3779b97f4a7c15));
    return (struct rng){ mixed(mixed(s ^ ((uint64_t)what << 32)) +
                               (uint64_t)a * UINT64_C(0xa0761d6478bd642f)) };
}

static void die(const char *what, const char *subject)
{
    fprintf(stderr, "rank_runs: %s '%s'\n", what, subject);
    exit(2);
}
static void *grow(void *p, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? *room * 2 : 4096;
    p = realloc(p, *room * size);
    if (!p)
        die("out of memory", "");
    return p;
}

/* ---- the program of all ranks ---- */
struct node {
    enum what what;
    int rank, step, stream, coll;
    double length, extra; /* us; extra: of the straggler */
    uint32_t pred[4], n_pred, waits, next_edge, launch;
    double start, end;
};
struct edge {
    uint32_t to, next;
};
struct coll {
    const char *name, *kernel;
    int group, peer[2]; /* p2p: src, dst; else -1 */
    int n, arrived;
    int64_t in, out;
    double transfer, spread, last;
    uint32_t *member;
};
struct group {
    int *rank, n;
    char name[16], desc[16], list[MAX_RANKS * 6],
        cut[256]; /* cut: as the profiler shortens it in each event */
};
static struct node *node;
static struct edge *edge;
static struct coll *coll;
static struct group *groups;
static size_t n_node, room_node, n_edge, room_edge, n_coll, room_coll, n_group, room_group;
static uint32_t head[MAX_RANKS][STREAMS]; /* last node of each stream, + 1 */
static double speed[MAX_RANKS], lasting[MAX_RANKS];
static uint32_t begins[MAX_STEPS + 1]
                      [MAX_RANKS]; /* node with which the host begins a step; last: ends the run */
static struct rng noise[MAX_RANKS];
static int N, S, slot[MAX_RANKS], slots, step_now;
static bool slow_step[MAX_STEPS];

static uint32_t add(enum what what, int r, int stream, double length)
{
    node = grow(node, &room_node, n_node, sizeof *node);
    struct node *x = &node[n_node];
    *x = (struct node){
        .what = what, .rank = r, .step = step_now, .stream = stream, .length = length, .coll = -1
    };
    if (head[r][stream])
        x->pred[x->n_pred++] = head[r][stream] - 1;
    head[r][stream] = (uint32_t)++n_node;
    return (uint32_t)n_node - 1;
}
static void after(uint32_t x, int stream)
{
    const uint32_t h = head[node[x].rank][stream];
    if (h && h - 1 != x)
        node[x].pred[node[x].n_pred++] = h - 1;
}
static uint32_t device(enum what what, int r, int stream, double length)
{
    const uint32_t l = add(LAUNCH, r, HOST, 4 + 0.3 * fabs(normal(&noise[r]))),
                   k = add(what, r, stream, length);
    node[k].pred[node[k].n_pred++] = l;
    node[k].launch = l;
    return k;
}

static void compute(int r, double length, int wait_for)
{
    struct rng *g = &noise[r];
    speed[r] = rho * speed[r] + jitter * sqrt(1 - rho * rho) * normal(g);
    double t = scale * length * (1 + lasting[r] + speed[r] + white * normal(g));
    const double much = uniform(g), size = uniform(g);
    t += much < tail ? tail_us * (pow(size, -1 / 1.8)) : 0;
    const uint32_t k = device(KERNEL, r, COMPUTE, t > 1 ? t : 1);
    if (wait_for >= 0)
        after(k, wait_for);
    if (r == (int)straggler && slow_step[step_now]) {
        if (strcmp(how, "spread") == 0)
            node[k].extra = delay / slots;
        else if (strcmp(how, "place") == 0 &&
                 slot[r] == (int)((uint64_t)seed * 7 % (uint64_t)slots))
            node[k].extra = delay;
    }
    slot[r]++;
}

static int new_group(const char *desc, int first, int stride, int n)
{
    groups = grow(groups, &room_group, n_group, sizeof *groups);
    struct group *g = &groups[n_group];
    size_t at = 0;
    g->n = n;
    g->rank = malloc((size_t)n * sizeof *g->rank);
    snprintf(g->name, sizeof g->name, "%zu", n_group);
    snprintf(g->desc, sizeof g->desc, "%s", desc);
    for (int i = 0; g->rank && i < n; i++) {
        g->rank[i] = first + i * stride;
        at +=
            (size_t)snprintf(g->list + at, sizeof g->list - at, "%s%d", i ? ", " : "[", g->rank[i]);
    }
    snprintf(g->list + at, sizeof g->list - at, "]");
    at = 0;
    for (int i = 0; i < n; i++)
        if (n <= 30 || i < 29 || i == n - 1)
            at += (size_t)snprintf(g->cut + at, sizeof g->cut - at, "%s%s%d", i ? ", " : "[",
                                   n > 30 && i == n - 1 ? "..., " : "", g->rank[i]);
    snprintf(g->cut + at, sizeof g->cut - at, "]");
    return (int)n_group++;
}

static struct coll *new_coll(int of, const char *name, const char *kernel, int64_t in, int64_t out,
                             double transfer)
{
    coll = grow(coll, &room_coll, n_coll, sizeof *coll);
    struct coll *c = &coll[n_coll++];
    *c = (struct coll){
        .name = name, .kernel = kernel, .group = of, .peer = { -1, -1 }, .in = in, .out = out
    };
    c->transfer = scale * transfer;
    c->spread = end_us;
    c->member = malloc((size_t)groups[of].n * sizeof *c->member);
    if (!c->member)
        die("out of memory", "");
    return c;
}
static void join(int r, int stream, bool wait_compute)
{
    struct coll *c = &coll[n_coll - 1];
    const uint32_t k = device(COLL, r, stream, c->spread * fabs(normal(&noise[r])));
    node[k].coll = (int)n_coll - 1;
    if (wait_compute)
        after(k, COMPUTE);
    c->member[c->n++] = k;
}
static void all(int of, int stream, const char *name, const char *kernel, int64_t in, int64_t out,
                double transfer)
{
    new_coll(of, name, kernel, in, out, transfer);
    for (int i = 0; i < groups[of].n; i++)
        join(groups[of].rank[i], stream, true);
}
#define NCCL(x) "ncclDevKernel_" x "(ncclDevKernelArgsStorage<4096ul>)"
static void allreduce(int of, int stream, int64_t n, double transfer)
{
    all(of, stream, "allreduce", NCCL("AllReduce_Sum_bf16_RING_LL"), n, n, transfer);
}
static double varied(struct rng *g, double x) { return x * (1 + 0.03 * fabs(normal(g))); }

static void begin_step(int s)
{
    step_now = s < S ? s : S - 1;
    for (int r = 0; r < N; r++) {
        slot[r] = 0;
        const uint32_t k = begins[s][r] =
            add(SLEEP, r, HOST, (s ? gap : 0) + 20 + 2 * fabs(normal(&noise[r])));
        after(k, COMPUTE); /* loss.item(): the host waits for the device */
        after(k, SEND_F);
        after(k, SEND_B);
        if (r == (int)straggler && s < S && slow_step[s] && strcmp(how, "host") == 0)
            node[k].extra = delay;
    }
}

/* ---- patterns ---- */
static void fsdp(struct rng *g)
{
    const int L = layers > 0 ? (int)layers : 8;
    const int64_t part = 1572864, whole = part * N;
    const char *const gather = NCCL("AllGather_RING_LL"), *const scatter =
                                                              NCCL("ReduceScatter_Sum_f32_RING_LL");
    slots = 4 * L + 1;
    if (!n_group)
        new_group("default_pg", 0, 1, N);
    all(0, COMM, "_allgather_base", gather, part, whole, varied(g, 90));
    for (int way = 0; way < 2; way++)
        for (int l = 0; l < L; l++) {
            /* A layer waits for what is gathered so far; half of it runs at the same time as the
             * gathering for the next one. */
            for (int r = 0; r < N; r++)
                compute(r, (way ? 130 : 65), COMM);
            if (l + 1 < L || way == 0)
                all(0, COMM, "_allgather_base", gather, part, whole, varied(g, 90));
            for (int r = 0; r < N; r++)
                compute(r, (way ? 110 : 55), -1);
            if (way)
                all(0, COMM2, "_reduce_scatter_base", scatter, whole, part, varied(g, 110));
        }
    allreduce(0, COMM2, 1, varied(g, 15));
    for (int r = 0; r < N; r++)
        compute(r, 150, COMM2);
}

static void moe(struct rng *g)
{
    const int L = layers > 0 ? (int)layers : 4, E = (int)group < N ? (int)group : N, G = N / E;
    static double busy[MAX_RANKS];
    slots = 4 * L + 1;
    if (!n_group) {
        new_group("default_pg", 0, 1, N);
        for (int i = 0; i < G; i++)
            new_group("mesh_ep", i * E, 1, E);
        for (int i = 0; i < E; i++)
            new_group("mesh_dp", i, E, G);
    }
    for (int way = 0; way < 2; way++)
        for (int l = 0; l < L; l++) {
            for (int r = 0; r < N; r++) {
                busy[r] = 1 + load * normal(g);
                compute(r, way ? 160 : 80, l || way ? COMM : -1);
            }
            for (int k = 0; k < 2; k++) {
                for (int i = 0; i < G; i++) {
                    new_coll(1 + i, "all_to_allv", NCCL("SendRecv"), 1093632, 1093632,
                             varied(g, 60));
                    coll[n_coll - 1].spread = end_us + 0.04 * 60; /* splits differ: so do ends */
                    for (int m = 0; m < E; m++)
                        join(groups[1 + i].rank[m], COMM, true);
                }
                for (int r = 0; k == 0 && r < N; r++)
                    compute(r, (way ? 200 : 100) * (busy[r] > 0.2 ? busy[r] : 0.2), COMM);
            }
        }
    allreduce(0, COMM2, 8388608, varied(g, 180));
    for (int i = 0; G > 1 && i < E; i++)
        allreduce(1 + G + i, COMM2, 4194304, varied(g, 90));
    for (int r = 0; r < N; r++) {
        compute(r, 120, COMM2);
        after((uint32_t)head[r][COMPUTE] - 1, COMM);
    }
}

/* One message of stage `from` to `to` of one pipeline. */
static void message(struct rng *g, int of, int from, int to)
{
    struct coll *c = new_coll(of, "send", NCCL("SendRecv"), 2097152, 2097152, varied(g, 30));
    c->peer[0] = groups[of].rank[from];
    c->peer[1] = groups[of].rank[to];
    c->n = 2; /* who comes when is reported by each rank's program */
}
static void take(int id, int side, int r, int stream)
{
    const uint32_t k = device(COLL, r, stream, coll[id].spread * fabs(normal(&noise[r])));
    node[k].coll = id;
    after(k, COMPUTE);
    coll[id].member[side] = k;
}
static void pipeline(struct rng *g, int of, int depth, int M)
{
    const int base = (int)n_coll; /* [way][boundary][micro-batch] */
    for (int way = 0; way < 2; way++)
        for (int b = 0; b + 1 < depth; b++)
            for (int m = 0; m < M; m++)
                message(g, of, way ? b + 1 : b, way ? b : b + 1);
#define ID(way, b, m) (base + ((way) * (depth - 1) + (b)) * M + (m))
    for (int s = 0; s < depth; s++) {
        const int r = groups[of].rank[s], warm = depth - 1 - s < M ? depth - 1 - s : M;
        for (int i = 0, f = 0, b = 0; i < 2 * M; i++) {
            const bool forward = f < M && (i < warm || (i - warm) % 2 == 0);
            if (forward) {
                if (s)
                    take(ID(0, s - 1, f), 1, r, RECV_F);
                compute(r, 120, s ? RECV_F : -1);
                if (s + 1 < depth)
                    take(ID(0, s, f), 0, r, SEND_F);
                f++;
            } else {
                if (s + 1 < depth)
                    take(ID(1, s, b), 1, r, RECV_B);
                compute(r, 240, s + 1 < depth ? RECV_B : -1);
                if (s)
                    take(ID(1, s - 1, b), 0, r, SEND_B);
                b++;
            }
        }
    }
}
static void pp(struct rng *g, bool alone)
{
    const int depth = alone ? N : (int)stages < N ? (int)stages : N, dp = N / depth;
    const int M = layers > 0 ? (int)layers : alone ? 8 : 2 * depth;
    slots = 2 * M + (alone ? 0 : 1);
    if (!n_group) {
        for (int d = 0; d < dp; d++)
            new_group("mesh_pp", d, dp, depth);
        for (int s = 0; s < depth && !alone; s++)
            new_group("mesh_dp", s * dp, 1, dp);
    }
    for (int d = 0; d < dp; d++)
        pipeline(g, d, depth, M);
    if (alone)
        return;
    for (int s = 0; dp > 1 && s < depth; s++)
        allreduce(dp + s, COMM, 8388608, varied(g, 150));
    for (int d = 0; d < dp; d++)
        allreduce(d, COMM, 1, varied(g, 15));
    for (int r = 0; r < N; r++)
        compute(r, 100, COMM);
}

static void tp(struct rng *g)
{
    const int L = layers > 0 ? (int)layers : 16;
    slots = 2 * L + 1;
    if (!n_group)
        new_group("tp", 0, 1, N);
    for (int l = 0; l < L; l++)
        for (int k = 0; k < 2; k++) {
            for (int r = 0; r < N; r++)
                compute(r, k ? 45 : 30, l || k ? COMM : -1);
            allreduce(0, COMM, 65536, varied(g, 12));
        }
    for (int r = 0; r < N; r++)
        compute(r, 60, COMM);
}

static void build(void)
{
    struct rng g = stream_of(1, 0), s = stream_of(2, 0);
    for (int r = 0; r < N; r++) {
        noise[r] = stream_of(3, r);
        speed[r] = jitter * normal(&noise[r]);
        lasting[r] = hetero * normal(&noise[r]);
    }
    for (int i = 0; i < S; i++)
        slow_step[i] = uniform(&s) < often;
    for (int i = 0; i < S; i++) {
        slots = 1;
        begin_step(i);
        if (strcmp(pattern, "fsdp") == 0)
            fsdp(&g);
        else if (strcmp(pattern, "moe") == 0)
            moe(&g);
        else if (strcmp(pattern, "pp") == 0 || strcmp(pattern, "p2p") == 0)
            pp(&g, pattern[1] == '2');
        else if (strcmp(pattern, "tp") == 0)
            tp(&g);
        else
            die("no such pattern", pattern);
    }
    begin_step(S); /* the last step ends when its work has */
}

/* ---- the run ---- */
static uint32_t *ready;
static size_t n_ready;

static void done(uint32_t x)
{
    for (uint32_t e = node[x].next_edge; e; e = edge[e - 1].next)
        if (--node[edge[e - 1].to].waits == 0)
            ready[n_ready++] = edge[e - 1].to;
}
static void run(bool with)
{
    n_ready = 0;
    for (size_t i = 0; i < n_coll; i++)
        coll[i].arrived = 0, coll[i].last = 0;
    for (uint32_t i = 0; i < n_node; i++)
        if ((node[i].waits = node[i].n_pred) == 0)
            ready[n_ready++] = i;
    for (size_t at = 0; at < n_ready; at++) {
        struct node *x = &node[ready[at]];
        double t = 0;
        for (uint32_t i = 0; i < x->n_pred; i++)
            t = fmax(t, node[x->pred[i]].end);
        x->start = t + (x->what >= KERNEL ? 1.2 : 0.3);
        if (x->what != COLL) {
            x->end = x->start + x->length + (with ? x->extra : 0);
            done(ready[at]);
            continue;
        }
        struct coll *c = &coll[x->coll];
        c->last = fmax(c->last, x->start);
        if (++c->arrived < c->n)
            continue;
        for (int i = 0; i < c->n; i++) {
            struct node *m = &node[c->member[i]];
            m->end = c->last + c->transfer + m->length;
            done(c->member[i]);
        }
    }
    if (n_ready < n_node)
        die("the program of the ranks stands still", pattern);
}
static void edges(void)
{
    ready = malloc(n_node * sizeof *ready);
    for (uint32_t i = 0; i < n_node; i++)
        for (uint32_t k = 0; k < node[i].n_pred; k++) {
            edge = grow(edge, &room_edge, n_edge, sizeof *edge);
            edge[n_edge] = (struct edge){ i, node[node[i].pred[k]].next_edge };
            node[node[i].pred[k]].next_edge = (uint32_t)++n_edge;
        }
    if (!ready)
        die("out of memory", "");
}
static double length_of_run(void)
{
    double t = 0;
    for (size_t i = 0; i < n_node; i++)
        t = fmax(t, node[i].end);
    return t;
}

/* ---- clocks ---- */
enum { MAX_JUMPS = 8 };
static struct clock {
    double offset, drift, at[MAX_JUMPS], by[MAX_JUMPS];
    int n;
} clocks[MAX_RANKS];

static void set_clocks(double whole)
{
    for (int r = 0; r < N; r++) {
        const int host = own_clocks > 0 ? r : r / (int)per_host;
        struct rng g = stream_of(4, host), own = stream_of(5, r);
        struct clock *c = &clocks[r];
        c->offset = offset * normal(&g) + (offset > 0 ? 1.0 * normal(&own) : 0);
        c->drift = drift * 1e-6 * (2 * uniform(&g) - 1) * (1 + 0.02 * normal(&own));
        for (c->n = 0; c->n < MAX_JUMPS && uniform(&g) < jumps / (c->n + 1.0);) {
            c->at[c->n] = whole * uniform(&g);
            c->by[c->n++] = jump_us * normal(&g);
        }
    }
}
static double told(int r, double t)
{
    const struct clock *c = &clocks[r];
    double x = t + c->offset + c->drift * t;
    for (int i = 0; i < c->n; i++)
        x += t > c->at[i] ? c->by[i] : 0;
    return x;
}

/* ---- files ---- */
#define BEGIN 4458677000000.0

/* Operations of a rank in a group are numbered; messages on their own, so the two sides of one
 * differ in theirs. */
static int64_t *number_of(int64_t *count, const struct coll *c)
{
    return &count[2 * c->group + (c->peer[0] >= 0)];
}

static void coll_args(FILE *f, const struct node *x, int64_t *count)
{
    const struct coll *c = &coll[x->coll];
    const struct group *g = &groups[c->group];
    const bool receives = c->peer[1] == x->rank;
    fprintf(f,
            ",\"Collective name\":\"%s\",\"In msg nelems\":%lld,\"Out msg nelems\":%lld,\"Group "
            "size\":%d,\"dtype\":\"BFloat16\","
            "\"In split size\":\"[]\",\"Out split size\":\"[]\",\"Process Group Name\":\"%s\","
            "\"Process Group Description\":\"%s\",\"Process Group Ranks\":\"%s\"",
            receives ? "recv" : c->name, (long long)c->in, (long long)c->out, g->n, g->name,
            g->desc, g->cut);
    if (c->peer[0] >= 0)
        fprintf(f, ",\"%s Rank\":%d", receives ? "Src" : "Dst", c->peer[!receives]);
    if (seq > 0)
        fprintf(f, ",\"Seq\":%lld", (long long)*number_of(count, c));
}

static void write_node(FILE *f, uint32_t i, int64_t *count)
{
    const struct node *x = &node[i], *l = &node[x->launch];
    const int r = x->rank, local = r % (int)per_host;
    fprintf(f,
            ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,"
            "\"tid\":1,\"ts\":%.3f,"
            "\"dur\":%.3f,\"args\":{\"correlation\":%u}}",
            100 + r, BEGIN + told(r, l->start), l->end - l->start, i + 1);
    fprintf(f,
            ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,"
            "\"dur\":%.3f,"
            "\"args\":{\"device\":%d,\"stream\":%d,\"correlation\":%u",
            x->what == COLL ? coll[x->coll].kernel : "nvjet_tst_128x256_64x4_2x1_v_bz_TNT", local,
            6 + x->stream, BEGIN + told(r, x->start), x->end - x->start, local, 6 + x->stream,
            i + 1);
    if (x->what == COLL)
        coll_args(f, x, count);
    fputs("}}", f);
}

static void write_steps(FILE *f, int r, int from)
{
    for (int s = from; s < S && no_steps <= 0; s++) {
        const double at = node[begins[s][r]].start + (s ? gap : 0),
                     end = node[begins[s + 1][r]].start;
        fprintf(f,
                ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":"
                "%d,\"tid\":1,"
                "\"ts\":%.3f,\"dur\":%.3f,\"args\":{}}",
                10 + s, 100 + r, BEGIN + told(r, at), end - at);
    }
}

static bool is_in(const struct group *g, int r)
{
    for (int i = 0; i < g->n; i++)
        if (g->rank[i] == r)
            return true;
    return false;
}

static void head_of(FILE *f, int r)
{
    fprintf(f, "{\"schemaVersion\":1,\"deviceProperties\":[");
    for (int i = 0; i < (int)(devices > 0 ? devices : per_host); i++)
        fprintf(f, "%s{\"id\":%d,\"name\":\"Synthetic\",\"totalGlobalMem\":1,\"numSms\":132}",
                i ? "," : "", i);
    fprintf(f,
            "],\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":%d,\"nccl_"
            "version\":\"2.21.5\","
            "\"pg_config\":[",
            r, N);
    for (size_t i = 0, n = 0; i < n_group; i++)
        if (is_in(&groups[i], r))
            fprintf(f, "%s{\"pg_name\":\"%s\",\"pg_desc\":\"%s\",\"pg_size\":%d,\"ranks\":%s}",
                    n++ ? "," : "", groups[i].name, groups[i].desc, groups[i].n, groups[i].list);
    fprintf(f,
            "]},\"baseTimeNanoseconds\":1767189312000000000,\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"ts\":%.3f,\"pid\":%d,\"tid\":0,\"args\":{"
            "\"name\":\"python3\"}}",
            BEGIN, 100 + r);
}

static void write_rank(const char *dir, int r, const uint32_t *of, size_t n)
{
    char path[4096];
    struct rng g = stream_of(6, r);
    int64_t *count = calloc(2 * n_group + 2, sizeof *count);
    const int from = uniform(&g) < ragged && S > 2;
    const size_t cut = (size_t)(uniform(&g) * (double)n),
                 more = cut + (size_t)(lost / 2 * (double)n);
    if (names[0] == 'h')
        snprintf(path, sizeof path, "%s/node%02d_%d.1767189%06d.pt.trace.json", dir,
                 r / (int)per_host, 4000 + r * 7, r);
    else
        snprintf(path, sizeof path, "%s/rank%d_trace.json", dir, r);
    FILE *f = fopen(path, "w");
    if (!f || !count)
        die("cannot write", path);
    setvbuf(f, NULL, _IOFBF, 1 << 18);
    head_of(f, r);
    write_steps(f, r, from);
    for (size_t i = 0; i < n; i++) {
        if (node[of[i]].what == COLL)
            ++*number_of(count, &coll[node[of[i]].coll]);
        const bool gone =
            uniform(&g) < lost / 2 || (i >= cut && i < more) || node[of[i]].step < from;
        if (!gone)
            write_node(f, of[i], count);
    }
    fputs("\n]}\n", f);
    free(count);
    if (fclose(f))
        die("cannot write", path);
}

static void write_all(const char *dir)
{
    size_t *first = calloc((size_t)N + 2, sizeof *first);
    uint32_t *of = malloc((n_node + 1) * sizeof *of);
    if (!first || !of)
        die("out of memory", "");
    for (size_t i = 0; i < n_node; i++)
        if (node[i].what >= KERNEL)
            first[node[i].rank + 2]++;
    for (int r = 0; r < N; r++)
        first[r + 2] += first[r + 1];
    for (size_t i = 0; i < n_node; i++)
        if (node[i].what >= KERNEL)
            of[first[node[i].rank + 1]++] = (uint32_t)i;
    for (int r = 0; r < N; r++)
        write_rank(dir, r, of + first[r], first[r + 1] - first[r]);
    free(first);
    free(of);
}

static void write_truth(const char *dir, double without, double with)
{
    char path[4096];
    static double waits[3][MAX_RANKS]; /* in collectives, all-to-all, send and recv: until the last
                                          has come */
    int slow = 0;
    for (size_t i = 0; i < n_coll; i++)
        for (int k = 0; k < coll[i].n; k++) {
            const struct node *x = &node[coll[i].member[k]];
            waits[coll[i].peer[0] >= 0 ? 2 : coll[i].name[3] == '_'][x->rank] +=
                coll[i].last - x->start;
        }
    snprintf(path, sizeof path, "%s/truth", dir);
    FILE *f = fopen(path, "w");
    if (!f)
        die("cannot write", path);
    for (int i = 0; i < S; i++)
        slow += straggler >= 0 && slow_step[i];
    fprintf(f, "{");
    for (int i = 0; i < KEYS; i++)
        if (keys[i].number)
            fprintf(f, "\"%s\":%.12g,", keys[i].name, *keys[i].number);
        else
            fprintf(f, "\"%s\":\"%s\",", keys[i].name, keys[i].text);
    fprintf(
        f, "\"slow_steps\":%d,\"step_us\":%.3f,\"cost_us\":%.3f,\"length_us\":%.3f,\"clocks_us\":[",
        slow, without / S - gap, (with - without) / S, with);
    for (int r = 0; r < N; r++)
        fprintf(f, "%s[%.3f,%.3f,%.3f]", r ? "," : "", told(r, 0), told(r, with / 2) - with / 2,
                told(r, with) - with);
    for (int k = 0; k < 3; k++) {
        fprintf(f, "],\"%s\":[",
                (const char *const[]){ "wait_us", "all_to_all_wait_us", "pair_wait_us" }[k]);
        for (int r = 0; r < N; r++)
            fprintf(f, "%s%.3f", r ? "," : "", waits[k][r]);
    }
    fprintf(f, "]}\n");
    if (fclose(f))
        die("cannot write", path);
}

static void option(const char *text)
{
    const char *eq = strchr(text, '=');
    for (int i = 0; eq && i < KEYS; i++) {
        if (strlen(keys[i].name) != (size_t)(eq - text) ||
            strncmp(keys[i].name, text, (size_t)(eq - text)) != 0)
            continue;
        char *end = NULL;
        if (keys[i].text)
            snprintf(keys[i].text, 16, "%s", eq + 1);
        else if (*keys[i].number = strtod(eq + 1, &end), !end || *end || end == eq + 1)
            die("no number in", text);
        return;
    }
    die("no such key in", text);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: rank_runs DIR [KEY=VALUE...]\n");
        for (int i = 0; i < KEYS; i++)
            printf("  %-12s %s\n", keys[i].name, keys[i].help);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        option(argv[i]);
    N = (int)ranks, S = (int)steps;
    if (N < 2 || N > MAX_RANKS || S < 1 || S > MAX_STEPS || per_host < 1)
        die("too few or too many ranks or steps", pattern);
    struct rng g = stream_of(7, 0);
    if (straggler == -2)
        straggler = floor(uniform(&g) * N);
    if (mkdir(argv[1], 0777) && errno != EEXIST)
        die("cannot make", argv[1]);
    build();
    edges();
    run(false);
    const double without = length_of_run();
    run(true);
    set_clocks(length_of_run());
    write_all(argv[1]);
    write_truth(argv[1], without, length_of_run());
    return 0;
}
