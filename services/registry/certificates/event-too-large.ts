import { ServiceError } from "#shared/errors/service-error.ts";

/** The refusal of a change whose event NATS would not accept: `failed_precondition`. Nothing is written. */
export class EventTooLarge extends ServiceError {
  constructor(eventBytes: number, maxBytes: number) {
    const message = `The certificate's texts are too long: its event would have ${eventBytes} bytes, and at most ${maxBytes} can be sent. Shorten them.`;
    super("failed_precondition", message);
    this.name = "EventTooLarge";
  }
}
