import { Gauge, type Registry } from "prom-client";
import type { Clock } from "#shared/time/clock.ts";
import type { RelayLoad } from "./outbox/store-windows.ts";

/** What {@link observeRelay} tells of. */
export interface ObservedRelay {
  /** What this replica's relay has in hand; undefined while another replica's relays. */
  readonly load: () => RelayLoad | undefined;
  /** When the oldest event in the outbox happened; undefined when there is none. */
  readonly oldestAt: () => Promise<Date | undefined>;
  readonly clock: Clock;
  readonly metrics: Registry;
}

// Whoever scrapes wants the rest all the same.
const oldestWithinMs = 1_000;

/** Shows how events get on, as of each scrape. Only the replica that relays asks the outbox. */
export function observeRelay({ load, oldestAt, clock, metrics }: ObservedRelay): void {
  const registers = [metrics];
  new Gauge({
    name: "registry_relay_leading",
    help: "1 in the replica that carries events to JetStream, 0 in the others.",
    registers,
    collect() {
      this.set(load() === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "registry_relay_events_out",
    help: "Events that are with JetStream and the notifiers and not settled; 0 where another replica carries them.",
    registers,
    collect() {
      this.set(load()?.inFlightCount ?? 0);
    },
  });
  new Gauge({
    name: "registry_relay_stores_waiting",
    help: "Stores with events that wait for their turn; 0 where another replica carries them.",
    registers,
    collect() {
      this.set(load()?.waitingStoreCount ?? 0);
    },
  });
  // A scrape that comes while another waits for the database costs no second read.
  let reading: Promise<Date | undefined> | undefined;
  const readOldest = () => {
    reading ??= oldestAt().finally(() => {
      reading = undefined;
    });
    return within(reading, clock);
  };
  new Gauge({
    name: "registry_outbox_oldest_age_seconds",
    help: "Age of the oldest event that is not settled, 0 when all are; absent where another replica carries them, and while it is not known.",
    registers,
    async collect() {
      this.remove();
      if (load() === undefined) return;
      try {
        const oldest = await readOldest();
        this.set(oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.getTime()) / 1_000);
      } catch {
        // Not known: the absence says so, and the database's failures are logged where they matter.
      }
    },
  });
}

/** @throws Error when the work takes too long; it goes on all the same */
async function within<T>(work: Promise<T>, clock: Clock): Promise<T> {
  const done = new AbortController();
  const late = async () => {
    await clock.sleep(oldestWithinMs, done.signal);
    throw new Error("The outbox does not answer in time");
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    done.abort();
  }
}
