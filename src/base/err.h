/* Error codes of every function that can fail: 0 is success, negative is failure.
 * The code decides what to do next; the message is in the input's diag (diag.h). */
#ifndef AZ_BASE_ERR_H
#define AZ_BASE_ERR_H

enum az_err {
    AZ_OK = 0,
    AZ_ENOMEM = -1,    /* out of memory */
    AZ_ELIMIT = -2,    /* the memory limit of this input is reached */
    AZ_EIO = -3,       /* open, read, write, rename failed */
    AZ_EFORMAT = -4,   /* bytes are not what the format requires */
    AZ_EUSAGE = -5,    /* wrong command line */
    AZ_ECONFIG = -6,   /* wrong configuration */
    AZ_EEMPTY = -7,    /* nothing in it: 0 bytes, or no accelerator activity */
    AZ_EINTR = -8,     /* interrupted by the user */
    AZ_ECHILD = -9,    /* a child process is missing or failed */
    AZ_ERANGE = -10,   /* a number or offset does not fit */
    AZ_EINTERNAL = -11 /* a broken promise inside the program */
};

#define AZ_MUST_USE     __attribute__((warn_unused_result))
#define AZ_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* Elements of an array (not of a pointer). */
#define AZ_LENGTH(array) (sizeof(array) / sizeof *(array))

/* Short fixed text of a code ("out of memory", ...); never NULL. */
const char *az_err_text(int code);

#endif
