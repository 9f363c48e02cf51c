import { ErrorCode, NatsError } from "nats";

/**
 * Why NATS refuses an event; publishing it again immediately cannot succeed. `too_large`: the event exceeds the size
 * limit of the server or the stream. `not_permitted`: the NATS user may not publish it.
 */
export const refusalReasons = ["too_large", "not_permitted"] as const;

/** One of {@link refusalReasons}. */
export type RefusalReason = (typeof refusalReasons)[number];

/** The refusal of one event, as opposed to an outage. A full stream and a duplicate are not refusals. */
export class PublishRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause: Error) {
    super(cause.message, { cause });
    this.name = "PublishRefusal";
    this.reason = reason;
  }
}

// JSStreamMessageExceedsMaximumErr of nats-server: the stream's own limit, max_msg_size.
const exceedsStreamMaximum = 10_054;

/** Converts the error of a refused publish; returns undefined for any other error, such as an outage. */
export function refusalOf(error: unknown): PublishRefusal | undefined {
  if (!(error instanceof NatsError)) return undefined;
  const isTooLarge = error.code === ErrorCode.MaxPayloadExceeded || error.api_error?.err_code === exceedsStreamMaximum;
  if (isTooLarge) return new PublishRefusal("too_large", error);
  // A missing permission to receive replies affects all events, so it counts as an outage.
  const isDenied = error.isPermissionError() && error.permissionContext?.operation === "publish";
  return isDenied ? new PublishRefusal("not_permitted", error) : undefined;
}
