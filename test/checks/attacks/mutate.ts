import type { SeededRandom } from "../../harness/seeded-random.ts";

// Texts that parsers, databases and pages treat specially.
const texts = [
  "",
  " ",
  "\0",
  "\uD800",
  "\u202E",
  "🧵".repeat(50),
  "=cmd|'/C calc'!A1",
  "__proto__",
  "constructor",
  "$where",
  "a.b",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "{0,plural,",
  "%00%ff",
  "NaN",
  "-1",
  "1e999",
  "9007199254740993",
  "9999-12-31T23:59:60Z",
  "0000-00-00",
  "https://127.0.0.1:1/\n",
] as const;

/** Returns a text made from another. */
export function mutateText(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  return random.pick([
    () => random.pick(texts),
    () => text.slice(0, at) + random.pick(texts) + text.slice(at),
    () => text.slice(0, at),
    () => text.repeat(1 + random.below(50)),
    () => random.pick([",", "a", "\n", '"', "(", "[", "é"]).repeat(10 ** random.below(6)),
  ])();
}

/** Returns bytes made from others: flipped, removed, repeated or inserted. */
export function mutateBytes(bytes: Uint8Array, random: SeededRandom): Buffer {
  let mutated = Buffer.from(bytes);
  for (let change = random.below(4); change >= 0; change--) {
    const at = random.below(mutated.length + 1);
    const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)];
    mutated = random.pick([
      () => Buffer.concat([before, after.subarray(random.below(32))]),
      () => Buffer.concat([before, Buffer.alloc(10 ** random.below(5), random.below(256)), after]),
      () => Buffer.concat([before, after.subarray(0, random.below(1_000)), after]),
      () => Buffer.concat([before, Buffer.from([random.below(256), random.below(256)]), after.subarray(2)]),
      () => before,
    ])();
  }
  return mutated;
}

/** Returns a JSON value with some of its parts replaced, removed or repeated. */
export function mutateJson(value: unknown, random: SeededRandom): unknown {
  if (random.chance(0.05)) return randomJson(random);
  if (Array.isArray(value)) {
    const items: unknown[] = value.flatMap((item) => (random.chance(0.1) ? [] : [mutateJson(item, random)]));
    return random.chance(0.1) ? Array.from({ length: 10 ** random.below(5) }, () => items[0] ?? null) : items;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(() => !random.chance(0.03));
    const mutated = entries.map(([name, item]) => [
      random.chance(0.02) ? mutateText(name, random) : name,
      mutateJson(item, random),
    ]);
    return Object.fromEntries(mutated);
  }
  if (!random.chance(0.1)) return value;
  return typeof value === "string" ? mutateText(value, random) : randomJson(random);
}

function randomJson(random: SeededRandom): unknown {
  const depth = 10 ** random.below(4);
  const nested = () => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  const wide = () => Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index]));
  const value = random.pick([nested, wide, () => null, () => true, () => -1, () => 1e300, () => random.pick(texts)]);
  return value();
}
