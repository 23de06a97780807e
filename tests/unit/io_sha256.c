/* Digests against the published examples (FIPS 180-4, RFC 4648) and at the edges of a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "io/sha256.h"

static const char *hex(struct az_sv s)
{
    static char text[2 * AZ_SHA256_BYTES + 1];
    uint8_t d[AZ_SHA256_BYTES];
    az_sha256(s, d);
    for (size_t i = 0; i < sizeof d; i++)
        snprintf(text + 2 * i, 3, "%02x", d[i]);
    return text;
}

static void published_examples(void **state)
{
    (void)state;
    assert_string_equal(hex(AZ_SV("")),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex(az_sv_make(NULL, 0)),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex(AZ_SV("abc")),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(hex(AZ_SV("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Digests of 'a' repeated, from sha256sum. */
static void edges_of_blocks(void **state)
{
    (void)state;
    static char a[1000];
    static const struct {
        size_t n;
        const char *digest;
    } cases[] = {
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
        { 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3" },
    };
    memset(a, 'a', sizeof a);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_string_equal(hex(az_sv_make(a, cases[i].n)), cases[i].digest);
}

static void base64_pads(void **state)
{
    (void)state;
    static const char *const want[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
    char out[AZ_BASE64_SIZE(6)];
    for (size_t n = 0; n < AZ_LENGTH(want); n++) {
        assert_int_equal(az_base64((const uint8_t *)"foobar", n, out), strlen(want[n]));
        assert_string_equal(out, want[n]);
    }
    assert_int_equal(az_base64((const uint8_t *)"\xff\xff\xfe", 3, out), 4);
    assert_string_equal(out, "///+");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(edges_of_blocks),
        cmocka_unit_test(base64_pads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
