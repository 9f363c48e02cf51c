import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { changeCertificate } from "./change-certificate.ts";
import type { ChangeQueue } from "./commit-queue.ts";

/**
 * Records that a certificate's verification page was opened. Only the first opening publishes an event, even when
 * several requests arrive at the same time (INTERFACE.md §6).
 *
 * @returns whether this was the first opening
 * @throws ServiceError `not_found` for an unknown certificate
 */
export async function recordVerification(queue: ChangeQueue, storeId: string, certificateId: string): Promise<boolean> {
  const change = changeCertificate({
    certificateId,
    operation: "verify",
    event: EventType.VERIFIED,
    origin: { cause: "verification_page", actor: "buyer" },
    isDone: ({ verifiedAt }) => verifiedAt !== null,
    fields: (updatedAt) => ({ verifiedAt: updatedAt }),
    answer: (_, isChanged) => isChanged,
  });
  return queue.submit(storeId, change);
}
