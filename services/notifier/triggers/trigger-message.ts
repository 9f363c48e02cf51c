import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { cloudEvent, cloudEventsType } from "#shared/automation/cloud-event.ts";
import { marketingProfile } from "#shared/automation/marketing-profile.ts";

/** The content of a message to a trigger's receiver. */
interface TriggerMessage {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Thrown for a trigger format or event type that only a later version supports. */
export class UnsupportedByVersion extends Error {}

/**
 * Builds the message for an event.
 *
 * @returns undefined if there is nothing to send: a profile requires that the owner's address can receive mail
 * @throws UnsupportedByVersion for a format that only a later version supports: a notifier of that version will send
 * the event; another error for an invalid event
 */
export function triggerMessage(event: CertificateEvent, format: TriggerFormat): TriggerMessage | undefined {
  if (format === TriggerFormat.CLOUDEVENTS) return { contentType: cloudEventsType, body: cloudEvent(event) };
  if (format !== TriggerFormat.PROFILE)
    throw new UnsupportedByVersion(`this version does not support the trigger format ${format}`);
  const profile = marketingProfile(event);
  return profile && { contentType: "application/json", body: profile };
}
