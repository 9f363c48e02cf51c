import type { SeededRandom } from "../harness/seeded-random.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import type { World, WorldProcess } from "./world/world.ts";

/** Something that goes wrong in a history. */
export interface Fault<History> {
  readonly words: string;
  /** @param random choices of the history, which do not depend on what it does */
  readonly cause: (history: History, random: SeededRandom) => void;
}

const electionMaxMs = 5_000;
const stoppedMaxMs = 12_000;

/** The faults of the NATS server. */
export const natsFaults: readonly Fault<SimulatedWorld>[] = [
  { words: "NATS breaks all connections", cause: ({ nats }) => nats.disconnectAll() },
  { words: "NATS elects a leader", cause: ({ nats }, random) => nats.electLeader(random.below(electionMaxMs)) },
  { words: "NATS loses its storage", cause: ({ nats }) => nats.loseStorage() },
  {
    words: "NATS is paused",
    cause: ({ world, nats }, random) => pauseFor(world, nats.process, random.below(stoppedMaxMs)),
  },
];

/** Pauses a process for a while. */
export function pauseFor(world: World, process: WorldProcess, durationMs: number): void {
  world.pause(process);
  world.schedule(durationMs, () => world.resume(process));
}
