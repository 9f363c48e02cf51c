import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Certificate } from "../certificates/certificate.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import type { Change } from "../certificates/ledger.ts";
import type { Refusal } from "../certificates/refusal.ts";
import { testCertificate } from "../deliveries/send-test-message.ts";
import { newId } from "../values/identifiers.ts";
import type { ListenToken } from "./listen-tokens.ts";

/**
 * Sends a message about a sample certificate to a token's listeners. Like every test message, it has an id that begins
 * with `tst_`, and the sample exists only in the message.
 *
 * @returns the message's id
 */
export function sendSample(queue: ChangeQueue, token: ListenToken, type: EventType): Promise<string> {
  const { storeId, id: listener, createdBy } = token;
  const change: Change<string | Refusal> = {
    needs: {},
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      const id = newId("tst");
      const certificate = sampleAfter(type, testCertificate(storeId, draft.now));
      draft.send({ id, type, occurredAt: draft.now, certificate, requestedBy: createdBy, listener });
      return id;
    },
  };
  return queue.submit(storeId, change);
}

/** Returns the sample in the state in which an event leaves a certificate. */
function sampleAfter(type: EventType, sample: Certificate): Certificate {
  const { updatedAt } = sample;
  switch (type) {
    case EventType.VERIFIED:
      return { ...sample, verifiedAt: updatedAt };
    case EventType.TRANSFERRED:
      return { ...sample, owner: { name: "New Sample Owner", email: "new-sample@example.com" } };
    case EventType.REVOKED:
      return { ...sample, status: "revoked", revokedAt: updatedAt, revokedReason: "Refund" };
    default:
      return sample;
  }
}
