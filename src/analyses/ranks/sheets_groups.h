/* The operators of the sheets and groups of a report over ranks: configs/rank_groups.rules. */
#ifndef AZ_ANALYSES_RANKS_SHEETS_GROUPS_H
#define AZ_ANALYSES_RANKS_SHEETS_GROUPS_H

#include "base/vec.h"

#define AZ_MR_GROUPS 32 /* of one kind, at most */

enum az_mr_kind { AZ_MR_SHEET, AZ_MR_GROUP };

/* Names of the sheets or groups, in the order of the file; returns how many. Views of static text.
 */
size_t az_mr_names(enum az_mr_kind kind, struct az_sv name[AZ_MR_GROUPS]);
/* Is an operator in the sheet or group of that name? */
bool az_mr_holds(enum az_mr_kind kind, struct az_sv name, struct az_sv op);
/* Does a kernel only move data? */
bool az_mr_moves(struct az_sv kernel);

#endif
