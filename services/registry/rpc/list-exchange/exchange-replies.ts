import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { HandleListResponseSchema, PageSchema } from "#gen/registry/v1/edge_service_pb.js";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { ExchangeResponseSchema, ExchangeResponsesSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import { encodeBatch, groupsOf, type MessageParts } from "#shared/rpc/exchange-batches.ts";
import type { ListAnswer } from "../../list-requests/handle-list-request.ts";
import { decisionMessage, pageWithoutJson } from "../list-messages.ts";

/** An encoded message to the edge, in parts. */
export type Reply = MessageParts;

// Larger batches would gain nothing. The edge accepts messages of up to 16 MiB.
const batchBytesMax = 256 * 1_024;
const batchFields = {
  batch: ExchangeResponseSchema.field.batch.number,
  messages: ExchangeResponsesSchema.field.messages.number,
};

/** A message that asks the edge to use other replicas. */
export const drainingNotice: Reply = [encode({ kind: { case: "draining", value: {} } })];

/**
 * Encodes the answer to a request. The JSON of the page is a separate part, so that it is copied only once. The fields
 * `list` and `page` then occur twice; parsers merge the occurrences (Protocol Buffers encoding, "Last One Wins").
 */
export function answerReply(id: number, { decision, page }: ListAnswer): Reply {
  const value = { ...decisionMessage(decision), ...(page && { page: pageWithoutJson(page) }) };
  const message = encode({ id, kind: { case: "list", value } });
  return page === undefined ? [message] : [message, jsonHead(page.json.length), page.json];
}

/** Encodes the failure of a request. */
export function errorReply(id: number, error: ConnectError): Reply {
  const [detail] = error.findDetails(ErrorDetailSchema);
  const value = { status: error.code, message: error.rawMessage, ...(detail && { detail }) };
  return [encode({ id, kind: { case: "error", value } })];
}

/** Combines consecutive replies into batches of up to {@link batchBytesMax} bytes; leaves a single reply unchanged. */
export function batchesOf(replies: readonly Reply[]): Reply[] {
  return groupsOf(replies, batchBytesMax).map((group) => {
    const [first = [], ...others] = group;
    return others.length === 0 ? first : encodeBatch(batchFields, group);
  });
}

/** Joins the parts of a reply, because grpc-js sends a message as one buffer. */
export function joinReply(reply: Reply): Buffer {
  return Buffer.concat(reply);
}

// From the inside out: each field is contained in the next one.
const jsonPath = [
  PageSchema.field.json.number,
  HandleListResponseSchema.field.page.number,
  ExchangeResponseSchema.field.list.number,
];

/** Returns the field tags and lengths that precede the JSON of a page in an encoded message. */
function jsonHead(jsonLength: number): Uint8Array {
  let head = new Uint8Array();
  for (const number of jsonPath) {
    const writer = new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(head.length + jsonLength);
    head = writer.raw(head).finish();
  }
  return head;
}

function encode(message: MessageInitShape<typeof ExchangeResponseSchema>): Uint8Array {
  return toBinary(ExchangeResponseSchema, create(ExchangeResponseSchema, message));
}
