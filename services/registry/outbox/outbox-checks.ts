import type { Clock } from "#shared/time/clock.ts";
import { type Check, failed, passed } from "../diagnostics/check.ts";

interface OutboxSubject {
  /** Returns the time at which the oldest event entered the outbox; undefined when the outbox is empty. */
  readonly oldestAt: () => Promise<Date | undefined>;
  /** The database's clock. */
  readonly clock: Pick<Clock, "now">;
}

const ageMaxMs = 5 * 60_000;

/** Checks of the outbox. They write nothing. */
export const outboxChecks: readonly Check<OutboxSubject>[] = [
  {
    name: `no event has been waiting in the outbox for more than ${ageMaxMs / 60_000} minutes`,
    remedy: "Check NATS and the notifiers; see WebhooksDelayed and WebhooksStopped in deploy/runbooks/webhooks.md.",
    run: async ({ oldestAt, clock }) => {
      const oldest = await oldestAt();
      if (oldest === undefined) return passed("the outbox is empty");
      const seconds = Math.max(0, Math.round((clock.now() - oldest.getTime()) / 1_000));
      const seen = `the oldest event is ${seconds} s old`;
      return seconds * 1_000 <= ageMaxMs ? passed(seen) : failed(seen);
    },
  },
];
