import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { ExchangeResponseSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import type { ListAnswer } from "../../list-requests/handle-list-request.ts";
import { decisionMessage, joinedPageMessage } from "../list-messages.ts";

/** Asks the edge to use other replicas. */
export const drainingNotice: Buffer = encode({ kind: { case: "draining", value: {} } });

/** Encodes the answer to a request. */
export function answerReply(id: number, { decision, page }: ListAnswer): Buffer {
  const value = { ...decisionMessage(decision), ...(page && { page: joinedPageMessage(page) }) };
  return encode({ id, kind: { case: "list", value } });
}

/** Encodes the failure of a request. */
export function errorReply(id: number, error: ConnectError): Buffer {
  const [detail] = error.findDetails(ErrorDetailSchema);
  const value = { status: error.code, message: error.rawMessage, ...(detail && { detail }) };
  return encode({ id, kind: { case: "error", value } });
}

function encode(message: MessageInitShape<typeof ExchangeResponseSchema>): Buffer {
  const bytes = toBinary(ExchangeResponseSchema, create(ExchangeResponseSchema, message));
  // Does not copy the bytes.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
