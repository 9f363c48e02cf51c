import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Outcome } from "../model/settings-page.ts";

/** How long the outcome of a form is kept, in milliseconds. Kept only briefly, because it may contain a secret. */
const keptMs = 10_000;
const sessionsMax = 1_000;

interface Latest {
  readonly form: string;
  readonly outcome: Promise<Outcome>;
}

/**
 * Executes a form only once if it is sent twice, such as by a double click. Both requests get the outcome of the first,
 * because the browser drops the first response, which may contain a new secret. Only the latest form of each session is
 * kept, so a form that is sent again after a different form takes effect again.
 *
 * Other replicas of the edge do not know the form and execute it again, as does this replica if the form arrives more
 * than ten seconds after the action has ended. In both cases, only the page script's guard against double clicks and
 * the registry's idempotency keys protect the merchant.
 */
export class RepeatedForms {
  readonly #latest = new LRUCache<string, Latest>({ max: sessionsMax });

  /**
   * Returns the outcome of a form. Runs the action only if no outcome of this form is kept.
   *
   * @param form the whole form with its path; its nonce distinguishes it from equal forms that were served later
   * @throws the error of the action. A form that failed is not kept: it may be sent again
   */
  once(sessionToken: string, form: string, run: () => Promise<Outcome>): Promise<Outcome> {
    const [session, digest] = [digestOf(sessionToken), digestOf(form)];
    const latest = this.#latest.get(session);
    if (latest?.form === digest) return latest.outcome;
    const sent: Latest = { form: digest, outcome: run() };
    this.#latest.set(session, sent);
    const forget = () => {
      if (this.#latest.peek(session) === sent) this.#latest.delete(session);
    };
    sent.outcome.then(() => setTimeout(forget, keptMs).unref(), forget);
    return sent.outcome;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
