/* Tenstorrent devices that are known by name: configs/tt_devices.csv. */
#ifndef AZ_ANALYSES_OP_REPORT_DEVICES_H
#define AZ_ANALYSES_OP_REPORT_DEVICES_H

#include "base/intern.h"

bool az_op_report_is_device(struct az_sv name);
/* "wormhole, blackhole, ..."; in the arena. */
struct az_sv az_op_report_device_names(struct az_arena *a);

#endif
