/* Style and scripts of the report, and Chart.js from its Debian package (the build says where it
 * is): the assembler includes the files as they are; the build lists them as prerequisites of this
 * object. */
#include "reports/html/html.h"

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
