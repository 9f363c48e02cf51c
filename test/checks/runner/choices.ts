import { createHash } from "node:crypto";
import { type SeededRandom, seededRandom } from "../../harness/seeded-random.ts";

/** The random choices of one actor of a run. They depend on the seed and its name, not on what the others do. */
export function choicesOf(seed: number, actor: string): SeededRandom {
  return seededRandom(createHash("sha256").update(`${seed}/${actor}`).digest().readUInt32BE(0));
}

/** The values in a random order. */
export function shuffled<Value>(values: readonly Value[], random: SeededRandom): Value[] {
  const rest = [...values];
  return values.flatMap(() => rest.splice(random.below(rest.length), 1));
}
