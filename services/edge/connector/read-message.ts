import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ReceiveMessageRequestSchema } from "#gen/registry/v1/connector_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import { type JsonObject, parseObject } from "./parse-object.ts";
import {
  type MessageContent,
  type PlatformAdapter,
  type PlatformHeaders,
  type Translation,
  UnreadableBody,
} from "./platform-adapter.ts";

/** A message in the form that the registry's API requires. */
export type Message = MessageInitShape<typeof ReceiveMessageRequestSchema> & {
  readonly shop: string;
  readonly content: MessageContent;
};

/** A signed message as it was received. */
export interface SignedMessage {
  /** The values of the headers; undefined for a header that is missing or empty. */
  readonly headers: { readonly [Name in keyof PlatformHeaders]?: string | undefined };
  readonly body: Uint8Array;
}

/**
 * Reads a signed message. A body that cannot be translated becomes a message with the reason.
 *
 * @returns undefined if the message's topic is not used
 * @throws ServiceError `bad_request` if the body is not a JSON object or names another store than the header, or if a
 *   header is missing
 */
export function readMessage(adapter: PlatformAdapter, { headers, body }: SignedMessage): Message | undefined {
  const required = (name: keyof PlatformHeaders): string => {
    const value = headers[name];
    if (value === undefined) throw badRequest(adapter.headers[name], "is missing");
    return value;
  };
  const payload = parseObject(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  const topic = required("topic");
  const shop = required("shop").toLowerCase();
  // Only the body is signed: without this check, a message of one store could be sent again for another store.
  if ((adapter.shopOf(payload) ?? shop) !== shop) throw badRequest("body", "names another store than the header");
  const translation = translate(adapter, topic, payload);
  if (translation === undefined) return undefined;
  const { content, createdAt } = translation;
  const messageId = required("messageId");
  const triggeredAt = createdAt ?? new Date(headers.triggeredAt ?? Number.NaN);
  const time = Number.isNaN(triggeredAt.getTime()) ? {} : { triggeredAt: timestampFromDate(triggeredAt) };
  return { shop, messageId, topic, content, ...time };
}

// A message that cannot be translated is stored instead of refused: the platform would repeat a refused message in
// vain, and operators should see the fault.
function translate(adapter: PlatformAdapter, topic: string, payload: JsonObject): Translation | undefined {
  try {
    return adapter.translate(topic, payload);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return { content: { case: "unreadable", value: { problem: reasonMessage(error.reason) } } };
  }
}
