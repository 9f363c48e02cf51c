import { systemClock } from "#shared/time/clock.ts";
import { generateStandardSecret } from "#shared/webhook/standard-signature.ts";
import { defaultClaimLifeMs, sendWithinMs } from "../../services/registry/deliveries/claim-state.ts";
import { idIn } from "../../services/registry/mongo/documents/compound-key.ts";
import { MongoTriggers } from "../../services/registry/mongo/triggers/mongo-triggers.ts";
import { rotateTriggerSecret } from "../../services/registry/triggers/change-triggers.ts";
import type { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import { goneStatus, type ReceivedMessage, type SimulatedReceivers } from "./simulated-receivers.ts";
import { simulatedBox } from "./simulated-replica.ts";
import { storeHistoryOf } from "./simulated-store.ts";
import { untilKnown } from "./until-known.ts";

/** What the focus of a directed history with triggers names. */
export const sendsToTriggers = "events are sent to triggers, too";

const actor = "simulation";
/** Each trigger's secret is rotated, and its receiver uses the next one, within this time. */
const rotationMaxMs = 30_000;
/** A message whose first byte is sent in time arrives within this time. */
const arrivalMaxMs = 5_000;

/** A trigger of a store, with a receiver of its own. */
export interface SimulatedTrigger {
  readonly id: string;
  readonly storeId: string;
  readonly host: string;
  /** The secret that its receiver uses later, and that is the active one since before the first message. */
  readonly nextSecret: string;
}

interface TriggerWorld extends SimulatedWorld {
  readonly receivers: SimulatedReceivers;
}

/**
 * Gives two stores triggers, of which one has a receiver that fails now and then, and one a receiver that ends its
 * subscription. A secret of each has been rotated, which its receiver does not know yet.
 */
export async function createTriggers(
  history: TriggerWorld,
  stores: readonly { readonly id: string }[],
): Promise<SimulatedTrigger[]> {
  const { receivers } = history;
  const triggers = triggersOf(history);
  const created: SimulatedTrigger[] = [];
  for (const [kind, index] of [
    ["fast", 0],
    ["flaky", 1],
    ["gone", 0],
  ] as const) {
    const storeId = stores[index]?.id ?? "";
    const host = receivers.start(kind);
    const secret = generateStandardSecret();
    const trigger = { url: `https://${host}/`, format: "cloudevents", events: [], secret } as const;
    const change = { action: "trigger.created", actor, details: {} } as const;
    const { id } = await triggers.create(storeId, trigger, change);
    receivers.secrets.set(host, secret);
    const rotated = await rotateTriggerSecret({ triggers, clock: systemClock }, { storeId, triggerId: id, actor });
    created.push({ id, storeId, host, nextSecret: rotated.secret });
  }
  return created;
}

function triggersOf(world: SimulatedWorld): MongoTriggers {
  const { collections } = world;
  return new MongoTriggers({ collections, history: storeHistoryOf(world), box: simulatedBox, clock: systemClock });
}

/**
 * Rotates the secret of a trigger once more, while its receiver, which supports one secret, begins to use the one
 * before that.
 */
export async function rotateSecrets(
  history: TriggerWorld & { readonly script: HistoryScript },
  { id: triggerId, storeId, host, nextSecret }: SimulatedTrigger,
): Promise<void> {
  const { world, script, receivers } = history;
  const random = choicesOf(history, `rotation of ${host}`);
  const change = async () => {
    await world.delay(random.below(rotationMaxMs));
    if (!script.happens(`secret of ${host}`, world.now(), `${host} uses the next secret`)) return;
    receivers.secrets.set(host, nextSecret);
  };
  const rotate = async () => {
    await world.delay(random.below(rotationMaxMs));
    if (!script.happens(`rotation of ${host}`, world.now(), `the secret of ${host} is rotated`)) return;
    const deps = { triggers: triggersOf(history), clock: systemClock };
    // Each attempt replaces the secret of an earlier one that has succeeded; a trigger keeps more of them.
    const attempt = () => rotateTriggerSecret(deps, { storeId, triggerId, actor }).catch(() => undefined);
    await untilKnown(world, attempt, `a rotation of the secret of ${host}`);
  };
  await Promise.all([change(), rotate()]);
}

/** Returns the number of events that wait for a trigger that is not disabled. */
export async function countWaiting({ collections }: SimulatedWorld): Promise<number> {
  const disabled = await collections.triggers.find({ disabled: { $ne: null } }).toArray();
  const trigger = { $nin: disabled.map(({ _id }) => _id) };
  return collections.triggerDeliveries.countDocuments({ state: "waiting", trigger });
}

/** Judges what the receivers of triggers got, once nothing waits. @returns what is wrong */
export async function judgeTriggers(history: TriggerWorld, triggers: readonly SimulatedTrigger[]): Promise<string[]> {
  const { collections, receivers } = history;
  const problems: string[] = [];
  for (const { id, storeId, host } of triggers) {
    const changes = await collections.history.find({ store: storeId }).sort({ at: 1 }).toArray();
    const received = receivers.received.get(host) ?? [];
    const isGone = received.some(({ status }) => status === goneStatus);
    const lanes = Map.groupBy(changes, ({ certificate }) => certificate);
    const found = [
      ...(isGone ? await problemsOfGone(history, id, received) : notAccepted(changes, received)),
      ...received.flatMap(({ eventId, isTrusted }) =>
        isTrusted ? [] : [`${eventId} is not signed with its receiver's secret`],
      ),
      ...Array.from(lanes.values()).flatMap((lane) =>
        overtaken(
          lane.map(({ _id }) => _id),
          received,
        ).map((eventId) => `${eventId} is sent after a later change of its certificate`),
      ),
    ];
    problems.push(...found.map((problem) => `${host}: ${problem}`));
  }
  return problems;
}

function notAccepted(changes: readonly { readonly _id: string }[], received: readonly ReceivedMessage[]): string[] {
  const accepted = new Set(received.flatMap(({ eventId, status = 0 }) => (isSuccess(status) ? eventId : [])));
  return changes.flatMap(({ _id }) => (accepted.has(_id) ? [] : [`${_id} was never accepted`]));
}

/**
 * Judges a trigger whose receiver has answered 410: it is disabled, no message is sent once the leases of that time
 * have ended, and each of its events was accepted, refused with 410, or waits until the trigger is enabled.
 */
async function problemsOfGone(
  { collections }: SimulatedWorld,
  id: string,
  received: readonly ReceivedMessage[],
): Promise<string[]> {
  const disabled = (await collections.triggers.findOne({ _id: id }))?.disabled;
  if (disabled?.cause !== "gone") return [`it answered ${goneStatus}, but its trigger is not disabled`];
  const endsAtMs = disabled.at.getTime() + sendWithinMs(defaultClaimLifeMs) + arrivalMaxMs;
  const entries = await collections.triggerDeliveries.find({ trigger: id }).toArray();
  return [
    ...received.flatMap(({ eventId, atMs }) => (atMs > endsAtMs ? [`${eventId} is sent to a disabled trigger`] : [])),
    ...entries.flatMap(({ _id, state }) => {
      const statuses = received.flatMap(({ eventId, status }) => (idIn(_id) === eventId ? status : []));
      const isRight = state === "waiting" || statuses.includes(state === "delivered" ? 200 : goneStatus);
      return isRight ? [] : [`${_id} is ${state}, but its receiver answered ${statuses}`];
    }),
  ];
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
