import { fromBinary } from "@bufbuild/protobuf";
import { headers, type NatsConnection } from "nats";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { cloudEvent, cloudEventsType } from "#shared/automation/cloud-event.ts";
import { automationSubject } from "#shared/nats/automation-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { isCopyPending } from "../outbox/await-pending-copy.ts";
import { refusalOf } from "../outbox/publish-refusal.ts";
import type { PublishAutomationEvent } from "./automation-outbox.ts";

interface PublishAutomationEventOptions {
  readonly logger: Logger;
  /** Called for each event that the stream has stored. */
  readonly onPublished: () => void;
}

const timeoutMs = 5_000;

/** Creates the function that publishes automation events as CloudEvents. Drops an event that is too large for NATS. */
export function publishAutomationEvent(
  connection: NatsConnection,
  { logger, onPublished }: PublishAutomationEventOptions,
): PublishAutomationEvent {
  const stream = connection.jetstream({ timeout: timeoutMs });
  const added = headers();
  added.set("content-type", cloudEventsType);
  return async ({ eventId, storeId, name, event }) => {
    const decoded = fromBinary(CertificateEventSchema, event);
    const options = { msgID: eventId, timeout: timeoutMs, headers: added };
    try {
      await stream.publish(automationSubject(storeId, name), cloudEvent(decoded, name), options);
    } catch (error) {
      if (isCopyPending(error)) return "pending";
      if (refusalOf(error)?.reason !== "too_large") throw error;
      logger.error({ err: error, eventId, storeId }, "dropped an automation event that is too large for NATS");
      return undefined;
    }
    onPublished();
    return undefined;
  };
}
