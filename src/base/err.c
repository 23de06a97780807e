#include "base/err.h"

const char *az_err_text(int code)
{
    switch (code) {
    case AZ_OK:
        return "no error";
    case AZ_ENOMEM:
        return "out of memory";
    case AZ_ELIMIT:
        return "memory limit reached";
    case AZ_EIO:
        return "input or output failed";
    case AZ_EFORMAT:
        return "wrong format";
    case AZ_EUSAGE:
        return "wrong command line";
    case AZ_ECONFIG:
        return "wrong configuration";
    case AZ_EEMPTY:
        return "nothing in it";
    case AZ_EINTR:
        return "interrupted";
    case AZ_ECHILD:
        return "child process failed";
    case AZ_ERANGE:
        return "number out of range";
    case AZ_EINTERNAL:
        return "internal error";
    default:
        return "unknown error";
    }
}
