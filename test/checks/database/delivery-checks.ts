import { randomBytes } from "node:crypto";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { MongoDeliveries } from "../../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { createSecretBox } from "../../../services/registry/secrets/secret-box.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { type DatabaseCheck, passedUnless } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";

const claims = 50;
const outcome = { httpStatus: 200, durationMs: 1, reason: null, phases: {}, remoteAddress: "", replyExcerpt: "" };

/** Checks of the guarantees on which at-most-once delivery relies. */
export const deliveryChecks: readonly DatabaseCheck[] = [
  {
    name: `only one of ${claims} concurrent claims of an event is granted, and the first outcome is final`,
    remedy: "Report this output with the server's version: an event could be sent twice.",
    run: async (rig) => passedUnless(await compareClaims(rig), "1 granted, 1 outcome"),
  },
];

async function compareClaims({ collections, createStore }: DatabaseRig): Promise<string[]> {
  const deliveries = new MongoDeliveries({
    collections,
    // Unused: this check reads no webhook, so there is no secret to open.
    box: createSecretBox([randomBytes(32)]),
    clock: systemClock,
    onSettled: () => undefined,
    onRecorded: () => undefined,
  });
  const storeId = await createStore();
  const eventId = newId("evt");
  const event = { eventId, storeId, certificateId: newId("crt"), type: EventType.ISSUED };
  const attempt = async (index: number) => {
    const request = { ...event, requestedBy: "", queuedAt: undefined, attemptToken: String(index) };
    const origin = { claimedBy: `notifier ${index}`, claimedAt: new Date(systemClock.now()) };
    return (await deliveries.claim([request], origin))[0]?.isNew === true;
  };
  const granted = await Promise.all(Array.from({ length: claims }, (_, index) => attempt(index)));
  const grantedCount = granted.filter(Boolean).length;
  await deliveries.settle([{ ...outcome, eventId, kind: "delivered" }]);
  await deliveries.settle([{ ...outcome, eventId, kind: "refused" }]);
  const stored = await collections.deliveries.findOne({ _id: eventId });
  return [
    ...(grantedCount === 1 ? [] : [`${grantedCount} claims were granted`]),
    ...(stored?.outcome?.kind === "delivered" ? [] : [`the outcome is ${stored?.outcome?.kind}`]),
  ];
}
