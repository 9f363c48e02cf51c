import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Header by which an edge and a registry state that they accept batches on a stream of list requests. */
export const acceptsBatchesHeader = { name: "exchange-batches", value: "1" } as const;

/** An encoded message, in parts. */
export type MessageParts = readonly Uint8Array[];

/** The protobuf field numbers of a batch in `ExchangeRequest` or `ExchangeResponse`. */
interface BatchFields {
  /** The field that contains the batch. */
  readonly batch: number;
  /** The batch's repeated field with the messages. */
  readonly messages: number;
}

/** Encodes a message that contains a batch of encoded messages, without copying them. */
export function encodeBatch(fields: BatchFields, messages: readonly MessageParts[]): MessageParts {
  const parts = messages.flatMap((message) => withHead(fields.messages, message));
  return withHead(fields.batch, parts);
}

/** Splits messages, in order, into groups of at most `bytesMax` bytes. A larger message forms its own group. */
export function groupsOf(messages: readonly MessageParts[], bytesMax: number): MessageParts[][] {
  const groups: MessageParts[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const length = lengthOf(message);
    size += length;
    const group = groups.at(-1);
    if (group !== undefined && size <= bytesMax) group.push(message);
    else {
      groups.push([message]);
      size = length;
    }
  }
  return groups;
}

function withHead(field: number, content: MessageParts): MessageParts {
  return [new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(lengthOf(content)).finish(), ...content];
}

function lengthOf(parts: MessageParts): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
