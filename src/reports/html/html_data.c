/* Style and scripts of the report, and Chart.js from its Debian package (the build has its place):
 * the assembler includes the files as they are; the build lists them as prerequisites of this
 * object, and writes their digests (sha256sum) to a header, so that no run computes them. */
#include "reports/html/html.h"

#include "io/base64.h"

#ifndef AZ_CHART_JS
#define AZ_CHART_JS "/usr/share/javascript/chart.js/chart.min.js"
#endif

#define EMBED(symbol, file)                                                                        \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"" file "\"\n" #symbol                       \
            "_end:\n.byte 0\n.previous\n");                                                        \
    extern const char symbol[], symbol##_end[]

EMBED(az_html_style_css, "src/reports/html/html.css");
EMBED(az_html_library_js, AZ_CHART_JS);
EMBED(az_html_charts_js, "src/reports/html/html_charts.js");
EMBED(az_html_tables_js, "src/reports/html/html_tables.js");
EMBED(az_html_timeline_js, "src/reports/html/html_timeline.js");
EMBED(az_html_flame_js, "src/reports/html/html_flame.js");

struct az_sv az_html_part(enum az_html_part p)
{
    static const struct {
        const char *from, *to;
    } parts[AZ_HTML_PARTS] = {
        [AZ_HTML_STYLE] = { az_html_style_css, az_html_style_css_end },
        [AZ_HTML_LIBRARY] = { az_html_library_js, az_html_library_js_end },
        [AZ_HTML_CHARTS] = { az_html_charts_js, az_html_charts_js_end },
        [AZ_HTML_TABLES] = { az_html_tables_js, az_html_tables_js_end },
        [AZ_HTML_TIMELINE] = { az_html_timeline_js, az_html_timeline_js_end },
        [AZ_HTML_FLAME] = { az_html_flame_js, az_html_flame_js_end },
    };
    return az_sv_make(parts[p].from, (size_t)(parts[p].to - parts[p].from));
}

static unsigned hex_digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

void az_html_digest(enum az_html_part p, char text[AZ_HTML_DIGEST])
{
    static const char *const digests[AZ_HTML_PARTS] = {
#ifdef AZ_HTML_DIGESTS
#include AZ_HTML_DIGESTS
#endif
    };
    const char *hex = digests[p] ? digests[p] : "";
    uint8_t sum[32] = { 0 };

    for (size_t i = 0; i < sizeof sum && hex[2 * i]; i++)
        sum[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    az_base64(sum, sizeof sum, text);
}
