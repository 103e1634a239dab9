/* A harness in C: cc -O2 harness.c -lm, then `a.out brownian | brownian-fresh | threshold | threshold-fresh`.
   The -fresh variants are wrong: noise that must be reduced, or kept, is drawn afresh. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096, SESSIONS = 64 }; /* numbers in an array of a request; sessions open at a time */

static char *line; /* the request being answered */
static int fresh;

/* Random numbers: splitmix64, from a seed that is scattered first. */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
static double uniform(uint64_t *state) { return ((double)(next(state) >> 11) + 0.5) * 0x1p-53; }
static double normal(uint64_t *state) { return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state)); }
static double laplace(uint64_t *state, double scale) { return scale * log(uniform(state) / uniform(state)); }

/* Fields of a request. Its keys are distinct and no text in it looks like one: a search finds them. */
static const char *field(const char *key) {
    char quoted[32];
    int length = snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(line, quoted);
    return found ? found + length : "";
}
static double number(const char *key) { return strtod(field(key), NULL); }
static uint64_t whole(const char *key) { return strtoull(field(key), NULL, 10); }
static int numbers(const char *key, double *out) {
    char *at = (char *)field(key) + 1, *end;
    for (int count = 0; count < LONGEST; count++, at = end + 1) {
        out[count] = strtod(at, &end);
        if (end == at) return count;
    }
    return LONGEST;
}
static int entries(const char *key) {
    const char *at = field(key);
    int count = *at == '[' && at[1] != ']';
    for (; *at && *at != ']'; at++) count += *at == ',';
    return count;
}
static int asked(const char *op) {
    size_t length = strlen(op);
    const char *found = field("op");
    return !strncmp(found, "\"", 1) && !strncmp(found + 1, op, length) && found[length + 1] == '"';
}

/* A session: f(x) plus a Brownian path at times that never increase; the next noise is drawn from the bridge to 0. */
typedef struct {
    int d;
    uint64_t random;
    double time, value[LONGEST], noise[LONGEST];
} Session;

static Session *begin(Session *session, uint64_t seed) {
    session->d = numbers("value", session->value);
    session->random = seed;
    session->random = next(&session->random);
    session->time = INFINITY;
    return session;
}
static void release(Session *session, double at, double *out) {
    int first = isinf(session->time) || fresh;
    double kept = first ? 0 : at / session->time;
    double deviation = first ? sqrt(at) : sqrt(at * (1 - at / session->time));
    for (int i = 0; i < session->d; i++) {
        if (at != session->time) session->noise[i] = kept * session->noise[i] + deviation * normal(&session->random);
        out[i] = session->value[i] + session->noise[i];
    }
    session->time = at;
}

/* AboveThreshold: the round at which it halts, 0 for never. */
static int halting_round(uint64_t *random) {
    static double utilities[LONGEST], epsilons[LONGEST];
    int rounds = numbers("utilities", utilities);
    numbers("epsilons", epsilons);
    double scale = number("sensitivity") / epsilons[0], noise = laplace(random, 2 * scale);
    for (int round = 1; round <= rounds; round++) {
        if (fresh) noise = laplace(random, 2 * scale);
        if (utilities[round - 1] + laplace(random, 4 * scale) >= number("threshold") + noise) return round;
    }
    return 0;
}

static void print_base64(const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = bytes[i] << 16 | (i + 1 < size ? bytes[i + 1] << 8 : 0) | (i + 2 < size ? bytes[i + 2] : 0);
        putchar_unlocked(digits[three >> 18]);
        putchar_unlocked(digits[three >> 12 & 63]);
        putchar_unlocked(i + 1 < size ? digits[three >> 6 & 63] : '=');
        putchar_unlocked(i + 2 < size ? digits[three & 63] : '=');
    }
}
static void print_numbers(const double *x, int count) {
    for (int i = 0; i < count; i++) printf("%s%.17g", i ? "," : "[", x[i]);
    putchar(']');
}

int main(int argc, char **argv) {
    static Session sessions[SESSIONS];
    static double times[LONGEST], out[LONGEST];
    static int opened;
    size_t capacity = 0;
    int brownian = argc > 1 && !strncmp(argv[1], "brownian", 8);
    fresh = argc > 1 && strstr(argv[1], "-fresh") != NULL;
    if (!brownian && (argc < 2 || strncmp(argv[1], "threshold", 9))) {
        fprintf(stderr, "name a kind: brownian | brownian-fresh | threshold | threshold-fresh\n");
        return 2;
    }
    while (getline(&line, &capacity, stdin) > 0) {
        uint64_t random = whole("seed");
        random = next(&random);
        printf("{\"id\":%llu,", (unsigned long long)whole("id"));
        if (asked("describe")) {
            printf("\"result\":{\"protocol\":1,\"name\":\"C %s\",\"version\":\"1\",\"language\":\"c\",", argv[1]);
            printf(brownian ? "\"mechanism\":\"brownian\",\"methods\":[\"open\",\"sample\",\"play\"],"
                              "\"encodings\":[\"json\",\"f64le\"]}"
                            : "\"mechanism\":\"above-threshold\",\"methods\":[\"run\",\"run_many\"]}");
        } else if (asked("open")) {
            begin(&sessions[opened % SESSIONS], whole("seed"));
            printf("\"result\":{\"session\":%d}", opened++ % SESSIONS);
        } else if (asked("release")) {
            Session *session = &sessions[whole("session") % SESSIONS];
            double at = number("at");
            if (!(at > 0 && at <= session->time)) {
                printf("\"refused\":\"times must be positive and must not increase\"");
            } else {
                release(session, at, out);
                printf("\"result\":");
                print_numbers(out, session->d);
            }
        } else if (asked("sample") || asked("play")) {
            int play = asked("play"), count = play ? entries("seeds") : (int)whole("sessions");
            char *seeds = (char *)field("seeds"); /* of play: one for each session */
            int length = numbers("schedule", times), d = begin(sessions, random)->d;
            double *all = malloc(sizeof(double) * count * length * d), *at = all;
            for (int i = 0; i < count; i++) {
                begin(sessions, play ? strtoull(seeds + 1, &seeds, 10) : next(&random));
                for (int j = 0; j < length; j++, at += d) release(sessions, times[j], at);
            }
            printf("\"result\":{\"shape\":[%d,%d,%d],\"f64le\":\"", count, length, d);
            print_base64((unsigned char *)all, (at - all) * sizeof(double)); /* on a little-endian machine */
            printf("\"}");
            free(all);
        } else if (asked("run")) {
            int halted = halting_round(&random), rounds = halted ? halted : numbers("utilities", out);
            for (int i = 0; i < rounds; i++) out[i] = i + 1 == halted;
            printf("\"result\":");
            print_numbers(out, rounds);
        } else if (asked("run_many")) {
            uint64_t runs = whole("runs");
            printf("\"result\":");
            for (uint64_t i = 0; i < runs; i++) printf("%c%d", i ? ',' : '[', halting_round(&random));
            putchar(']');
        } else {
            printf("\"result\":null"); /* close, stop */
        }
        puts("}");
        fflush(stdout);
        if (asked("stop")) return 0;
    }
    return 0;
}
