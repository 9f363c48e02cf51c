import { z } from "zod";
import { until } from "../../deploy/local/servers/until.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import type { StackReceiver } from "../harness/receiver/start-receiver.ts";

/**
 * Paths on the receiver, for the notifier's webhook messages, the baseline and workflow triggers. The receiver never
 * answers requests to `hanging`.
 */
export const paths = {
  notifier: pathOf("answers", "notifier"),
  baseline: pathOf("answers", "baseline"),
  triggers: pathOf("answers", "triggers"),
  hanging: pathOf("hangs", "notifier"),
};

/** A message that the notifier sent to the receiver. Times are Unix timestamps in milliseconds. */
interface Arrival {
  readonly certificateId: string;
  /** Time of the change. */
  readonly occurredAt: number;
  readonly arrivedAt: number;
}

const message = z.object({ occurredAt: z.iso.datetime(), certificate: z.object({ id: z.string() }) });
const arriveWithinMs = 60_000;

/** Collects the notifier's messages that arrive at a receiver. */
export function arrivalsAt(receiver: StackReceiver) {
  const connections = new Set<number>();
  let arrivals: Arrival[] = [];
  let hanging = 0;
  const read = async () => {
    for (const { connection, path, at, body } of await receiver.takeRequests()) {
      if (connections.has(connection)) throw new Error(`connection ${connection} of the receiver was reused`);
      connections.add(connection);
      if (path === paths.hanging) hanging++;
      if (path !== paths.notifier) continue;
      const { occurredAt, certificate } = message.parse(JSON.parse(body.toString("utf8")));
      const times = { occurredAt: Date.parse(occurredAt), arrivedAt: Date.parse(at) };
      arrivals.push({ certificateId: certificate.id, ...times });
    }
  };
  const readUntil = async (isEnough: () => boolean) => {
    let failure: unknown;
    await until(AbortSignal.timeout(arriveWithinMs), async () => {
      // until() would retry a failed read until the timeout; recording the error stops it immediately.
      await read().catch((error: unknown) => {
        failure = error;
      });
      return failure !== undefined || isEnough();
    });
    if (failure !== undefined) throw failure;
  };
  return {
    port: receiver.port,
    urlOf: (path: string) => `${receiver.url}${path}`,
    /**
     * Waits until at least `count` messages to {@link paths}.notifier have arrived since the last call, and returns all
     * of them. Fails when they do not arrive within a minute, or when a connection was reused: the measurements require
     * a new connection per message.
     */
    collect: async (count: number) => {
      await readUntil(() => arrivals.length >= count);
      const collected = arrivals;
      arrivals = [];
      return collected;
    },
    /** Waits for the next message to {@link paths}.hanging, and fails as {@link collect} does. */
    whenHanging: () => {
      const before = hanging;
      return readUntil(() => hanging > before);
    },
  };
}
