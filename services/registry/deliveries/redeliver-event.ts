import { ServiceError } from "#shared/errors/service-error.ts";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { idempotent } from "../certificates/idempotent.ts";
import type { Change } from "../certificates/ledger.ts";
import { type Refusal, unwrap } from "../certificates/refusal.ts";
import { newId } from "../values/identifiers.ts";
import { noWebhook, type SendRequest } from "./send-test-message.ts";

/** What {@link redeliverEvent} works with. */
export interface RedeliverEventDeps {
  readonly queue: CommitQueue;
  readonly lookup: Pick<CertificateLookup, "findEvent">;
  readonly isUnsettled: (eventId: string) => Promise<boolean>;
}

/** What has an id like an event's and is none, by the id's beginning, and what to do instead of sending it again. */
const noEvents = new Map([
  ["tst_", "A test message cannot be sent again: send another one (certctl webhook test)."],
  [
    "agn_",
    "A repetition cannot be sent again: send its event again, by the id that begins with evt_ (certctl certificate history).",
  ],
]);

/**
 * Sends an event again because a person wishes it; nothing else ever does (INTERFACE.md §6, rule 2). The
 * message shows the certificate as it is now: a receiver keeps what came last, so an old state would undo newer ones.
 *
 * @returns the delivery's id, not the event's
 * @throws ServiceError `bad_request` for the id of what a person wished to be sent, `not_found`, `failed_precondition` while the store has no webhook or the event is not settled
 */
export async function redeliverEvent(
  deps: RedeliverEventDeps,
  wish: SendRequest & { readonly eventId: string },
): Promise<string> {
  const { storeId, eventId, idempotencyKey, actor } = wish;
  const noEvent = noEvents.get(eventId.slice(0, 4));
  if (noEvent !== undefined) throw new ServiceError("bad_request", noEvent, { field: "event_id" });
  const event = await deps.lookup.findEvent(storeId, eventId);
  const isUnsettled = await deps.isUnsettled(eventId);
  const { certificateId, type, occurredAt } = event;
  const change: Change<string | Refusal> = {
    needs: { certificateIds: [certificateId] },
    maxTimestamps: 1,
    maxSerials: 0,
    decide: (draft) => {
      const certificate = draft.certificate(certificateId);
      if (certificate === undefined)
        return { refused: "not_found", message: "There is no such certificate." };
      if (!draft.store.hasWebhook) return noWebhook;
      const message = "The event itself is not settled yet.";
      if (isUnsettled) return { refused: "failed_precondition", message };
      const id = newId("agn");
      draft.send({ id, type, occurredAt, certificate, requestedBy: actor });
      return id;
    },
  };
  return unwrap(
    await deps.queue.submit(storeId, idempotent(idempotencyKey, ["send again", eventId], change)),
  );
}
