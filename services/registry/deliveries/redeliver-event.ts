import { badRequest } from "#shared/errors/service-error.ts";
import { isTestId } from "#shared/events/event-fields.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { CertificateLookup, FoundEvent } from "../certificates/certificate-lookup.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import { type Refusal, unknownCertificate } from "../certificates/refusal.ts";
import type { DraftedMessage, StoreDraft } from "../certificates/store-draft.ts";
import { newId } from "../values/identifiers.ts";
import { redeliveryPrefix } from "./delivery-log.ts";
import { noWebhook, type SendRequest } from "./send-test-message.ts";

export interface RedeliverEventDeps {
  readonly queue: ChangeQueue;
  readonly lookup: Pick<CertificateLookup, "findEvent">;
  readonly isUnsettled: (eventId: string) => Promise<boolean>;
}

/** Drafts a redelivery of an event of this certificate. @returns the id of the delivery */
export function redeliver(
  draft: StoreDraft,
  { eventId, type, occurredAt }: FoundEvent,
  { certificate, requestedBy }: Pick<DraftedMessage, "certificate" | "requestedBy">,
): string {
  const id = newId("agn");
  draft.send({ id, resends: eventId, type, occurredAt, certificate, requestedBy });
  return id;
}

/**
 * Sends an event's message again on request; the service never resends a message on its own (INTERFACE.md §6, rule 2).
 * The message shows the certificate's current state, because receivers keep the state of the last message: a stale
 * state would overwrite a newer one.
 *
 * @returns the id of the new delivery, which begins with `agn_`
 * @throws ServiceError `bad_request` for the id of a manual send or an invalid idempotency key; `conflict` for a key
 *   used for a different request; `not_found` for an unknown store or event; `failed_precondition` if the store has no
 *   webhook or the event is not settled
 */
export async function redeliverEvent(
  deps: RedeliverEventDeps,
  request: SendRequest & { readonly eventId: string },
): Promise<string> {
  const { storeId, eventId, idempotencyKey, actor } = request;
  if (isTestId(eventId)) throw badRequest("event_id", reason("test_not_redeliverable"));
  if (eventId.startsWith(redeliveryPrefix)) throw badRequest("event_id", reason("redelivery_not_redeliverable"));
  const event = await deps.lookup.findEvent(storeId, eventId);
  const isUnsettled = await deps.isUnsettled(eventId);
  const { certificateId } = event;
  const change: Change<string | Refusal> = {
    needs: { certificateIds: [certificateId] },
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      const certificate = draft.certificate(certificateId);
      if (certificate === undefined) return unknownCertificate;
      if (!draft.store.hasWebhook) return noWebhook;
      if (isUnsettled) return { refused: "failed_precondition", reason: reason("event_in_delivery") };
      return redeliver(draft, event, { certificate, requestedBy: actor });
    },
  };
  // Stored fingerprints include this content, so it must not change.
  return deps.queue.submit(storeId, idempotent(idempotencyKey, ["send again", eventId], change));
}
