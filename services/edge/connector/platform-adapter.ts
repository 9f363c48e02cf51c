import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReceiveMessageRequestSchema } from "#gen/registry/v1/connector_service_pb.js";

/** The content of a message, in the registry's contract. */
export type MessageContent = NonNullable<MessageInitShape<typeof ReceiveMessageRequestSchema>["content"]>;

/** The names of the headers of a platform's messages, in lower case. */
export interface PlatformHeaders {
  /** HMAC-SHA256 of the raw body, in base64. */
  readonly signature: string;
  /** Kind of the message. */
  readonly topic: string;
  /** Domain of the store. */
  readonly shop: string;
  /** Id of the message, the same in every repetition. */
  readonly messageId: string;
  /** When the message was created (ISO 8601); the header may be missing. */
  readonly triggeredAt: string;
}

/** Translates the messages of one storefront platform. */
export interface PlatformAdapter {
  /** The platform's name in the path of its webhooks. */
  readonly name: string;
  readonly headers: PlatformHeaders;
  /**
   * Translates the body of a message.
   *
   * @returns undefined for a kind of message that the connector does not use
   * @throws UnreadableBody if the body does not have the form that the topic requires
   */
  translate(topic: string, body: string): MessageContent | undefined;
}

/** Thrown for a body that cannot be translated. The message states the fault and contains no personal data. */
export class UnreadableBody extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnreadableBody";
  }
}
