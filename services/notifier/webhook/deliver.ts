import type { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type AttemptPhases, AttemptTrace } from "./attempt-trace.ts";
import { classifyStatus } from "./classify-status.ts";
import { connectionFailed, toDeliveryFailure } from "./delivery-failure.ts";
import { type ExchangeOptions, exchange } from "./exchange.ts";
import { type ConnectOptions, openConnection } from "./open-connection.ts";
import { replyExcerpt } from "./reply-excerpt.ts";
import { requestHead } from "./request-head.ts";
import { secretsToRedact } from "./secrets-to-redact.ts";
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
  /** A sentence or two for the merchant. */
  readonly reason: string;
  readonly phases: AttemptPhases;
  /** The IP address that the message went to; empty when no connection was made. */
  readonly remoteAddress: string;
  /** The beginning of the reply's body, made harmless; empty when there is none. */
  readonly replyExcerpt: string;
}

/** How deliveries are made. */
export type DeliverOptions = ConnectOptions & ExchangeOptions;

/** Sends one message with one POST, never a second; every failure is an {@link Attempt}, never an error. */
export type Deliver = (delivery: Delivery, cut: AbortSignal) => Promise<Attempt>;

/** Makes the function that sends. Its signal cuts an attempt short; the signal's reason says how that is recorded. */
export function createDeliver(options: DeliverOptions): Deliver {
  return async (delivery, cut) => {
    const trace = new AttemptTrace();
    try {
      const { status, replyExcerpt } = await post(delivery, options, trace, cut);
      return attemptOf(trace, { ...classifyStatus(status), httpStatus: status, replyExcerpt });
    } catch (error) {
      const { kind, message } = toDeliveryFailure(error);
      return attemptOf(trace, { kind, reason: message, httpStatus: 0, replyExcerpt: "" });
    }
  };
}

async function post(delivery: Delivery, options: DeliverOptions, trace: AttemptTrace, cut: AbortSignal) {
  const { body, eventId: deliveryId } = delivery;
  const url = URL.canParse(delivery.url) ? new URL(delivery.url) : undefined;
  if (url?.protocol !== "https:") throw connectionFailed("The webhook URL does not begin with https://.");
  const signatures = signatureHeaders(delivery, body);
  const head = requestHead({ url, bodyBytes: body.length, deliveryId, signatures });
  const socket = await openConnection(url, options, trace, cut);
  const reply = await exchange(socket, Buffer.concat([head, body]), options, trace, cut);
  const hidden = () => secretsToRedact(url, delivery, signatures);
  return { status: reply.status, replyExcerpt: replyExcerpt(reply.body, hidden) };
}

function attemptOf(
  { phases, durationMs, remoteAddress }: AttemptTrace,
  ending: Pick<Attempt, "kind" | "reason" | "httpStatus" | "replyExcerpt">,
): Attempt {
  return { ...ending, phases, durationMs, remoteAddress };
}
