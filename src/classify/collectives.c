/* Names, element sizes and factors of collectives. */
#include "classify/collectives.h"
#include "base/err.h"

#include <math.h>

static const char *const kind_texts[AZ_COLL_KINDS] = {
    "unknown", "allreduce", "reducescatter", "allgather", "alltoall", "alltoallv", "broadcast",
    "reduce",  "gather",    "scatter",       "send",      "recv",     "sendrecv",  "barrier"
};

const char *az_coll_kind_text(enum az_coll_kind k)
{
    return k < AZ_COLL_KINDS ? kind_texts[k] : "unknown";
}

/* Letters in lower case, without '_', '-' and blanks; false if it does not fit. */
static bool bare_name(struct az_sv name, char *out, size_t cap, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        if (c == '_' || c == '-' || c == ' ')
            continue;
        if (*n == cap)
            return false;
        out[(*n)++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return true;
}

enum az_coll_kind az_coll_kind_of(struct az_sv name)
{
    static const struct {
        const char *bare;
        enum az_coll_kind kind;
    } known[] = {
        { "allreduce", AZ_COLL_ALLREDUCE },
        { "allreducecoalesced", AZ_COLL_ALLREDUCE },
        { "reducescatter", AZ_COLL_REDUCESCATTER },
        { "reducescatterbase", AZ_COLL_REDUCESCATTER },
        { "reducescattertensorcoalesced", AZ_COLL_REDUCESCATTER },
        { "allgather", AZ_COLL_ALLGATHER },
        { "allgatherbase", AZ_COLL_ALLGATHER },
        { "allgatherintotensorcoalesced", AZ_COLL_ALLGATHER },
        { "alltoall", AZ_COLL_ALLTOALL },
        { "alltoallbase", AZ_COLL_ALLTOALL },
        { "alltoallv", AZ_COLL_ALLTOALLV },
        { "broadcast", AZ_COLL_BROADCAST },
        { "broadcastoop", AZ_COLL_BROADCAST },
        { "reduce", AZ_COLL_REDUCE },
        { "reduceoop", AZ_COLL_REDUCE },
        { "gather", AZ_COLL_GATHER },
        { "scatter", AZ_COLL_SCATTER },
        { "send", AZ_COLL_SEND },
        { "recv", AZ_COLL_RECV },
        { "sendrecv", AZ_COLL_SENDRECV },
        { "barrier", AZ_COLL_BARRIER },
    };
    char text[64];
    size_t n;
    if (az_sv_starts(name, AZ_SV("nccl:")))
        name = az_sv_make(name.p + 5, name.n - 5);
    if (!bare_name(name, text, sizeof text, &n))
        return AZ_COLL_UNKNOWN;
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(az_sv_make(text, n), known[i].bare))
            return known[i].kind;
    return AZ_COLL_UNKNOWN;
}

bool az_coll_synchronises(enum az_coll_kind k)
{
    return k == AZ_COLL_ALLREDUCE || k == AZ_COLL_REDUCESCATTER || k == AZ_COLL_ALLGATHER ||
           k == AZ_COLL_ALLTOALL || k == AZ_COLL_BARRIER;
}

static const struct {
    enum az_coll_kind kind;
    const char *class_name, *collective;
} classes[] = {
    { AZ_COLL_ALLREDUCE, "Comm-AllReduce", "allreduce" },
    { AZ_COLL_REDUCESCATTER, "Comm-ReduceScatter", "reduce_scatter" },
    { AZ_COLL_ALLGATHER, "Comm-AllGather", "allgather" },
    { AZ_COLL_ALLTOALL, "Comm-AllToAll", "all_to_all" },
    { AZ_COLL_ALLTOALLV, "Comm-AllToAll", "all_to_all" },
    { AZ_COLL_BROADCAST, "Comm-Broadcast", "broadcast" },
    { AZ_COLL_REDUCE, "Comm-Reduce", "reduce" },
    { AZ_COLL_GATHER, "Comm-Gather", "gather" },
    { AZ_COLL_SCATTER, "Comm-Scatter", "scatter" },
    { AZ_COLL_SEND, "Comm-Send", "send" },
    { AZ_COLL_RECV, "Comm-Recv", "recv" },
    { AZ_COLL_SENDRECV, "Comm-SendRecv", "sendrecv" },
    { AZ_COLL_BARRIER, "Comm-Barrier", "barrier" },
};
enum { CLASSES = AZ_LENGTH(classes) };

struct az_sv az_coll_class(enum az_coll_kind k)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (classes[i].kind == k)
            return az_sv_str(classes[i].class_name);
    return AZ_SV("Comm-Generic");
}

struct az_sv az_coll_of_class(struct az_sv class_name)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (az_sv_is(class_name, classes[i].class_name))
            return az_sv_str(classes[i].collective);
    return AZ_SV("");
}

bool az_coll_match_pattern(struct az_sv patterns, struct az_sv kernel, struct az_sv *name)
{
    *name = AZ_SV("");
    while (patterns.n) {
        struct az_sv what = az_sv_cut(&patterns, ' '), part = az_sv_cut(&what, '=');
        if (part.n && az_sv_ifind(kernel, part) >= 0) {
            *name = what;
            return true;
        }
    }
    return false;
}

int64_t az_coll_dtype_bytes(struct az_sv t)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } known[] = { { "Float", 4 },
                  { "Int", 4 },
                  { "Long", 8 },
                  { "BFloat16", 2 },
                  { "Half", 2 },
                  { "Double", 8 },
                  { "Short", 2 },
                  { "Bool", 1 },
                  { "Byte", 1 },
                  { "Char", 1 },
                  { "Float8_e4m3fn", 1 },
                  { "Float8_e5m2", 1 },
                  { "ComplexHalf", 4 },
                  { "ComplexFloat", 8 },
                  { "ComplexDouble", 16 },
                  { "UInt16", 2 },
                  { "UInt32", 4 },
                  { "UInt64", 8 },
                  { "Float8_e4m3fnuz", 1 },
                  { "Float8_e5m2fnuz", 1 },
                  { "Float8_e8m0fnu", 1 },
                  { "Float4_e2m1fn_x2", 1 } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(t, known[i].name))
            return known[i].bytes;
    return 0;
}

struct az_sv az_coll_dtype_of(struct az_sv t)
{
    static const char *const known[][2] = { { "float", "Float" },
                                            { "double", "Double" },
                                            { "int", "Int" },
                                            { "long", "Long" },
                                            { "long int", "Long" },
                                            { "long long", "Long" },
                                            { "short", "Short" },
                                            { "short int", "Short" },
                                            { "bool", "Bool" },
                                            { "unsigned char", "Byte" },
                                            { "signed char", "Char" },
                                            { "char", "Char" },
                                            { "uint16_t", "UInt16" },
                                            { "short unsigned int", "UInt16" },
                                            { "unsigned int", "UInt32" },
                                            { "long unsigned int", "UInt64" },
                                            { "BFloat16", "BFloat16" },
                                            { "Half", "Half" },
                                            { "complex<float>", "ComplexFloat" },
                                            { "complex<double>", "ComplexDouble" },
                                            { "complex<c10::Half>", "ComplexHalf" },
                                            { "Float8_e4m3fn", "Float8_e4m3fn" },
                                            { "Float8_e5m2", "Float8_e5m2" },
                                            { "Float8_e4m3fnuz", "Float8_e4m3fnuz" },
                                            { "Float8_e5m2fnuz", "Float8_e5m2fnuz" },
                                            { "Float8_e8m0fnu", "Float8_e8m0fnu" },
                                            { "Float4_e2m1fn_x2", "Float4_e2m1fn_x2" } };
    if (az_sv_starts(t, AZ_SV("c10::")))
        t = az_sv_make(t.p + 5, t.n - 5);
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(t, known[i][0]))
            return az_sv_str(known[i][1]);
    return AZ_SV("");
}

double az_coll_factor(enum az_coll_kind k, int64_t n)
{
    const double ring = (double)(n - 1) / (double)n;
    if (n < 1)
        return NAN;
    switch (k) {
    case AZ_COLL_ALLREDUCE:
        return 2 * ring;
    case AZ_COLL_REDUCESCATTER:
    case AZ_COLL_ALLGATHER:
    case AZ_COLL_ALLTOALL:
    case AZ_COLL_GATHER:
    case AZ_COLL_SCATTER:
        return ring;
    case AZ_COLL_BROADCAST:
    case AZ_COLL_REDUCE:
    case AZ_COLL_SEND:
    case AZ_COLL_RECV:
        return 1;
    default:
        return NAN;
    }
}
