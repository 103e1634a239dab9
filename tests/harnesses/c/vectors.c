/* Checks an implementation in C against nrverify's certified test vectors.
 *
 *   cc -O2 -o vectors vectors.c -lm && ./vectors DIR [--bug NAME]
 *
 * DIR holds the JSON files. Replace the functions in the middle by your own. A case passes when every output is within
 * tolerance*|value| + radius, or, for an invalid case, when the function refuses (returns 0). Exit 0 when all pass, 1 when
 * a case fails, 2 when the files cannot be read. --bug plants a bug, to see the vectors catch it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON: objects, arrays and strings are all that vector files hold ---- */

typedef struct Node {
    char *text;          /* a string; NULL for an object or array */
    char *key;           /* the name in the object above */
    struct Node *child;  /* the first entry */
    struct Node *next;   /* the next entry of the object or array above */
} Node;

static const char *at; /* where the scanner is */

static void blank(void) { at += strspn(at, " \t\r\n"); }

static void broken(const char *what) {
    fprintf(stderr, "no vector file: %s near \"%.20s\"\n", what, at);
    exit(2);
}

static char *string(void) {
    const char *start = ++at;
    while (*at && *at != '"') at += (*at == '\\' && at[1]) ? 2 : 1; /* escapes occur in comments only: kept as they are */
    if (!*at) broken("a string without end");
    size_t length = (size_t)(at++ - start);
    char *copy = malloc(length + 1);
    if (!copy) exit(2);
    memcpy(copy, start, length);
    copy[length] = 0;
    return copy;
}

static Node *parse(void) {
    Node *node = calloc(1, sizeof *node), **last = &node->child;
    if (!node) exit(2);
    blank();
    if (*at == '"') {
        node->text = string();
        return node;
    }
    char close = *at == '{' ? '}' : *at == '[' ? ']' : 0;
    if (!close) broken("a value that is no string, list or object");
    at++;
    for (blank(); *at != close; blank()) {
        char *key = NULL;
        if (close == '}') {
            if (*at != '"') broken("a key");
            key = string();
            blank();
            if (*at++ != ':') broken("a colon");
        }
        *last = parse();
        (*last)->key = key;
        last = &(*last)->next;
        blank();
        if (*at == ',') at++;
        else if (*at != close) broken("a comma");
    }
    at++;
    return node;
}

static Node *get(const Node *object, const char *key) {
    for (Node *entry = object ? object->child : NULL; entry; entry = entry->next)
        if (entry->key && !strcmp(entry->key, key)) return entry;
    return NULL;
}

static double number(const Node *object, const char *key) {
    Node *entry = get(object, key);
    return entry && entry->text ? strtod(entry->text, NULL) : NAN;
}

static int list(const Node *object, const char *key, double *into, int room) {
    int count = 0;
    Node *entry = get(object, key);
    for (entry = entry ? entry->child : NULL; entry && count < room; entry = entry->next)
        into[count++] = strtod(entry->text, NULL);
    return count;
}

/* ---- the implementation under test: each function writes its outputs, in the order of the file, and returns 1, or
 *      refuses and returns 0 ---- */

#define MANY 64
static const char *bug = "";
static int planted; /* whether the bug asked for is one of these functions' */
static int has(const char *name) {
    int same = !strcmp(bug, name);
    planted |= same;
    return same;
}
static int above_zero(double x) { return has("unchecked") || (isfinite(x) && x > 0); }
static int probability(double p) { return has("unchecked") || (p > 0 && p < 1); }
static int ordered(double s, double t) { return has("unchecked") || (s > 0 && s <= t && isfinite(t)); }
static double natural(double x) { return has("log10") ? log10(x) : log(x); }

static int losses(const Node *in, double *out, int laplace) {
    double v[MANY], n[MANY], r[MANY], t = number(in, "time"), sum = 0;
    int d = list(in, "value", v, MANY);
    if (list(in, "neighbour", n, MANY) != d || list(in, "release", r, MANY) != d || d == 0) return has("unchecked");
    if (!above_zero(t)) return 0;
    for (int i = 0; i < d; i++) {
        if (!isfinite(v[i]) || !isfinite(n[i]) || !isfinite(r[i])) return has("unchecked");
        double gap = fabs(v[i] - n[i]), middle = 0.5 * (r[i] - v[i]) + 0.5 * (r[i] - n[i]);
        if (laplace) sum += copysign(1, v[i] - n[i]) * fmax(-gap, fmin(gap, 2 * middle));
        else sum += (v[i] - n[i]) * middle;
    }
    *out = (has("swapped") ? -sum : sum) / t;
    if (has("missing-half") && !laplace) *out *= 2;
    if (has("sd-for-variance") && !laplace) *out /= t;
    return 1;
}
static int brownian_loss(const Node *in, double *out) { return losses(in, out, 0); }
static int laplace_loss(const Node *in, double *out) { return losses(in, out, 1); }

static int linear_boundary(const Node *in, double *out) {
    double a = number(in, "a"), b = number(in, "b"), d = number(in, "sensitivity"), t = number(in, "time");
    if (!above_zero(a) || !above_zero(b) || !above_zero(d) || !above_zero(t)) return 0;
    *out = d / t * (d * (has("missing-half") ? 1 : 0.5) + b) + d * a;
    return 1;
}

static int linear_inverse(const Node *in, double *out) {
    double a = number(in, "a"), b = number(in, "b"), d = number(in, "sensitivity"), e = number(in, "epsilon");
    if (!above_zero(a) || !above_zero(b) || !above_zero(d) || !above_zero(e)) return 0;
    if (e <= d * a && !has("floor") && !has("unchecked")) return 0; /* the boundary never falls to its floor d*a */
    *out = d * (d * (has("missing-half") ? 1 : 0.5) + b) / (e - d * a);
    return 1;
}

static int linear_tightest(const Node *in, double *out) {
    double e = number(in, "epsilon"), delta = number(in, "delta"), d = number(in, "sensitivity");
    if (!above_zero(e) || !above_zero(d) || !probability(delta)) return 0;
    double level = -natural(delta) * (has("missing-2") ? 2 : 1), root = sqrt(level);
    out[0] = e * root / (sqrt(level + e) + root) / d; /* sqrt(level^2 + level e) - level, without the difference */
    out[1] = level / (2 * out[0]);
    out[2] = out[1] / out[0];
    return 1;
}

static double mixture(double rho, double delta, double d, double t) {
    double level = (has("missing-2") ? 1 : 2) * (natural(1 + t / rho) / 2 - natural(delta));
    if (t < rho && !has("log10")) level = (has("missing-2") ? 1 : 2) * (log1p(t / rho) / 2 - log(delta));
    return d / t * (d / 2 + sqrt((t + rho) * level));
}

static int mixture_boundary(const Node *in, double *out) {
    double rho = number(in, "rho"), delta = number(in, "delta"), d = number(in, "sensitivity"), t = number(in, "time");
    if (!above_zero(rho) || !above_zero(d) || !above_zero(t) || !probability(delta)) return 0;
    *out = mixture(rho, delta, d, t);
    return 1;
}

static int mixture_inverse(const Node *in, double *out) {
    double rho = number(in, "rho"), delta = number(in, "delta"), d = number(in, "sensitivity");
    double e = number(in, "epsilon"), low, high;
    if (!above_zero(rho) || !above_zero(d) || !above_zero(e) || !probability(delta)) return 0;
    low = high = d * (d / (2 * e)); /* below the root, since the boundary exceeds d^2/2t */
    for (int i = 0; i < 2000 && mixture(rho, delta, d, high) > e; i++) high *= 4;
    for (int i = 0; i < 200; i++) { /* bisection of the logarithm */
        double middle = sqrt(low) * sqrt(high);
        if (mixture(rho, delta, d, middle) > e) low = middle;
        else high = middle;
    }
    *out = low;
    return 1;
}

static int mixture_tightest(const Node *in, double *out) {
    double e = number(in, "epsilon"), delta = number(in, "delta"), d = number(in, "sensitivity");
    if (!above_zero(e) || !above_zero(d) || !probability(delta)) return 0;
    /* w - 1 = v > 0 solves v - log(1 + v) = 2 log(1/delta): Lambert's W_{-1} without forming delta^2 */
    double u = -2 * natural(delta), v = sqrt(2 * u) + u;
    if (u < 0.01) { /* there v - log1p(v) cancels: its series instead */
        for (int i = 0; i < 60; i++) {
            double series = 0, power = 1;
            for (int k = 2; k < 40; k++) series += (power *= (k == 2 ? 1 : -v)) / k;
            v = sqrt(u / series);
        }
    } else
        for (int i = 0; i < 60; i++) v -= (v - log1p(v) - u) * (1 + v) / v;
    out[1] = d * (sqrt(1 + v) + sqrt(1 + v + 2 * e)) / (2 * e);
    out[1] *= out[1];
    out[0] = out[1] / v;
    return 1;
}

static int brownian_moments(const Node *in, double *out) {
    double s = number(in, "s"), t = number(in, "t"), given = number(in, "given");
    if (!ordered(s, t) || !isfinite(given)) return 0;
    out[0] = given * (s / t);
    out[1] = s * ((t - s) / t);
    if (has("sd-for-variance")) out[1] = sqrt(out[1]);
    return 1;
}

static int brownian_cdf(const Node *in, double *out) {
    double moments[2], x = number(in, "x");
    if (!brownian_moments(in, moments) || !isfinite(x)) return 0;
    if (moments[1] == 0) out[0] = x >= moments[0], out[1] = x < moments[0];
    else {
        double z = (x - moments[0]) / sqrt(moments[1]) / sqrt(2);
        out[0] = erfc(-z) / 2;
        out[1] = erfc(z) / 2;
    }
    return 1;
}

static int laplace_tie(const Node *in, double *out) {
    double s = number(in, "s"), t = number(in, "t");
    if (!ordered(s, t)) return 0;
    *out = has("atom-s-over-t") ? s / t : (s / t) * (s / t);
    return 1;
}

static int laplace_atom(const Node *in, double *out) {
    double s = number(in, "s"), t = number(in, "t"), given = number(in, "given");
    if (!ordered(s, t) || !isfinite(given)) return 0;
    *out = s / t * (has("atom-s-over-t") ? 1 : exp(-fabs(given) / s * ((t - s) / t)));
    return 1;
}

static int laplace_cdf(const Node *in, double *out) {
    double s = number(in, "s"), t = number(in, "t"), given = number(in, "given"), x = number(in, "x");
    if (!ordered(s, t) || !isfinite(given) || !isfinite(x)) return 0;
    int mirrored = given < 0;
    double z = fabs(given), y = mirrored ? -x : x, outside = (t - s) / (2 * t), inside = (t + s) / (2 * t);
    double below, below_left, above, above_left; /* P(<= y), P(< y), P(> y), P(>= y) where given >= 0 */
    if (y < 0) {
        below = below_left = outside * exp(y / s * ((t + s) / t));
        above = above_left = 1 - below;
    } else {
        double between = inside * exp(-y / s * ((t - s) / t));
        double beyond = outside * exp(-z / s * ((t - s) / t) - (y - z) / s * ((t + s) / t));
        above = y < z ? between : beyond;
        above_left = y <= z ? between : beyond;
        /* 1 - inside*exp(-k) = outside - inside*expm1(-k), which does not cancel near 0 */
        double middle = outside - inside * expm1(-y / s * ((t - s) / t));
        below = y < z ? middle : 1 - beyond;
        below_left = y <= z ? middle : 1 - beyond;
    }
    out[0] = mirrored ? above_left : below;
    out[1] = mirrored ? above : below_left;
    out[2] = mirrored ? below_left : above;
    if (has("left-limit")) out[1] = out[0];
    return 1;
}

static int worst_loss(const Node *in, double *out) {
    double e[MANY], sum = 0;
    int n = list(in, "epsilons", e, MANY);
    if (n == 0) return has("unchecked");
    for (int i = 0; i < n; i++) {
        if (!above_zero(e[i]) || (i && e[i] < e[i - 1] && !has("unchecked"))) return 0;
        sum += e[i];
    }
    *out = fmin(e[n - 1], sum / (has("half-for-quarter") ? 2 : 4));
    return 1;
}

static int margin_tail(const Node *in, double *out) {
    double eta = number(in, "eta"), e = number(in, "epsilon"), d = number(in, "sensitivity");
    if (!above_zero(e) || !above_zero(d) || !isfinite(eta)) return 0;
    double q = exp(-fabs(eta) * (e / (4 * d))), tail = q * (4 - q) / 6;
    *out = eta < 0 ? 1 - tail : tail;
    return 1;
}

static const struct {
    const char *name;
    int (*compute)(const Node *inputs, double *outputs);
} functions[] = {
    {"brownian-loss", brownian_loss},
    {"laplace-loss", laplace_loss},
    {"linear-boundary", linear_boundary},
    {"linear-inverse", linear_inverse},
    {"linear-tightest", linear_tightest},
    {"mixture-boundary", mixture_boundary},
    {"mixture-inverse", mixture_inverse},
    {"mixture-tightest", mixture_tightest},
    {"brownian-bridge-moments", brownian_moments},
    {"brownian-bridge-cdf", brownian_cdf},
    {"laplace-tie", laplace_tie},
    {"laplace-bridge-atom", laplace_atom},
    {"laplace-bridge-cdf", laplace_cdf},
    {"threshold-worst-loss", worst_loss},
    {"threshold-margin-tail", margin_tail},
};

/* ---- the comparison ---- */

static int passes(const Node *one, int (*compute)(const Node *, double *)) {
    double outputs[8] = {0};
    int answered = compute(get(one, "inputs"), outputs), i = 0;
    if (!strcmp(get(one, "result")->text, "invalid")) return !answered;
    if (!answered) return 0;
    for (Node *expected = get(one, "outputs")->child; expected; expected = expected->next, i++) {
        double value = number(expected, "value");
        double allowed = number(expected, "tolerance") * fabs(value) + number(expected, "radius");
        if (!(fabs(outputs[i] - value) <= allowed)) return 0; /* NaN fails too */
    }
    return 1;
}

static Node *read_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    long length = ftell(file);
    char *text = calloc((size_t)length + 1, 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) exit(2);
    fclose(file);
    at = text;
    return parse();
}

int main(int argc, char **argv) {
    if (argc != 2 && !(argc == 4 && !strcmp(argv[2], "--bug"))) {
        fprintf(stderr, "usage: %s DIR [--bug NAME]\n", argv[0]);
        return 2;
    }
    if (argc == 4) bug = argv[3];
    int failed = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        Node *file = read_file(argv[1], functions[i].name), *cases = get(file, "cases");
        int total = 0, wrong = 0;
        char names[1024] = "";
        for (Node *one = cases ? cases->child : NULL; one; one = one->next, total++) {
            if (passes(one, functions[i].compute)) continue;
            wrong++;
            if (strlen(names) < 900) strcat(strcat(names, " "), get(one, "id")->text);
        }
        printf("%s %s %d/%d%s\n", wrong || !total ? "FAIL" : "pass", functions[i].name, total - wrong, total, names);
        failed += wrong || !total;
    }
    if (*bug && !planted) {
        fprintf(stderr, "no function here has a bug \"%s\"\n", bug);
        return 2;
    }
    return failed > 0;
}
