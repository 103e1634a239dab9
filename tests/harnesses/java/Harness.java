import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A harness in Java: {@code java Harness.java brownian | brownian-fresh | threshold | threshold-fresh}.
 * The -fresh variants are wrong: noise that must be reduced, or kept, is drawn afresh.
 */
public final class Harness {
    private static boolean fresh;

    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refusal(String reason) {
            super(reason);
        }
    }

    /** A request: one flat JSON object, of which a pattern finds each field. */
    private record Request(String line) {
        String text(String key) {
            Matcher found = Pattern.compile("\"" + key + "\":(\"[^\"]*\"|\\[[^]]*]|[^,}]*)").matcher(line);
            return found.find() ? found.group(1).replaceAll("[\"\\[\\]]", "") : "";
        }

        double number(String key) {
            return Double.parseDouble(text(key));
        }

        long whole(String key) {
            return Long.parseLong(text(key));
        }

        double[] numbers(String key) {
            return Arrays.stream(text(key).split(",")).mapToDouble(Double::parseDouble).toArray();
        }
    }

    /** f(x) plus a Brownian path at times that never increase: the next noise is drawn from the bridge to 0. */
    private static final class Session {
        private final double[] value;
        private final double[] noise;
        private final Random random;
        private double time = Double.POSITIVE_INFINITY;

        Session(double[] value, long seed) {
            this.value = value;
            this.noise = new double[value.length];
            this.random = new Random(seed);
        }

        double[] release(double at) {
            if (!(at > 0 && at <= time)) {
                throw new Refusal("time " + at + " must be positive and must not increase");
            }
            boolean first = Double.isInfinite(time) || fresh;
            double kept = first ? 0 : at / time;
            double deviation = Math.sqrt(first ? at : at * (1 - at / time));
            for (int i = 0; i < noise.length && at != time; i++) {
                noise[i] = kept * noise[i] + deviation * random.nextGaussian();
            }
            time = at;
            return IntStream.range(0, value.length).mapToDouble(i -> value[i] + noise[i]).toArray();
        }
    }

    private static double laplace(Random random, double scale) {
        return scale * Math.log((1 - random.nextDouble()) / (1 - random.nextDouble()));
    }

    /** AboveThreshold: the round at which it halts, 0 for never. */
    private static int haltingRound(Request request, double[] utilities, Random random) {
        double scale = request.number("sensitivity") / request.numbers("epsilons")[0];
        double noise = laplace(random, 2 * scale);
        for (int round = 1; round <= utilities.length; round++) {
            if (fresh) {
                noise = laplace(random, 2 * scale);
            }
            if (utilities[round - 1] + laplace(random, 4 * scale) >= request.number("threshold") + noise) {
                return round;
            }
        }
        return 0;
    }

    private static String sample(Request request) {
        double[] value = request.numbers("value");
        double[] schedule = request.numbers("schedule");
        int count = (int) request.whole("sessions");
        Random seeds = new Random(request.whole("seed"));
        ByteBuffer bytes = ByteBuffer.allocate(8 * count * schedule.length * value.length);
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            Session session = new Session(value, seeds.nextLong());
            for (double at : schedule) {
                DoubleStream.of(session.release(at)).forEach(bytes::putDouble);
            }
        }
        String shape = "[" + count + "," + schedule.length + "," + value.length + "]";
        return "{\"shape\":" + shape + ",\"f64le\":\"" + Base64.getEncoder().encodeToString(bytes.array()) + "\"}";
    }

    private static String run(Request request) {
        double[] utilities = request.numbers("utilities");
        int halted = haltingRound(request, utilities, new Random(request.whole("seed")));
        int rounds = halted == 0 ? utilities.length : halted;
        return Arrays.toString(IntStream.rangeClosed(1, rounds).map(round -> round == halted ? 1 : 0).toArray());
    }

    private static String runMany(Request request) {
        double[] utilities = request.numbers("utilities");
        Random random = new Random(request.whole("seed"));
        int[] rounds = new int[(int) request.whole("runs")];
        Arrays.setAll(rounds, run -> haltingRound(request, utilities, random));
        return Arrays.toString(rounds);
    }

    private static String describe(String kind) {
        String about = "{\"protocol\":1,\"name\":\"Java " + kind + "\",\"version\":\"1\",\"language\":\"java\",";
        return about + (kind.startsWith("brownian")
            ? "\"mechanism\":\"brownian\",\"methods\":[\"open\",\"sample\"],\"encodings\":[\"json\",\"f64le\"]}"
            : "\"mechanism\":\"above-threshold\",\"methods\":[\"run\",\"run_many\"]}");
    }

    public static void main(String[] arguments) throws IOException {
        if (!arguments[0].matches("(brownian|threshold)(-fresh)?")) {
            throw new IllegalArgumentException("no kind " + arguments[0]);
        }
        fresh = arguments[0].endsWith("-fresh");
        Map<Long, Session> sessions = new HashMap<>();
        long opened = 0;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            Request request = new Request(line);
            String reply;
            try {
                String result = switch (request.text("op")) {
                    case "describe" -> describe(arguments[0]);
                    case "open" -> {
                        sessions.put(++opened, new Session(request.numbers("value"), request.whole("seed")));
                        yield "{\"session\":" + opened + "}";
                    }
                    case "release" -> Arrays.toString(
                        sessions.get(request.whole("session")).release(request.number("at")));
                    case "sample" -> sample(request);
                    case "run" -> run(request);
                    case "run_many" -> runMany(request);
                    case "close" -> {
                        sessions.remove(request.whole("session"));
                        yield "null";
                    }
                    default -> "null"; // stop
                };
                reply = "\"result\":" + result;
            } catch (Refusal refusal) {
                reply = "\"refused\":\"" + refusal.getMessage() + "\"";
            }
            System.out.println("{\"id\":" + request.whole("id") + "," + reply + "}");
            System.out.flush();
            if (request.text("op").equals("stop")) {
                return;
            }
        }
    }
}
