import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReceiveMessageRequestSchema } from "#gen/registry/v1/connector_service_pb.js";
import type { Reason } from "#shared/reasons/reason.ts";
import type { JsonObject } from "./parse-object.ts";

/** The content of a message, in the form that the registry's API requires. */
export type MessageContent = NonNullable<MessageInitShape<typeof ReceiveMessageRequestSchema>["content"]>;

/** The names of a platform's message headers, in lower case. Only the body is signed; the headers can be forged. */
export interface PlatformHeaders {
  /** HMAC-SHA256 of the raw body, in base64. */
  readonly signature: string;
  /** Kind of the message, such as `orders/create`. */
  readonly topic: string;
  /** Domain of the store. */
  readonly shop: string;
  /** Id of the message; unchanged when the platform repeats the message. */
  readonly messageId: string;
  /** When the message was created (ISO 8601); the header may be missing. */
  readonly triggeredAt: string;
}

/** A translated message. */
export interface Translation {
  readonly content: MessageContent;
  /** When the message was created, if its body states this. */
  readonly createdAt?: Date;
}

/** Translates the messages of one storefront platform. */
export interface PlatformAdapter {
  /** The platform's name in the path of its webhooks. */
  readonly name: string;
  readonly headers: PlatformHeaders;
  /** Returns the domain of the store that a body names, in lower case; undefined if it names none. */
  shopOf(payload: JsonObject): string | undefined;
  /**
   * Translates the body of a message. Each topic requires fields that the other topics' bodies lack, so that the body
   * of a message cannot be sent again on another topic.
   *
   * @returns undefined for a topic that the connector does not use
   * @throws UnreadableBody if the body does not have the form that the topic requires; ServiceError `bad_request` if
   *   the topic requires a body that names its store
   */
  translate(topic: string, payload: JsonObject): Translation | undefined;
}

/** Thrown for a body that cannot be translated. */
export class UnreadableBody extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(reason.code, options);
    this.name = "UnreadableBody";
    this.reason = reason;
  }
}
