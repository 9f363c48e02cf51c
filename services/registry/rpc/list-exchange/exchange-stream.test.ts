import { EventEmitter } from "node:events";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { ExchangeRequestSchema, ExchangeResponseSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import { steadyClock } from "#shared/time/clock.ts";
import { KeyOwners } from "../../list-requests/key-owners.ts";
import { joinReply, type Reply } from "./exchange-replies.ts";
import { ExchangeStream } from "./exchange-stream.ts";

test("replies with an error to a request whose answer cannot be encoded", async () => {
  const replies: Reply[] = [];
  const call = Object.assign(new EventEmitter(), {
    metadata: new Metadata(),
    sendMetadata: () => undefined,
    write: (reply: Reply) => replies.push(reply) > 0,
  }) as unknown as ServerDuplexStream<Buffer, Reply>;
  const rateLimit = { limit: 120, windowSeconds: 60, remaining: Number.NaN, resetSeconds: 60 };
  new ExchangeStream(call, {
    deps: {
      feed: { readRenderContext: async () => undefined, readRows: async () => [] },
      serviceVerifyUrl: "https://verify.example.test",
      admissions: {
        refuse: async () => undefined,
        admit: async () => ({ admission: "rate_limited", storeId: "sto_1", rateLimit }),
      },
      placeReturns: { add: () => undefined },
      shedder: { run: (_request, work) => work() },
      keyOwners: new KeyOwners(),
      clock: steadyClock,
    },
    requestsMax: 1,
    observe: () => undefined,
    onEnd: () => undefined,
  });
  const list = { keySha256: new Uint8Array(32), admissionId: new Uint8Array(16) };
  const request = create(ExchangeRequestSchema, { id: 7, kind: { case: "call", value: { list, timeoutMs: 1_000 } } });
  call.emit("data", Buffer.from(toBinary(ExchangeRequestSchema, request)));
  await expect.poll(() => replies.length).toBe(1);
  const { id, kind } = fromBinary(ExchangeResponseSchema, joinReply(replies[0] ?? []));
  expect([id, kind.case]).toEqual([7, "error"]);
});
