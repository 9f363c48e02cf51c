import { isUnavailable } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { OutboxEntry, Publish } from "./outbox.ts";
import { PublishRefusal, type RefusalReason } from "./publish-refusal.ts";

export interface RefusalHandling {
  /**
   * Quarantines an event and settles it, unless it has left the outbox.
   *
   * @param problem why NATS refuses the event
   * @returns whether the event is quarantined
   * @throws ServiceError `unavailable` if the event cannot be settled now, for example because it may be in flight
   */
  readonly quarantine: (entry: OutboxEntry, problem: Reason) => Promise<boolean>;
  /** Called each time NATS refuses an event. */
  readonly onRefused: (reason: RefusalReason) => void;
  readonly logger: Logger;
}

/**
 * Returns a function that publishes an event, or quarantines it if it is too large for NATS. An event that the NATS
 * user may not publish is not quarantined: once the operator has granted the permission, all such events are published.
 *
 * @param publish throws PublishRefusal for an event that NATS refuses
 */
export function publishOrQuarantine(publish: Publish, { quarantine, onRefused, logger }: RefusalHandling): Publish {
  return async (entry) => {
    try {
      return await publish(entry);
    } catch (error) {
      if (!(error instanceof PublishRefusal)) throw error;
      onRefused(error.reason);
      if (error.reason === "not_permitted") return "refused";
      const { eventId, storeId } = entry;
      const problem = reason("event_refused_by_nats", { bytes: entry.event.length, fault: error.message });
      try {
        if (await quarantine(entry, problem))
          logger.error({ eventId, storeId, problem }, "quarantined an event that NATS refuses");
        else
          logger.info(
            { eventId, storeId, problem },
            "NATS refuses an event that has left the outbox since; it is not quarantined",
          );
        return "settled";
      } catch (failure) {
        if (!isUnavailable(failure)) throw failure;
        logger.warn({ err: failure, eventId, storeId, problem }, "cannot quarantine an event yet; retrying");
        return "refused";
      }
    }
  };
}
