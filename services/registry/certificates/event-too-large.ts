import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";

/** Thrown (`failed_precondition`) if a change's event would be too large for NATS; the transaction writes nothing. */
export class EventTooLarge extends ServiceError {
  constructor(eventBytes: number, maxBytes: number) {
    super("failed_precondition", reason("certificate_too_large", { bytes: eventBytes, max: maxBytes }));
    this.name = "EventTooLarge";
  }
}
