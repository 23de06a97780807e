/* A ring of blocks between two threads. */
#include "base/pipe.h"

#include <pthread.h>
#include <string.h>

struct block {
    char *bytes;
    size_t n; /* 0: the end, or rc */
    int rc;
};

struct az_pipe {
    int (*fill)(void *ctx, void *buf, size_t n, size_t *got);
    void *ctx;
    struct az_mem *mem;
    size_t size; /* of a block */
    unsigned blocks;
    pthread_t thread;
    pthread_mutex_t lock; /* over filled, stop */
    pthread_cond_t changed;
    unsigned filled; /* blocks ready, from `next` on */
    bool stop;
    /* of the reading thread */
    unsigned next;
    size_t at; /* bytes of block `next` already read */
    struct block *block;
};

/* On the pipe's thread: fills one block after the other. */
static void *run_reader(void *arg)
{
    struct az_pipe *p = arg;
    for (unsigned i = 0;; i = (i + 1) % p->blocks) {
        pthread_mutex_lock(&p->lock);
        while (p->filled == p->blocks && !p->stop)
            pthread_cond_wait(&p->changed, &p->lock);
        const bool stop = p->stop;
        pthread_mutex_unlock(&p->lock);
        if (stop)
            return NULL;
        struct block *b = &p->block[i];
        b->n = 0;
        b->rc = p->fill(p->ctx, b->bytes, p->size, &b->n);
        const bool end = b->rc != 0 || b->n == 0;
        pthread_mutex_lock(&p->lock);
        p->filled++;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        if (end)
            return NULL;
    }
}

static void free_blocks(struct az_pipe *p)
{
    for (unsigned i = 0; p->block && i < p->blocks; i++)
        az_mem_free(p->mem, p->block[i].bytes, p->size);
    az_mem_free(p->mem, p->block, p->blocks * sizeof *p->block);
    az_mem_free(p->mem, p, sizeof *p);
}

static bool start(struct az_pipe *p)
{
    if (pthread_mutex_init(&p->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&p->changed, NULL) == 0) {
        if (pthread_create(&p->thread, NULL, run_reader, p) == 0)
            return true;
        pthread_cond_destroy(&p->changed);
    }
    pthread_mutex_destroy(&p->lock);
    return false;
}

int az_pipe_open(struct az_pipe **out, int (*fill)(void *, void *, size_t, size_t *), void *ctx,
                 size_t block, unsigned blocks, struct az_mem *mem)
{
    *out = NULL;
    struct az_pipe *p = az_mem_alloc(mem, sizeof *p);
    if (!p)
        return az_mem_error(mem);
    *p = (struct az_pipe){
        .fill = fill, .ctx = ctx, .mem = mem, .size = block, .blocks = blocks < 2 ? 2 : blocks
    };
    p->block = az_mem_alloc(mem, p->blocks * sizeof *p->block);
    bool ok = p->block != NULL;
    if (ok)
        memset(p->block, 0, p->blocks * sizeof *p->block);
    for (unsigned i = 0; ok && i < p->blocks; i++)
        ok = (p->block[i].bytes = az_mem_alloc(mem, block)) != NULL;
    if (!ok || !start(p)) {
        const int rc = ok ? AZ_ENOMEM : az_mem_error(mem);
        free_blocks(p);
        return rc;
    }
    *out = p;
    return 0;
}

int az_pipe_read(struct az_pipe *p, void *buf, size_t n, size_t *got)
{
    *got = 0;
    if (n == 0)
        return 0;
    pthread_mutex_lock(&p->lock);
    while (p->filled == 0)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    const struct block *b = &p->block[p->next];
    *got = n < b->n - p->at ? n : b->n - p->at;
    if (*got)
        memcpy(buf, b->bytes + p->at, *got);
    p->at += *got;
    if (p->at < b->n || b->n == 0)
        return b->n ? 0 : b->rc; /* the last block, without bytes, stays */
    if (b->rc) {                 /* bytes and an error: the error comes next time */
        p->block[p->next].n = 0;
        p->at = 0;
        return 0;
    }
    p->next = (p->next + 1) % p->blocks;
    p->at = 0;
    pthread_mutex_lock(&p->lock);
    p->filled--;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

void az_pipe_close(struct az_pipe *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free_blocks(p);
}
