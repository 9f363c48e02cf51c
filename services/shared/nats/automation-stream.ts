import { DiscardPolicy, type JetStreamManager, type NatsConnection, nanos, RetentionPolicy, StorageType } from "nats";
import { dayMs } from "../time/day.ts";
import { differs, found } from "./event-stream.ts";

/** The stream of automation events, for consumers inside the cluster. */
export const automationStreamName = "AUTOMATION";

// JetStream drops a second copy of an event that is published within this time after the first. The registry publishes
// an event again if it stops before deleting the event from its outbox.
const duplicateWindowMs = 10 * 60_000;

/** The replication and the limits of the stream. */
export interface AutomationLimits {
  /** Copies of each message: 1, 3 or 5. */
  readonly replicas: number;
  readonly retentionDays: number;
  readonly bytesMax: number;
}

/** Returns the subject of an automation event: `automation.<store>.<event>`. @param name the event's public name */
export function automationSubject(storeId: string, name: string): string {
  return `automation.${storeId}.${name}`;
}

/** Returns the wildcard subject that matches all automation events of a store. */
export function automationSubjectsOf(storeId: string): string {
  return `automation.${storeId}.>`;
}

/**
 * Creates the stream, or updates it if its configuration differs. A stream that reaches a limit deletes its oldest
 * events, so that a consumer that is slow or missing never delays the others.
 */
export async function ensureAutomationStream(manager: JetStreamManager, limits: AutomationLimits): Promise<void> {
  const config = {
    name: automationStreamName,
    subjects: ["automation.>"],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    num_replicas: limits.replicas,
    max_age: nanos(limits.retentionDays * dayMs),
    max_bytes: limits.bytesMax,
    duplicate_window: nanos(duplicateWindowMs),
  };
  const existing = await found(() => manager.streams.info(automationStreamName));
  if (existing === undefined) await manager.streams.add(config);
  else if (differs(existing.config, config)) await manager.streams.update(automationStreamName, config);
}

/** Returns whether the stream exists. @throws NatsError if JetStream does not respond */
export async function hasAutomationStream(connection: NatsConnection): Promise<boolean> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  return (await found(() => manager.streams.info(automationStreamName))) !== undefined;
}
