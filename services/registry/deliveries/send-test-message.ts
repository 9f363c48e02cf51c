import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import type { Certificate } from "../certificates/certificate.ts";
import type { CertificateRequest } from "../certificates/change-certificate.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import type { Refusal } from "../certificates/refusal.ts";
import { newId } from "../values/identifiers.ts";

/** A request to send a message manually. The delivery log shows the request's actor. */
export type SendRequest = Omit<CertificateRequest, "certificateId">;

/** The refusal of a manual send for a store without a webhook. */
export const noWebhook: Refusal = {
  refused: "failed_precondition",
  reason: reason("no_webhook_url"),
};

/**
 * Sends a test message through the outbox, like an event's message. The sample certificate in it has the serial
 * number 0, exists only in the message and appears in no list.
 *
 * @returns the delivery's id, which begins with `tst_`
 * @throws ServiceError `bad_request` for an invalid idempotency key; `conflict` for a key used for a different request;
 *   `not_found` for an unknown store; `failed_precondition` if the store has no webhook
 */
export async function sendTestMessage(queue: ChangeQueue, request: SendRequest): Promise<string> {
  const { storeId, idempotencyKey, actor } = request;
  const change: Change<string | Refusal> = {
    needs: {},
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      if (!draft.store.hasWebhook) return noWebhook;
      const id = newId("tst");
      const certificate = testCertificate(storeId, draft.now);
      draft.send({ id, type: EventType.ISSUED, occurredAt: draft.now, certificate, requestedBy: actor });
      return id;
    },
  };
  // Stored fingerprints include this content, so it must not change.
  return queue.submit(storeId, idempotent(idempotencyKey, ["send test"], change));
}

/** Creates the sample certificate for a test message. */
export function testCertificate(storeId: string, now: Date): Certificate {
  const id = newId("smp");
  const owner = { name: "Sample Owner", email: "sample@example.com" };
  return {
    id,
    linkToken: id,
    storeId,
    serial: 0,
    status: "active",
    product: { id: "", title: "Sample product", variant: "", sku: "" },
    edition: { number: 1, total: 100 },
    order: null,
    owner,
    originalBuyer: owner,
    issuedAt: now,
    updatedAt: now,
    expiresAt: null,
    revokedAt: null,
    revokedReason: null,
    verifiedAt: null,
    issueKey: null,
    wasWithdrawn: false,
  };
}
