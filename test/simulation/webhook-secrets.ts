import { ServiceError } from "#shared/errors/service-error.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { systemClock } from "#shared/time/clock.ts";
import { MongoWebhooks } from "../../services/registry/mongo/deliveries/mongo-webhooks.ts";
import type { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import type { SimulatedReceivers } from "./simulated-receivers.ts";
import { simulatedBox } from "./simulated-replica.ts";
import { storeHistoryOf } from "./simulated-store.ts";
import { untilKnown } from "./until-known.ts";

/** As in deploy/receivers/README.md: from the beginning of a rotation until a receiver may use the new secret alone. */
const overlapMs = 60_000;
const earlyMaxMs = 20_000;
const changeMaxMs = 25_000;
const stepMaxMs = 30_000;

/** What the focus of a directed history with a rotation names. */
export const rotatesSecret = "the signing secret is rotated";

interface RotationHistory extends SimulatedWorld {
  readonly script: HistoryScript;
  readonly receivers: SimulatedReceivers;
}

/**
 * Signs the messages of a store, and begins to rotate its secret, as an administrator does whose receiver supports one
 * secret.
 *
 * @returns a function that makes the further steps, and returns after the last one
 */
export async function beginRotation(
  history: RotationHistory,
  { id, host }: { readonly id: string; readonly host: string },
): Promise<() => Promise<void>> {
  const { world, script, collections, receivers } = history;
  const random = choicesOf(history, "rotation");
  const webhooks = new MongoWebhooks(collections.stores, storeHistoryOf(history), simulatedBox, systemClock);
  const change = { action: "secret.rotated", actor: "simulation", details: {} } as const;
  const [active, next] = [generateSigningSecret(), generateSigningSecret()];
  await webhooks.set(id, { url: `https://${host}/`, newSecret: active, format: null }, change);
  receivers.secrets.set(host, active);
  await webhooks.rotateSecret(id, { kind: "begin", next }, change);
  const changesAtMs = world.now() + overlapMs + random.below(changeMaxMs);
  await world.delay(overlapMs - random.below(earlyMaxMs));
  // A step that is refused has been taken by an earlier attempt.
  const isTaken = (error: unknown) =>
    (error instanceof ServiceError && error.code === "failed_precondition") || undefined;
  const take = async (kind: "switch" | "finish", afterMs: number) => {
    await world.delay(afterMs);
    const attempt = () => webhooks.rotateSecret(id, { kind }, change).then(() => true, isTaken);
    await untilKnown(world, attempt, `the step ${kind} of a rotation`);
    script.note(world.now(), `${host}: the step ${kind} of the rotation is taken`);
  };
  const changeReceiver = async () => {
    await world.delay(changesAtMs - world.now());
    receivers.secrets.set(host, next);
    script.note(world.now(), `${host} uses the new secret`);
  };
  return async () => {
    await Promise.all([changeReceiver(), take("switch", random.below(stepMaxMs))]);
    await take("finish", random.below(stepMaxMs));
  };
}
