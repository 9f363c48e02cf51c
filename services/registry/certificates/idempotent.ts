import { createHash } from "node:crypto";
import { badRequest } from "#shared/errors/service-error.ts";
import type { Change } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";

/** Retention of the answer stored for an idempotency key, in milliseconds: 24 hours. */
export const answerLifeMs = 86_400_000;

/**
 * Makes a change idempotent: its answer is stored in the same transaction, and a retry with the same key returns the stored
 * answer and writes nothing. A change that wrote nothing stores no answer.
 *
 * @param idempotencyKey chosen by the caller; empty: the change runs each time
 * @param content the request's content; the same key with different content is refused with `conflict`
 * @param change must return a JSON-serializable result
 * @throws ServiceError `bad_request` naming `idempotency_key` when the key is malformed
 */
export function idempotent<Result>(
  idempotencyKey: string,
  content: unknown,
  change: Change<Result>,
): Change<Result | Refusal> {
  if (idempotencyKey === "") return change;
  if (!/^[\w-]{1,64}$/.test(idempotencyKey))
    throw badRequest("idempotency_key", "must be 1 to 64 letters, digits, '-' or '_'");
  const fingerprint = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
  return {
    ...change,
    needs: { ...change.needs, idempotencyKeys: [idempotencyKey] },
    decide: (draft) => {
      const first = draft.answerTo(idempotencyKey);
      if (first !== undefined) {
        if (first.fingerprint === fingerprint) return JSON.parse(first.answer) as Result;
        const message = "idempotency_key was already used for a different request";
        return { refused: "conflict", message, field: "idempotency_key" };
      }
      const eventsBefore = draft.eventCount;
      const result = change.decide(draft);
      if (draft.eventCount > eventsBefore)
        draft.answers.set(idempotencyKey, { fingerprint, answer: JSON.stringify(result) });
      return result;
    },
  };
}
