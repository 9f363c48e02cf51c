import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { ClaimResult, DeliveryClaimSchema, SecretRole } from "#gen/registry/v1/notifier_service_pb.js";
import type { TestRegistry } from "./registry-fixture.ts";

/** Returns a claim for an event with a new id. */
export function newClaim(storeId: string): MessageInitShape<typeof DeliveryClaimSchema> {
  const eventId = `evt_${randomBytes(8).toString("hex")}`;
  return { eventId, storeId, certificateId: "crt_1", type: EventType.ISSUED };
}

/** Claims an event of the store; see {@link newClaim}. */
export async function claimOne(
  { notifier }: Pick<TestRegistry, "notifier">,
  storeId: string,
): Promise<ClaimResult | undefined> {
  const { results } = await notifier.claimDeliveries({ notifierId: "test", claims: [newClaim(storeId)] });
  return results[0];
}

/** Returns a store's active signing secret and, during a rotation, the role and value of the other secret. */
export async function signedWith(
  registry: Pick<TestRegistry, "notifier">,
  storeId: string,
): Promise<(string | SecretRole)[]> {
  const { target } = (await claimOne(registry, storeId)) ?? {};
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
  const other = target?.otherSecret;
  return [text(target?.secret), ...(other ? [other.role, text(other.secret)] : [])];
}
