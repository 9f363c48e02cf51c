import { ServiceError } from "#shared/errors/service-error.ts";

/** Thrown (`failed_precondition`) if a change's event would be too large for NATS; the transaction writes nothing. */
export class EventTooLarge extends ServiceError {
  constructor(eventBytes: number, maxBytes: number) {
    const message = `The certificate's text fields are too long: the event would be ${eventBytes} bytes, but the limit is ${maxBytes}. Shorten the fields.`;
    super("failed_precondition", message);
    this.name = "EventTooLarge";
  }
}
