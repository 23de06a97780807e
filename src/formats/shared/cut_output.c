/* The file that a cut writes: see the header. */
#include "formats/shared/cut_output.h"

#include "io/gzip_out.h"

int az_cut_output_open(struct az_cut_output *o, const char *path, struct az_mem *mem,
                       struct az_diag *diag)
{
    *o = (struct az_cut_output){ NULL, NULL };
    if (az_sv_ends(az_sv_str(path), AZ_SV(".gz")))
        return az_gzfile_open(&o->packed, path, AZ_INFLATE_BEST, mem, diag);
    return az_outfile_open(&o->plain, path, diag);
}

void az_cut_output_put(struct az_cut_output *o, struct az_sv text)
{
    if (o->packed)
        az_gzfile_puts(o->packed, text);
    else if (o->plain)
        az_outfile_puts(o->plain, text);
}

int az_cut_output_finish(struct az_cut_output *o)
{
    int rc = AZ_OK;
    if (o->packed)
        rc = az_gzfile_finish(o->packed, &o->plain);
    o->packed = NULL;
    if (rc == 0 && o->plain)
        az_outfile_finish(o->plain);
    return rc;
}

int az_cut_output_close(struct az_cut_output *o, int rc)
{
    const struct az_cut_output x = *o;
    *o = (struct az_cut_output){ NULL, NULL };
    if (rc == 0 && x.packed)
        return az_gzfile_commit(x.packed);
    if (rc == 0 && x.plain)
        return az_outfile_commit(x.plain);
    if (x.packed)
        az_gzfile_abort(x.packed);
    else if (x.plain)
        az_outfile_abort(x.plain);
    return rc;
}
