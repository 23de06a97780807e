/* Values of one record as it is stored: sqlite.org/fileformat2.html 2.1. */
#include "formats/shared/sqlite_bytes.h"
#include "formats/shared/sqlite_pages.h"

/* Where the value at a place is. A record may have fewer: an added column has its default, which
 * only the schema has. */
static bool find_value(const unsigned char *record, const unsigned char *end, int place,
                       uint64_t *type, const unsigned char **data)
{
    const unsigned char *at = record;
    uint64_t header;
    if (place < 0 || !az_varint(&at, end, &header) || header > (uint64_t)(end - record))
        return false;
    const unsigned char *types_end = record + header;
    *data = types_end;
    for (int i = 0; az_varint(&at, types_end, type); i++) {
        const uint64_t size = az_size_of_type(*type);
        if (size > (uint64_t)(end - *data))
            return false;
        if (i == place)
            return true;
        *data += size;
    }
    return false;
}

bool az_record_is_whole(const struct az_pages_row *row)
{
    const unsigned char *at = row->record;
    uint64_t header, type, sum;
    if (!az_varint(&at, row->end, &header) || header > row->payload)
        return false;
    if (header > (uint64_t)(row->end - row->record))
        return true;
    const unsigned char *types_end = row->record + header;
    for (sum = header; at < types_end && sum <= row->payload; sum += az_size_of_type(type))
        if (!az_varint(&at, types_end, &type) || type == 10 || type == 11)
            return false;
    return sum == row->payload;
}

bool az_record_text(const unsigned char *record, const unsigned char *end, int place,
                    struct az_sv *text)
{
    uint64_t type;
    const unsigned char *data;
    if (!find_value(record, end, place, &type, &data) || (type && (type < 13 || type % 2 == 0)))
        return false;
    *text =
        type ? az_sv_make((const char *)data, (size_t)az_size_of_type(type)) : az_sv_make(NULL, 0);
    return true;
}

bool az_record_number(const unsigned char *record, const unsigned char *end, int place, int64_t *v,
                      bool *null)
{
    uint64_t type, bits = 0;
    const unsigned char *data;
    if (!find_value(record, end, place, &type, &data) || type > 9 || type == 7)
        return false;
    const uint64_t size = az_size_of_type(type);
    for (uint64_t i = 0; i < size; i++)
        bits = bits << 8 | data[i];
    *null = type == 0;
    *v = type == 9 ? 1 : size ? (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size) : 0;
    return true;
}
