/* Traces of graph captures next to a PyTorch trace (docs/graphs.md 1): read into the
 * captures of that trace (model/capture.h).
 *   pytorch_capture.c       the folder: which files, of which shape and rank
 *   pytorch_capture_read.c  one file: what is between begin and end of each capture
 */
#ifndef AZ_FORMATS_PYTORCH_PYTORCH_CAPTURE_H
#define AZ_FORMATS_PYTORCH_PYTORCH_CAPTURE_H

#include "formats/pytorch/pytorch.h"

#define AZ_PYTORCH_CAPTURE_FOLDER "capture_traces"

/* What a capture is of, as far as it is known without reading it. */
struct az_pytorch_shape {
    int64_t batch; /* -1: not known */
    enum az_capture_mode mode;
};
/* Of an annotation or the name of a file: capture_<batch>_<FULL|PIECEWISE>, bs_<batch>, bs=<batch>,
 * batch_size_<batch>. */
struct az_pytorch_shape az_pytorch_shape_of(struct az_sv text);
/* The number after the last "rank", "tp" or "dp" of a file's name; -1: none. */
int64_t az_pytorch_rank_of(struct az_sv path);

/* Reads the captures of a trace that is parsed and not yet sealed: those of option capture_folder,
 * else of the folder AZ_PYTORCH_CAPTURE_FOLDER next to its file. Nothing where it has no graph
 * launch. Fails for a folder that is named and cannot be read; a file that is no capture is a
 * warning. */
int az_pytorch_captures(struct az_parse *job) AZ_MUST_USE;

/* Adds what was captured in a sealed trace; `shape` where no annotation has it. *found: how many.
 */
int az_pytorch_capture_read(struct az_trace *to, const struct az_trace *capture,
                            struct az_pytorch_shape shape, size_t *found) AZ_MUST_USE;

#endif
