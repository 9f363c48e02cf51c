import { fromBinary } from "@bufbuild/protobuf";
import { headers, type NatsConnection } from "nats";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { cloudEvent, cloudEventsType } from "#shared/automation/cloud-event.ts";
import { type AutomationLimits, automationSubject, ensureAutomationStream } from "#shared/nats/automation-stream.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { awaitPendingCopy } from "../outbox/await-pending-copy.ts";
import { keepNatsConnected } from "../outbox/keep-nats-connected.ts";
import { refusalOf } from "../outbox/publish-refusal.ts";
import type { AutomationEntry } from "./automation-outbox.ts";
import { AutomationRelay, type AutomationRelayDeps } from "./automation-relay.ts";

interface StartAutomationRelayOptions extends Omit<AutomationRelayDeps, "publish" | "prepare"> {
  readonly nats: NatsAccess;
  readonly limits: AutomationLimits;
  /** Called for each event that the stream has stored. */
  readonly onPublished: () => void;
}

/** A relay of automation events that runs in the background. */
export type RunningAutomationRelay = ReturnType<typeof startAutomationRelay>;

const publishTimeoutMs = 5_000;

/**
 * Starts the relay of automation events on a connection of its own. While NATS is unavailable, events wait in their
 * outbox, which keeps them for seven days.
 */
export function startAutomationRelay(options: StartAutomationRelayOptions) {
  const { nats, limits, outbox, lease, clock, logger, onPublished } = options;
  const begin = (connection: NatsConnection) => {
    const publish = publisherOver(connection, clock, logger);
    const relay = new AutomationRelay({
      outbox,
      lease,
      clock,
      logger,
      prepare: async () => ensureAutomationStream(await connection.jetstreamManager(), limits),
      publish: async (entry) => {
        if (await publish(entry)) onPublished();
      },
    });
    relay.start();
    return { connection, relay, stop: () => relay.stop() };
  };
  const waiting = "automation relay is waiting for NATS";
  const { current, stop } = keepNatsConnected({ nats, begin, waiting, clock, logger });
  return {
    /** Notifies the relay of new entries. */
    wake: () => current()?.relay.wake(),
    /** Whether this replica's relay publishes. */
    isLeading: () => current()?.relay.isLeading ?? false,
    stop,
  };
}

/** Returns a function that publishes an event; it resolves to false if NATS refuses the event as too large. */
function publisherOver(connection: NatsConnection, clock: Clock, logger: Logger) {
  const stream = connection.jetstream({ timeout: publishTimeoutMs });
  const added = headers();
  added.set("content-type", cloudEventsType);
  return async ({ eventId, storeId, name, event }: AutomationEntry): Promise<boolean> => {
    const decoded = fromBinary(CertificateEventSchema, event);
    const options = { msgID: eventId, timeout: publishTimeoutMs, headers: added };
    try {
      const subject = automationSubject(storeId, name);
      await awaitPendingCopy(() => stream.publish(subject, cloudEvent(decoded, name), options), clock);
      return true;
    } catch (error) {
      if (refusalOf(error)?.reason !== "too_large") throw error;
      logger.error({ err: error, eventId, store: storeId }, "dropped an automation event that is too large for NATS");
      return false;
    }
  };
}
