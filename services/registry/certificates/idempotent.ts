import { createHash } from "node:crypto";
import { badRequest } from "#shared/errors/service-error.ts";
import type { Change } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";

/** How long a first answer is remembered, in milliseconds: 24 hours. */
export const answerLifeMs = 86_400_000;

/**
 * A change that is made once however often it is asked for: the first answer is kept with it, in its transaction, and a
 * repeated request gets that answer and writes nothing. Only what wrote something is kept.
 *
 * @param idempotencyKey chosen by the caller; empty: the change is made each time
 * @param content what is asked for; a repetition with another content is refused with `conflict`
 * @param change its result must survive JSON
 * @throws ServiceError `bad_request` naming `idempotency_key` when it cannot be one
 */
export function idempotent<Result>(
  idempotencyKey: string,
  content: unknown,
  change: Change<Result>,
): Change<Result | Refusal> {
  if (idempotencyKey === "") return change;
  if (!/^[\w-]{1,64}$/.test(idempotencyKey))
    throw badRequest("idempotency_key", "is not 1 to 64 letters, digits, '-' or '_'");
  const fingerprint = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
  return {
    ...change,
    needs: { ...change.needs, idempotencyKeys: [idempotencyKey] },
    decide: (draft) => {
      const first = draft.answerTo(idempotencyKey);
      if (first !== undefined) {
        if (first.fingerprint === fingerprint) return JSON.parse(first.answer) as Result;
        const message = "idempotency_key was used before for another request";
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
