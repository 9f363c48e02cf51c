import { systemClock } from "#shared/time/clock.ts";
import { generateStandardSecret } from "#shared/webhook/standard-signature.ts";
import { MongoTriggers } from "../../services/registry/mongo/triggers/mongo-triggers.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import type { ReceivedMessage, SimulatedReceivers } from "./simulated-receivers.ts";
import { simulatedBox } from "./simulated-replica.ts";
import { storeHistoryOf } from "./simulated-store.ts";

/** What the focus of a directed history with triggers names. */
export const sendsToTriggers = "events are sent to triggers, too";

/** A trigger of a store, with a receiver of its own. */
export interface SimulatedTrigger {
  readonly storeId: string;
  readonly host: string;
}

type TriggerWorld = Pick<SimulatedWorld, "client" | "collections"> & { readonly receivers: SimulatedReceivers };

/** Gives each of two stores a trigger, of which one has a receiver that fails now and then. */
export async function createTriggers(
  world: TriggerWorld,
  stores: readonly { readonly id: string }[],
): Promise<SimulatedTrigger[]> {
  const { collections, receivers } = world;
  const history = storeHistoryOf(world);
  const triggers = new MongoTriggers({ collections, history, box: simulatedBox, clock: systemClock });
  const created: SimulatedTrigger[] = [];
  for (const kind of ["fast", "flaky"] as const) {
    const storeId = stores[created.length]?.id ?? "";
    const host = receivers.start(kind);
    const trigger = { url: `https://${host}/`, format: "cloudevents", events: [] } as const;
    const change = { action: "trigger.created", actor: "simulation", details: {} } as const;
    await triggers.create(storeId, { ...trigger, secret: generateStandardSecret() }, change);
    created.push({ storeId, host });
  }
  return created;
}

/** Judges what the receivers of triggers got, once nothing waits. @returns what is wrong */
export async function judgeTriggers(
  { collections, receivers }: TriggerWorld,
  triggers: readonly SimulatedTrigger[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { storeId, host } of triggers) {
    const changes = await collections.history.find({ store: storeId }).sort({ at: 1 }).toArray();
    const received = receivers.received.get(host) ?? [];
    const accepted = new Set(received.flatMap(({ eventId, status = 0 }) => (isSuccess(status) ? eventId : [])));
    const lanes = Map.groupBy(changes, ({ certificate }) => certificate);
    problems.push(
      ...changes.flatMap(({ _id }) => (accepted.has(_id) ? [] : [`${host}: ${_id} was never accepted`])),
      ...Array.from(lanes.values()).flatMap((lane) =>
        overtaken(
          lane.map(({ _id }) => _id),
          received,
        ).map((eventId) => `${host}: ${eventId} is sent after a later change of its certificate`),
      ),
    );
  }
  return problems;
}

/** Returns the events of a certificate, in order, that are received after a later one; each may be received again. */
function overtaken(eventIds: readonly string[], received: readonly ReceivedMessage[]): string[] {
  let latest = 0;
  return received.flatMap(({ eventId }) => {
    const position = eventIds.indexOf(eventId);
    const isLate = position >= 0 && position < latest;
    latest = Math.max(latest, position);
    return isLate ? [eventId] : [];
  });
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
