import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Client, type ClientDuplexStream, credentials, Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import {
  ExchangeRequestSchema,
  type ExchangeResponse,
  ExchangeResponseSchema,
} from "#gen/registry/v1/list_exchange_service_pb.js";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { acceptsBatchesHeader } from "#shared/rpc/exchange-batches.ts";
import { eventually } from "../harness/eventually.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const requestsPerStreamMax = 5;
const { lines, onLogLine } = captureLog();
const registry = await openProxiedRegistry({ overrides: { requestsPerStreamMax }, onLogLine });
const { database, proxy } = registry;
afterEach(() => proxy.heal());

const takePlace = "findAndModify access";

/** Opens a stream to a registry as an edge does. `headers` must include `acceptsBatchesHeader` to receive batches. */
function openStream(address = registry.address, headers = new Metadata()) {
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  const asIs = (bytes: Buffer) => bytes;
  const path = "/registry.v1.ListExchangeService/Exchange";
  const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(path, asIs, asIs, headers);
  const replies: ExchangeResponse[] = [];
  call.on("data", (bytes: Buffer) => replies.push(fromBinary(ExchangeResponseSchema, bytes)));
  // The tests read the error from the `status` event.
  call.on("error", () => undefined);
  const ended = new Promise((resolve) => call.once("status", ({ code }: StatusObject) => resolve(status[code])));
  const send = (message: MessageInitShape<typeof ExchangeRequestSchema>) =>
    call.write(Buffer.from(toBinary(ExchangeRequestSchema, create(ExchangeRequestSchema, message))));
  return { call, send, replies, ended };
}

const newKey = async () => (await createKeyedStore(registry)).keySha256;

const callOf = (id: number, keySha256: Uint8Array) => ({
  id,
  kind: {
    case: "call" as const,
    value: { list: { keySha256, admissionId: randomBytes(16), page: { limit: 1 } }, timeoutMs: 20_000 },
  },
});

test("refuses requests beyond a stream's limit of concurrent requests, and accepts another request after a reply", async () => {
  const keySha256 = await newKey();
  const stream = openStream();
  proxy.hold(takePlace);
  for (let id = 1; id <= requestsPerStreamMax + 3; id++) stream.send(callOf(id, keySha256));
  await eventually(() => expect(stream.replies).toHaveLength(3));
  expect(stream.replies.map(({ id }) => id)).toEqual([6, 7, 8]);
  for (const { kind } of stream.replies)
    expect(kind).toMatchObject({
      case: "error",
      value: { status: status.UNAVAILABLE, detail: { code: "unavailable" } },
    });
  proxy.heal();
  await eventually(() => expect(stream.replies).toHaveLength(8));
  stream.send(callOf(9, keySha256));
  await eventually(() => expect(stream.replies).toHaveLength(9));
  expect(stream.replies.at(-1)).toMatchObject({
    id: 9,
    kind: { case: "list", value: { admission: Admission.ADMITTED, page: { json: Buffer.alloc(0) } } },
  });
});

test("ends a stream with INVALID_ARGUMENT if a request reuses the id of a request in progress", async () => {
  const keySha256 = await newKey();
  const stream = openStream();
  proxy.hold(takePlace);
  stream.send(callOf(7, keySha256));
  stream.send(callOf(7, keySha256));
  expect(await stream.ended).toBe("INVALID_ARGUMENT");
});

// The replies to invalid requests need no database, so the registry sends them together.
const invalidBatch = {
  kind: {
    case: "batch" as const,
    value: { messages: [1, 2, 3].map((id) => callOf(id, new Uint8Array(31))) },
  },
};

test("replies to a batch with a batch if the edge accepts batches", async () => {
  const headers = new Metadata();
  headers.set(acceptsBatchesHeader.name, acceptsBatchesHeader.value);
  const stream = openStream(registry.address, headers);
  stream.send(invalidBatch);
  const messages = [1, 2, 3].map((id) => ({ id, kind: { case: "error" } }));
  await eventually(() => expect(stream.replies).toMatchObject([{ kind: { case: "batch", value: { messages } } }]));
});

test("replies to the messages of a batch separately if the edge does not accept batches", async () => {
  const stream = openStream();
  stream.send(invalidBatch);
  const replies = [1, 2, 3].map((id) => ({ id, kind: { case: "error" } }));
  await eventually(() => expect(stream.replies).toMatchObject(replies));
});

test("states in its response headers that it accepts batches", async () => {
  const { call } = openStream();
  const [headers] = await once(call, "metadata");
  expect(headers.getMap()).toMatchObject({ [acceptsBatchesHeader.name]: acceptsBatchesHeader.value });
});

test("ends a stream with INVALID_ARGUMENT for a batch that contains a batch", async () => {
  const stream = openStream();
  stream.send({ kind: { case: "batch", value: { messages: [invalidBatch] } } });
  expect(await stream.ended).toBe("INVALID_ARGUMENT");
});

test.each([
  ["bytes that are not a message", Buffer.from([0xff, 0xff, 0xff])],
  ["a message without content", Buffer.from([0x08, 0x01])],
])("ends a stream with INVALID_ARGUMENT for %s", async (_what, bytes) => {
  const stream = openStream();
  stream.call.write(bytes);
  expect(await stream.ended).toBe("INVALID_ARGUMENT");
});

test("replies to an invalid request with an error, logs the request's id and keeps the stream open", async () => {
  const stream = openStream();
  stream.send(callOf(1, new Uint8Array(31)));
  stream.send({ id: 2, kind: { case: "call", value: { timeoutMs: 1_000, requestId: "req_of_test" } } });
  stream.send(callOf(3, await newKey()));
  await eventually(() => expect(stream.replies).toHaveLength(3));
  const kinds = stream.replies.toSorted((one, other) => one.id - other.id).map(({ kind }) => kind);
  expect(kinds).toMatchObject([
    { case: "error", value: { status: status.INVALID_ARGUMENT, detail: { field: "key_sha256" } } },
    { case: "error", value: { status: status.INVALID_ARGUMENT } },
    { case: "list" },
  ]);
  expect(lines.filter(({ requestId }) => requestId === "req_of_test")).toHaveLength(1);
});

test("ignores the cancellation of a request that is not in progress", async () => {
  const stream = openStream();
  stream.send({ id: 4, kind: { case: "cancel", value: {} } });
  stream.send(callOf(4, await newKey()));
  await eventually(() => expect(stream.replies).toMatchObject([{ id: 4, kind: { case: "list" } }]));
});

test("announces its shutdown, replies to the requests in progress, and ends the streams", async () => {
  const stopping = await startTestRegistry({
    database: { ...database, uri: proxy.uri },
    env: { REGISTRY_SHUTDOWN_GRACE_MS: "20000" },
  });
  const stream = openStream(stopping.address);
  const keySha256 = await newKey();
  proxy.hold(takePlace);
  const before = proxy.count(takePlace);
  stream.send(callOf(1, keySha256));
  await eventually(() => expect(proxy.count(takePlace)).toBe(before + 1));
  const stopped = stopping.stop();
  await eventually(() => expect(stream.replies).toMatchObject([{ kind: { case: "draining" } }]));
  stream.call.end();
  proxy.heal();
  expect(await stream.ended).toBe("OK");
  expect(stream.replies).toMatchObject([{ kind: { case: "draining" } }, { id: 1, kind: { case: "list" } }]);
  await stopped;
});

test("refuses streams while it waits for its database", async () => {
  const unavailable = { ...database, uri: "mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=500" };
  const waiting = await startTestRegistry({ database: unavailable, untilReady: false });
  const stream = openStream(waiting.address);
  expect(await stream.ended).toBe("UNAVAILABLE");
  await waiting.stop();
});

test("counts the open streams", async () => {
  const open = async () => (await metricValues(registry.operationsUrl, "registry_list_streams"))[""] ?? 0;
  const before = await open();
  const stream = openStream();
  await eventually(async () => expect(await open()).toBe(before + 1));
  stream.call.end();
  expect(await stream.ended).toBe("OK");
  await eventually(async () => expect(await open()).toBe(before));
});
