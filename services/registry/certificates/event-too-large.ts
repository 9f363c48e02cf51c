import { ServiceError } from "#shared/errors/service-error.ts";

/** Refusal (`failed_precondition`) of a change whose event would be too large for NATS; the change writes nothing. */
export class EventTooLarge extends ServiceError {
  constructor(eventBytes: number, maxBytes: number) {
    const message = `The certificate's text fields are too long: the event would be ${eventBytes} bytes, but the limit is ${maxBytes}. Shorten the fields.`;
    super("failed_precondition", message);
    this.name = "EventTooLarge";
  }
}
