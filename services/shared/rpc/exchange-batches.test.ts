import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ExchangeResponseSchema, ExchangeResponsesSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import { encodeBatch, groupsOf } from "./exchange-batches.ts";

const fields = {
  batch: ExchangeResponseSchema.field.batch.number,
  messages: ExchangeResponsesSchema.field.messages.number,
};
const bytesOf = (id: number) => toBinary(ExchangeResponseSchema, create(ExchangeResponseSchema, { id }));

test("encodes a batch that decodes to the input messages in order, even if a message has several parts", () => {
  const whole = bytesOf(70_000);
  const batch = encodeBatch(fields, [[bytesOf(1)], [whole.subarray(0, 2), whole.subarray(2)]]);
  const { kind } = fromBinary(ExchangeResponseSchema, Buffer.concat(batch));
  expect(kind).toMatchObject({ case: "batch", value: { messages: [{ id: 1 }, { id: 70_000 }] } });
});

test("splits messages into groups within the size limit, and puts a message over the limit in its own group", () => {
  const [a, b, c, large] = [3, 3, 5, 20].map((length) => [new Uint8Array(length)]);
  const messages = [a, b, c, large, a].flatMap((message) => (message === undefined ? [] : [message]));
  expect(groupsOf(messages, 10)).toEqual([[a, b], [c], [large], [a]]);
  expect(groupsOf([], 10)).toEqual([]);
});
