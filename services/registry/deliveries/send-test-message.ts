import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Certificate } from "../certificates/certificate.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import { type Refusal, unwrap } from "../certificates/refusal.ts";
import { newId } from "../values/identifiers.ts";

/** Who wishes a message to be sent, for which store. */
export interface SendRequest {
  readonly storeId: string;
  /** Empty: the message is sent each time. */
  readonly idempotencyKey: string;
  readonly actor: string;
}

/** Refuses what would go nowhere. */
export const noWebhook: Refusal = { refused: "failed_precondition", message: "No webhook URL is set." };

/**
 * Sends a message about a sample certificate, on the way that every message goes. The sample is made for it and kept
 * nowhere: no list shows it, and its serial number is none.
 *
 * @returns the delivery's id
 * @throws ServiceError `not_found`, `failed_precondition` while the store has no webhook
 */
export async function sendTestMessage(queue: CommitQueue, wish: SendRequest): Promise<string> {
  const { storeId, idempotencyKey, actor } = wish;
  const change: Change<string | Refusal> = {
    needs: {},
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      if (!draft.store.hasWebhook) return noWebhook;
      const id = newId("tst");
      const certificate = sample(storeId, draft.now);
      draft.send({ id, type: EventType.ISSUED, occurredAt: draft.now, certificate, requestedBy: actor });
      return id;
    },
  };
  return unwrap(await queue.submit(storeId, idempotent(idempotencyKey, ["send test"], change)));
}

function sample(storeId: string, now: Date): Certificate {
  const owner = { name: "Sample Owner", email: "sample@example.com" };
  return {
    id: newId("smp"),
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
  };
}
