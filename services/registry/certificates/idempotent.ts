import { createHash } from "node:crypto";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Change, PartialResult } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";
import type { RequestAnswer, StoreDraft } from "./store-draft.ts";

/** Retention of the answer stored for an idempotency key, in milliseconds: 24 hours. */
export const answerLifeMs = 86_400_000;

/** Checks the format of a key. @throws ServiceError `bad_request` naming `idempotency_key` when it is malformed */
function checkIdempotencyKey(key: string): void {
  const { max } = textLimits.idempotencyKey;
  if (key.length > max || !/^[\w-]+$/.test(key))
    throw badRequest("idempotency_key", `must be 1 to ${max} ASCII letters, digits, '-' or '_'`);
}

/**
 * Makes a change idempotent: its answer is stored in the same transaction, and a retry with the same key returns the
 * stored answer and writes nothing. A change that wrote nothing stores no answer, unless {@link Change.isAnswer} wants
 * it.
 *
 * A change that is committed in parts stores its progress with each part. The next part, whether of the same request or
 * of a retry after a crash, continues from the stored progress, so that no item is lost or processed twice.
 *
 * @param idempotencyKey chosen by the caller; with the empty string, the change runs each time
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
  checkIdempotencyKey(idempotencyKey);
  const fingerprint = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
  const whole: Change<Result | Refusal> = {
    ...change,
    needs: { ...change.needs, idempotencyKeys: [idempotencyKey] },
    decide: (draft) => {
      const first = draft.answerTo(idempotencyKey);
      if (first !== undefined && first.fingerprint !== fingerprint) {
        return { refused: "conflict", reason: reason("idempotency_key_reused"), field: "idempotency_key" };
      }
      if (first?.answer !== undefined) return JSON.parse(first.answer) as Result;
      const { result, stored } = continueChange(change, first, draft);
      if (stored !== undefined) draft.answers.set(idempotencyKey, { fingerprint, ...stored });
      return result;
    },
  };
  if (change.continueFrom === undefined) return whole;
  // The stored progress alone determines where a part begins, because another replica may run the same request. Each
  // part therefore reads the documents that the whole change needs.
  const continueFrom = (soFar: Result | Refusal): Change<Result | Refusal> => {
    const rest = change.continueFrom?.(soFar as Result) ?? change;
    return { ...whole, continueFrom, maxTimestamps: rest.maxTimestamps, maxSerials: rest.maxSerials };
  };
  return { ...whole, continueFrom };
}

function continueChange<Result>(
  change: Change<Result>,
  first: RequestAnswer | undefined,
  draft: StoreDraft,
): { result: Result | PartialResult<Result>; stored?: Pick<RequestAnswer, "answer" | "progress"> } {
  const progress = first?.progress;
  const rest = progress === undefined ? change : change.continueFrom?.(JSON.parse(progress) as Result);
  const entriesBefore = draft.entryCount;
  const result = (rest ?? change).decide(draft);
  const hasWritten = draft.entryCount > entriesBefore;
  if (result instanceof PartialResult)
    return hasWritten ? { result, stored: { progress: JSON.stringify(result.soFar) } } : { result };
  return hasWritten || progress !== undefined || change.isAnswer?.(result)
    ? { result, stored: { answer: JSON.stringify(result) } }
    : { result };
}
