// Iterates over all values of a JSON file with simdjson (Debian: libsimdjson-dev), as a reader that needs them all does.
#include <cstdio>
#include <simdjson.h>

static uint64_t walk(simdjson::ondemand::value v)
{
    uint64_t n = 1;
    switch (v.type()) {
    case simdjson::ondemand::json_type::array:
        for (auto x : v.get_array())
            n += walk(x.value());
        break;
    case simdjson::ondemand::json_type::object:
        for (auto f : v.get_object()) {
            n += f.unescaped_key().value().size();
            n += walk(f.value());
        }
        break;
    case simdjson::ondemand::json_type::string:
        n += v.get_string().value().size();
        break;
    case simdjson::ondemand::json_type::number:
        n += v.get_double().value() > 0;
        break;
    default:
        (void)v.raw_json_token();
    }
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    simdjson::ondemand::parser parser;
    auto text = simdjson::padded_string::load(argv[1]);
    auto doc = parser.iterate(text.value());
    simdjson::ondemand::value root = doc.get_value();
    std::printf("%llu\n", (unsigned long long)walk(root));
    return 0;
}
