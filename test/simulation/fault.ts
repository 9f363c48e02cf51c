import type { SeededRandom } from "../harness/seeded-random.ts";
import type { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import { replicationUsualMs } from "./world/network.ts";
import type { World, WorldProcess } from "./world/world.ts";

/** Something that goes wrong in a history. */
export interface Fault<History> {
  readonly words: string;
  /** @param random choices of the history, which do not depend on what it does */
  readonly cause: (history: History, random: SeededRandom) => void;
}

/** When faults happen. */
interface FaultTimes {
  readonly durationMs: number;
  /** The pause between two faults: at least, and how much longer at most. */
  readonly pauseMs: readonly [number, number];
}

/** Causes random ones of the possible faults, or of those that the focus names, each as far as the script permits. */
export async function causeFaults<History extends SimulatedWorld & { readonly script: HistoryScript }>(
  history: History,
  possible: readonly Fault<History>[],
  { durationMs, pauseMs: [leastMs, furtherMs] }: FaultTimes,
): Promise<void> {
  const { world, script } = history;
  const random = choicesOf(history, "faults");
  const focused = script.focused(possible, ({ words }) => words);
  const chosen = focused.length > 0 ? focused : possible;
  const endsAtMs = world.now() + durationMs;
  for (let count = 1; world.now() < endsAtMs; count++) {
    await world.delay(leastMs + random.below(furtherMs));
    const { words, cause } = random.pick(chosen);
    const choices = choicesOf(history, `fault ${count}`);
    if (script.happens(`fault ${count}`, world.now(), words)) cause(history, choices);
  }
}

const hourMs = 3_600_000;
const electionMaxMs = 5_000;
const stoppedMaxMs = 12_000;

/** NATS loses its consumers, and keeps the messages: new ones deliver again what is not acknowledged. */
export const loseConsumers: Fault<SimulatedWorld> = {
  words: "NATS loses its consumers",
  cause: ({ nats }) => nats.jetStream.loseConsumers(),
};

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

/** The primary of the database fails over. */
export const failOver: Fault<SimulatedWorld> = {
  words: "the primary fails over",
  cause: ({ server }) => server.failOver(),
};

/** The primary fails over while the other members are up to a second behind. */
export const failOverBehind: Fault<SimulatedWorld> = {
  words: "the primary fails over while the other members are behind",
  cause: ({ world, server, network }, random) => {
    network.replicationMaxMs = 1_000;
    world.schedule(random.below(3_000), () => {
      server.failOver();
      network.replicationMaxMs = replicationUsualMs;
    });
  },
};

export const setClockBack: Fault<SimulatedWorld> = {
  words: "the database's clock is set back by up to an hour",
  cause: ({ wrong }, random) => {
    wrong.databaseMs -= random.below(random.chance(0.5) ? hourMs : 2_000);
  },
};

/** As by a failover to a member whose clock is ahead. */
export const setClockForward: Fault<SimulatedWorld> = {
  words: "the database's clock is set forward by up to an hour",
  cause: ({ world, wrong }, random) => {
    wrong.databaseMs += random.below(random.chance(0.5) ? hourMs : 2_000);
    wrong.setForwardAtMs.push(world.now());
  },
};

/** Returns whether a window that the database measures is shorter, because its clock is set forward meanwhile. */
export function isShortened({ wrong }: Pick<SimulatedWorld, "wrong">, fromMs: number, windowMs: number): boolean {
  return wrong.setForwardAtMs.some((atMs) => atMs >= fromMs && atMs < fromMs + windowMs);
}

/** Pauses a process for a while. */
export function pauseFor(world: World, process: WorldProcess, durationMs: number): void {
  world.pause(process);
  world.schedule(durationMs, () => world.resume(process));
}
