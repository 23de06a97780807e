/* Files of named sections: state stored between two runs of this program.
 *
 * A file is one image, or several one after the other (so two files joined by `cat` are a file,
 * too). An image, all numbers little-endian, everything at multiples of 64 bytes from its
 * beginning: 0  magic    8 bytes "AZSECT\r\n": a transfer as text breaks it 8  u32      0x01020304
 * as its writer stores it: another byte order is rejected 12  u32      version of this layout, 1 16
 * u64      bytes of the image 24  u32      sections; 28 u32: bytes of a row of their table, 64 32
 * char[16] version of the program that wrote it, NUL at its end 48  u64      key: what the image
 * depends on, as its user sees it 56  u64      XXH3-64 of the first 56 bytes and of the table 64
 * table    a row a section: char[24] name, u64 layout (what its bytes mean), u64 offset, u64
 *               length, u64 XXH3-64 of its bytes, 8 bytes zero
 *  ..  sections in the order of the table
 * So a truncated file ends before the recorded end of its image, a changed byte is in the checksum
 * of the head or of one section, and a reader can map a section. */
#ifndef AZ_IO_SECTIONS_H
#define AZ_IO_SECTIONS_H

#include "base/diag.h"
#include "base/vec.h"

#define AZ_SECTIONS_HEAD    64
#define AZ_SECTIONS_MOST    64 /* sections of an image */
#define AZ_SECTIONS_TOOL    16
#define AZ_SECTIONS_NAME    24
#define AZ_SECTIONS_VERSION 1

/* ---- writing: an image in memory ---- */
struct az_sections_out {
    struct az_vec_char image;
    size_t n;
};
int az_sections_begin(struct az_sections_out *o, size_t most, const char *tool, uint64_t key,
                      struct az_mem *mem) AZ_MUST_USE;
int az_sections_add(struct az_sections_out *o, const char *name, uint64_t layout,
                    struct az_sv bytes) AZ_MUST_USE;
/* The image is complete. */
int az_sections_end(struct az_sections_out *o) AZ_MUST_USE;
void az_sections_release(struct az_sections_out *o);

/* ---- reading ---- */
struct az_sections {
    struct az_sv image;
    char tool[AZ_SECTIONS_TOOL];
    uint64_t key;
    size_t n;
};
struct az_section {
    char name[AZ_SECTIONS_NAME];
    uint64_t layout;
    struct az_sv bytes;
    bool sound; /* its checksum is right */
};
/* Does a file begin with an image? Its first bytes. */
bool az_sections_is(struct az_sv head);
/* Length of the image that begins with these bytes (at least AZ_SECTIONS_HEAD of them); 0: none
 * does. */
uint64_t az_sections_length(struct az_sv head);
/* The image at the beginning of the bytes. NULL, or what is wrong with it. */
const char *az_sections_open(struct az_sections *s, struct az_sv bytes);
/* The same by its first bytes, of `length`: sections that are not within them are not sound. */
const char *az_sections_open_head(struct az_sections *s, struct az_sv head, uint64_t length);
/* The i-th section; its bytes are read. */
struct az_section az_sections_at(const struct az_sections *s, size_t i);
/* Reads a part of a file; AZ_EIO with a message. Fewer bytes where it ends before. */
int az_sections_read(const char *path, uint64_t at, uint64_t n, struct az_vec_char *out,
                     struct az_diag *diag) AZ_MUST_USE;

#endif
