/* Colors by name; html.css has the same ones. */
#include "reports/shared/palette.h"

#include "document/tracks.h"

static const struct az_paint of_family[AZ_FAMILIES] = {
    { "f0", 0x8A93A3 },  { "f1", 0x0072B2 },  { "f2", 0x6A3FB5 },  { "f3", 0x1F9FC4 },
    { "f4", 0xB04FB0 },  { "f5", 0xD55E00 },  { "f6", 0x009E73 },  { "f7", 0x56B4E9 },
    { "f8", 0xA1123F },  { "f9", 0xE69F00 },  { "f10", 0xCC79A7 }, { "f11", 0x8A5A2B },
    { "f12", 0x7AB648 }, { "f13", 0x403075 }, { "f14", 0x12A5A5 }, { "f15", 0x12355B },
    { "f16", 0x8C8200 }, { "f17", 0xC9B48A }, { "f18", 0xF08A80 }, { "f19", 0xB5A58C },
    { "f20", 0x3F7F4F }, { "f21", 0x5D6F1A }, { "f22", 0xC26A3A }, { "f23", 0x3F6F8F }
};

enum { GAP = -1, ALL = -2, EXPOSED = -3 };
enum { WORK = AZ_FAMILY_GEMM, COMMUNICATION = AZ_FAMILY_COMMUNICATION, COPIES = AZ_FAMILY_COPY };
static const struct az_paint gap = { "gap", 0xD3D8E0 },
                             /* of whatever work, and the part of it that nothing overlaps */
    all = { "chart-one", 0x5F7A99 }, exposed = { "chart-two", 0xB9C7D6 };

/* Names of the parts of an account and of timelines. */
static const struct {
    const char *name;
    int family; /* or one of these */
} parts[] = {
    { "compute", WORK },
    { "computing", WORK },
    { "computation", WORK },
    { "computation_time", WORK },
    { "busy", WORK },
    { "busy_time", WORK },
    { "time", ALL },
    { "exposed", EXPOSED },
    { "exposed communication", COMMUNICATION },
    { "exposed_comm_time", COMMUNICATION },
    { "exposed copies", COPIES },
    { "exposed copy", COPIES },
    { "exposed_memcpy_time", COPIES },
    { "memory operations", COPIES },
    /* of communication: what compute covers, what it does not, and waiting, when nothing runs */
    { "overlapped", WORK },
    { "hidden_ms", WORK },
    { "exposed transfer", COMMUNICATION },
    { "exposed_transfer_ms", COMMUNICATION },
    { "exposed wait", GAP },
    { "exposed_wait_ms", GAP },
    { "idle", GAP },
    { "idle_time", GAP },
};

enum { SAME = 4 /* letters that make a word of another one's family */ };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Is the first word of a category a family's, whatever follows (norm_bwd), precedes (layernorm) or
 * ends it otherwise (elemwise, reduction)? */
static bool is_near(struct az_sv name, struct az_sv family)
{
    size_t word = 0, same = 0, end = 0;

    while (word < name.n && lower(name.p[word]) >= 'a' && lower(name.p[word]) <= 'z')
        word++;
    while (same < word && same < family.n && lower(name.p[same]) == family.p[same])
        same++;
    while (end < word && end < family.n &&
           lower(name.p[word - 1 - end]) == family.p[family.n - 1 - end])
        end++;
    if (same == word && same == family.n)
        return true;
    return family.n == SAME ? end == family.n : same >= SAME && word - same <= SAME;
}

bool az_palette_find(struct az_sv name, struct az_paint *out)
{
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        if (az_sv_ieq(name, az_sv_str(parts[i].name))) {
            const int f = parts[i].family;
            *out = f >= 0 ? of_family[f] : f == GAP ? gap : f == ALL ? all : exposed;
            return true;
        }
    for (int f = 0; f < AZ_FAMILIES; f++)
        if (az_sv_ieq(name, az_family_text((enum az_family)f))) {
            *out = of_family[f];
            return true;
        }
    for (int f = 0; f < AZ_FAMILIES; f++)
        if (is_near(name, az_family_text((enum az_family)f))) {
            *out = of_family[f];
            return true;
        }
    return false;
}
