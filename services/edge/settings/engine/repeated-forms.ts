import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Outcome } from "../model/settings-page.ts";

/** How long the outcome of a form is kept, in milliseconds. Kept only briefly, because it may contain a secret. */
const keptMs = 10_000;
const sessionsMax = 1_000;

interface Latest {
  readonly form: string;
  /** Undefined once the action has failed; such a form is kept only if the action may have had an effect. */
  readonly outcome: Promise<Outcome> | undefined;
}

/** A form that a merchant has sent in a session. */
export interface SessionForm {
  readonly sessionToken: string;
  /** The whole form with its path; its nonce distinguishes it from equal forms that were served later. */
  readonly form: string;
}

/**
 * Executes a form only once if it is sent twice, such as by a double click. Both requests get the outcome of the first,
 * because the browser drops the first response, which may contain a new secret. Only the latest form of each session is
 * kept, so a form that is sent again after a different form takes effect again.
 *
 * Other replicas of the edge do not know the form and execute it again, as does this replica if the form arrives more
 * than ten seconds after the action has ended. In both cases, only the page script's guard against double clicks and
 * the registry's idempotency keys protect the merchant.
 *
 * Of a form that failed after it may have had an effect, only that is kept: if the same form is then refused, its page
 * must not say that nothing has been changed.
 */
export class RepeatedForms {
  readonly #latest = new LRUCache<string, Latest>({ max: sessionsMax });

  /**
   * Returns the outcome of a form. Runs the action only if no outcome of this form is kept.
   *
   * @param hadEffect returns whether the action may have had an effect although it failed
   * @throws the error of the action. The outcome of a form that failed is not kept: it may be sent again
   */
  once(sent: SessionForm, run: () => Promise<Outcome>, hadEffect: (error: unknown) => boolean): Promise<Outcome> {
    const [session, form] = [digestOf(sent.sessionToken), digestOf(sent.form)];
    const latest = this.#latest.get(session);
    if (latest?.form === form && latest.outcome !== undefined) return latest.outcome;
    const outcome = run();
    const kept: Latest = { form, outcome };
    this.#latest.set(session, kept);
    const replace = (next: Latest | undefined) => {
      if (this.#latest.peek(session) !== kept) return;
      if (next === undefined) this.#latest.delete(session);
      else this.#latest.set(session, next);
    };
    outcome.then(
      () => setTimeout(() => replace(undefined), keptMs).unref(),
      (error: unknown) => replace(hadEffect(error) ? { form, outcome: undefined } : undefined),
    );
    return outcome;
  }

  /** Returns whether the session's latest form is this one, and its action runs or may have had an effect. */
  isBegun({ sessionToken, form }: SessionForm): boolean {
    return this.#latest.peek(digestOf(sessionToken))?.form === digestOf(form);
  }
}

/** Returns the SHA-256 digest of a text, in Base64: a short key of an entry that keeps no secret. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
