import type { NatsConnection } from "nats";
import { type AutomationLimits, ensureAutomationStream } from "#shared/nats/automation-stream.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import { keepNatsConnected } from "../outbox/keep-nats-connected.ts";
import { AutomationRelay, type AutomationRelayDeps } from "./automation-relay.ts";
import { publishAutomationEvent } from "./publish-automation-event.ts";

interface StartAutomationRelayOptions extends Omit<AutomationRelayDeps, "publish" | "prepare"> {
  readonly nats: NatsAccess;
  readonly limits: AutomationLimits;
  /** Called for each event that the stream has stored. */
  readonly onPublished: () => void;
}

/** A relay of automation events that runs in the background. */
export type RunningAutomationRelay = ReturnType<typeof startAutomationRelay>;

/**
 * Starts the relay of automation events on a connection of its own. While NATS is unavailable, events wait in their
 * outbox, which keeps them for seven days.
 */
export function startAutomationRelay(options: StartAutomationRelayOptions) {
  const { nats, limits, outbox, lease, clock, logger, onPublished } = options;
  const begin = (connection: NatsConnection) => {
    const relay = new AutomationRelay({
      outbox,
      lease,
      clock,
      logger,
      prepare: async () => ensureAutomationStream(await connection.jetstreamManager(), limits),
      publish: publishAutomationEvent(connection, { logger, onPublished }),
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
