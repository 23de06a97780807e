/* The workbook library (libxlsxwriter), loaded when the first workbook is written. Linked as usual
 * it and the library it draws in for one checksum are two thirds of the time that every command
 * takes to start (docs/performance.md 6). The files that write workbooks include this
 * instead of xlsxwriter.h; a function that is new to them gets its two lines here. Where the build
 * has no name of the shared library (AZ_XLSX_SONAME), it is linked. */
#ifndef AZ_REPORTS_XLSX_XLSX_LIB_H
#define AZ_REPORTS_XLSX_XLSX_LIB_H

#include <xlsxwriter.h>

#include "base/diag.h"

/* Loads the library; may be called from several threads. An error if it or one of its functions is
 * not there. */
int az_xlsx_load(struct az_where where, struct az_diag *diag) AZ_MUST_USE;

#ifdef AZ_XLSX_SONAME
/* clang-format off */
#define AZ_XLSX_FUNCTIONS(X) \
    X(chart_add_series) \
    X(chart_axis_major_gridlines_set_visible) \
    X(chart_axis_set_crossing_max) \
    X(chart_axis_set_label_position) \
    X(chart_axis_set_log_base) \
    X(chart_axis_set_max) \
    X(chart_axis_set_min) \
    X(chart_axis_set_name) \
    X(chart_axis_set_name_font) \
    X(chart_axis_set_num_font) \
    X(chart_axis_set_num_format) \
    X(chart_axis_set_reverse) \
    X(chart_legend_set_font) \
    X(chart_legend_set_position) \
    X(chart_series_set_categories) \
    X(chart_series_set_fill) \
    X(chart_series_set_labels) \
    X(chart_series_set_labels_custom) \
    X(chart_series_set_labels_options) \
    X(chart_series_set_labels_percentage) \
    X(chart_series_set_labels_position) \
    X(chart_series_set_line) \
    X(chart_series_set_marker_fill) \
    X(chart_series_set_marker_line) \
    X(chart_series_set_marker_size) \
    X(chart_series_set_marker_type) \
    X(chart_series_set_name) \
    X(chart_series_set_points) \
    X(chart_series_set_values) \
    X(chart_set_series_gap) \
    X(chart_set_series_overlap) \
    X(chart_show_hidden_data) \
    X(chart_title_set_name) \
    X(chart_title_set_name_font) \
    X(format_set_align) \
    X(format_set_bg_color) \
    X(format_set_bold) \
    X(format_set_bottom) \
    X(format_set_font_color) \
    X(format_set_font_size) \
    X(format_set_indent) \
    X(format_set_italic) \
    X(format_set_num_format) \
    X(format_set_pattern) \
    X(format_set_underline) \
    X(lxw_format_get_xf_index) \
    X(lxw_rowcol_to_cell_abs) \
    X(lxw_strerror) \
    X(lxw_tmpfile) \
    X(lxw_workbook_free) \
    X(lxw_worksheet_write_single_row) \
    X(workbook_add_chart) \
    X(workbook_add_format) \
    X(workbook_add_worksheet) \
    X(workbook_close) \
    X(workbook_new_opt) \
    X(workbook_set_properties) \
    X(worksheet_autofilter) \
    X(worksheet_conditional_format_range) \
    X(worksheet_fit_to_pages) \
    X(worksheet_freeze_panes) \
    X(worksheet_gridlines) \
    X(worksheet_insert_chart_opt) \
    X(worksheet_print_area) \
    X(worksheet_repeat_columns) \
    X(worksheet_repeat_rows) \
    X(worksheet_set_column) \
    X(worksheet_set_column_opt) \
    X(worksheet_set_landscape) \
    X(worksheet_set_print_scale) \
    X(worksheet_set_row) \
    X(worksheet_write_boolean) \
    X(worksheet_write_number) \
    X(worksheet_write_string) \
    X(worksheet_write_url_opt)

struct az_xlsx_lib {
#define AZ_XLSX_MEMBER(f) __typeof__(&f) f;
    AZ_XLSX_FUNCTIONS(AZ_XLSX_MEMBER)
#undef AZ_XLSX_MEMBER
};
extern struct az_xlsx_lib az_xlsx_lib; /* filled once, by az_xlsx_load */

#define chart_add_series                       az_xlsx_lib.chart_add_series
#define chart_axis_major_gridlines_set_visible az_xlsx_lib.chart_axis_major_gridlines_set_visible
#define chart_axis_set_crossing_max            az_xlsx_lib.chart_axis_set_crossing_max
#define chart_axis_set_label_position          az_xlsx_lib.chart_axis_set_label_position
#define chart_axis_set_log_base                az_xlsx_lib.chart_axis_set_log_base
#define chart_axis_set_max                     az_xlsx_lib.chart_axis_set_max
#define chart_axis_set_min                     az_xlsx_lib.chart_axis_set_min
#define chart_axis_set_name                    az_xlsx_lib.chart_axis_set_name
#define chart_axis_set_name_font               az_xlsx_lib.chart_axis_set_name_font
#define chart_axis_set_num_font                az_xlsx_lib.chart_axis_set_num_font
#define chart_axis_set_num_format              az_xlsx_lib.chart_axis_set_num_format
#define chart_axis_set_reverse                 az_xlsx_lib.chart_axis_set_reverse
#define chart_legend_set_font                  az_xlsx_lib.chart_legend_set_font
#define chart_legend_set_position              az_xlsx_lib.chart_legend_set_position
#define chart_series_set_categories            az_xlsx_lib.chart_series_set_categories
#define chart_series_set_fill                  az_xlsx_lib.chart_series_set_fill
#define chart_series_set_labels                az_xlsx_lib.chart_series_set_labels
#define chart_series_set_labels_custom         az_xlsx_lib.chart_series_set_labels_custom
#define chart_series_set_labels_options        az_xlsx_lib.chart_series_set_labels_options
#define chart_series_set_labels_percentage     az_xlsx_lib.chart_series_set_labels_percentage
#define chart_series_set_labels_position       az_xlsx_lib.chart_series_set_labels_position
#define chart_series_set_line                  az_xlsx_lib.chart_series_set_line
#define chart_series_set_marker_fill           az_xlsx_lib.chart_series_set_marker_fill
#define chart_series_set_marker_line           az_xlsx_lib.chart_series_set_marker_line
#define chart_series_set_marker_size           az_xlsx_lib.chart_series_set_marker_size
#define chart_series_set_marker_type           az_xlsx_lib.chart_series_set_marker_type
#define chart_series_set_name                  az_xlsx_lib.chart_series_set_name
#define chart_series_set_points                az_xlsx_lib.chart_series_set_points
#define chart_series_set_values                az_xlsx_lib.chart_series_set_values
#define chart_set_series_gap                   az_xlsx_lib.chart_set_series_gap
#define chart_set_series_overlap               az_xlsx_lib.chart_set_series_overlap
#define chart_show_hidden_data                 az_xlsx_lib.chart_show_hidden_data
#define chart_title_set_name                   az_xlsx_lib.chart_title_set_name
#define chart_title_set_name_font              az_xlsx_lib.chart_title_set_name_font
#define format_set_align                       az_xlsx_lib.format_set_align
#define format_set_bg_color                    az_xlsx_lib.format_set_bg_color
#define format_set_bold                        az_xlsx_lib.format_set_bold
#define format_set_bottom                      az_xlsx_lib.format_set_bottom
#define format_set_font_color                  az_xlsx_lib.format_set_font_color
#define format_set_font_size                   az_xlsx_lib.format_set_font_size
#define format_set_indent                      az_xlsx_lib.format_set_indent
#define format_set_italic                      az_xlsx_lib.format_set_italic
#define format_set_num_format                  az_xlsx_lib.format_set_num_format
#define format_set_pattern                     az_xlsx_lib.format_set_pattern
#define format_set_underline                   az_xlsx_lib.format_set_underline
#define lxw_format_get_xf_index                az_xlsx_lib.lxw_format_get_xf_index
#define lxw_rowcol_to_cell_abs                 az_xlsx_lib.lxw_rowcol_to_cell_abs
#define lxw_strerror                           az_xlsx_lib.lxw_strerror
#define lxw_tmpfile                            az_xlsx_lib.lxw_tmpfile
#define lxw_workbook_free                      az_xlsx_lib.lxw_workbook_free
#define lxw_worksheet_write_single_row         az_xlsx_lib.lxw_worksheet_write_single_row
#define workbook_add_chart                     az_xlsx_lib.workbook_add_chart
#define workbook_add_format                    az_xlsx_lib.workbook_add_format
#define workbook_add_worksheet                 az_xlsx_lib.workbook_add_worksheet
#define workbook_close                         az_xlsx_lib.workbook_close
#define workbook_new_opt                       az_xlsx_lib.workbook_new_opt
#define workbook_set_properties                az_xlsx_lib.workbook_set_properties
#define worksheet_autofilter                   az_xlsx_lib.worksheet_autofilter
#define worksheet_conditional_format_range     az_xlsx_lib.worksheet_conditional_format_range
#define worksheet_fit_to_pages                 az_xlsx_lib.worksheet_fit_to_pages
#define worksheet_freeze_panes                 az_xlsx_lib.worksheet_freeze_panes
#define worksheet_gridlines                    az_xlsx_lib.worksheet_gridlines
#define worksheet_insert_chart_opt             az_xlsx_lib.worksheet_insert_chart_opt
#define worksheet_print_area                   az_xlsx_lib.worksheet_print_area
#define worksheet_repeat_columns               az_xlsx_lib.worksheet_repeat_columns
#define worksheet_repeat_rows                  az_xlsx_lib.worksheet_repeat_rows
#define worksheet_set_column                   az_xlsx_lib.worksheet_set_column
#define worksheet_set_column_opt               az_xlsx_lib.worksheet_set_column_opt
#define worksheet_set_print_scale              az_xlsx_lib.worksheet_set_print_scale
#define worksheet_set_landscape                az_xlsx_lib.worksheet_set_landscape
#define worksheet_set_row                      az_xlsx_lib.worksheet_set_row
#define worksheet_write_boolean                az_xlsx_lib.worksheet_write_boolean
#define worksheet_write_number                 az_xlsx_lib.worksheet_write_number
#define worksheet_write_string                 az_xlsx_lib.worksheet_write_string
#define worksheet_write_url_opt                az_xlsx_lib.worksheet_write_url_opt
/* clang-format on */
#endif

#endif
