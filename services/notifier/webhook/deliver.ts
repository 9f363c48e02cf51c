import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { connectionFailed, toDeliveryFailure } from "./delivery-failure.ts";
import { type ExchangeLimits, exchange } from "./exchange.ts";
import { type ConnectOptions, openConnection } from "./open-connection.ts";
import { requestHead } from "./request-head.ts";
import { type SigningSecrets, signatureHeaders } from "./signature-headers.ts";

/** One message to send. */
export interface Delivery extends SigningSecrets {
  /** The event's id. */
  readonly eventId: string;
  readonly url: string;
  readonly body: Buffer;
}

/** How an attempt ended. */
export interface Attempt {
  readonly kind: OutcomeKind;
  /** 0 when no reply came. */
  readonly httpStatus: number;
  /** From the start to the status or the failure. */
  readonly durationMs: number;
  /** One sentence for the merchant. */
  readonly reason: string;
}

/** How deliveries are made. */
export type DeliverOptions = ConnectOptions & ExchangeLimits;

/** Sends one message with one POST, never a second; every failure is an {@link Attempt}, never an error. */
export type Deliver = (delivery: Delivery, cut: AbortSignal) => Promise<Attempt>;

/** Makes the function that sends. Its signal cuts an attempt short; the signal's reason says how that is recorded. */
export function createDeliver(options: DeliverOptions): Deliver {
  return async (delivery, cut) => {
    const startedAt = performance.now();
    const attempt = (kind: OutcomeKind, httpStatus: number, endedAt: number, reason: string): Attempt => {
      return { kind, httpStatus, durationMs: Math.round(endedAt - startedAt), reason };
    };
    try {
      const { status, repliedAt } = await post(delivery, options, cut);
      const isDelivered = status >= 200 && status <= 299;
      const kind = isDelivered ? OutcomeKind.DELIVERED : OutcomeKind.REFUSED;
      return attempt(kind, status, repliedAt, replyReason(status));
    } catch (error) {
      const failure = toDeliveryFailure(error);
      return attempt(failure.kind, 0, performance.now(), failure.message);
    }
  };
}

async function post(delivery: Delivery, options: DeliverOptions, cut: AbortSignal) {
  const { body, eventId: deliveryId } = delivery;
  const url = URL.canParse(delivery.url) ? new URL(delivery.url) : undefined;
  if (url?.protocol !== "https:") throw connectionFailed("The webhook URL does not begin with https://.");
  const signatures = signatureHeaders(delivery, body);
  const head = requestHead({ url, bodyBytes: body.length, deliveryId, signatures });
  const { socket } = await openConnection(url, options, cut);
  return exchange(socket, Buffer.concat([head, body]), options, cut);
}

function replyReason(status: number): string {
  const isRedirect = status >= 300 && status <= 399;
  return `The receiver answered with status ${status}${isRedirect ? "; redirects are not followed" : ""}.`;
}
