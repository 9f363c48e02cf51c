import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { afterAll, expect, test } from "vitest";
import { type ExchangeRequest, ExchangeRequestSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import { acceptsBatchesHeader } from "#shared/rpc/exchange-batches.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { ListExchange } from "./list-exchange.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.forceShutdown();
});

const list = { keySha256: new Uint8Array(32), admissionId: new Uint8Array(16) };
const options = { requestId: "1", timeoutMs: 5_000, signal: new AbortController().signal };

/** Starts a registry that handles every stream with `handle`. @returns its address */
async function startRegistry(handle: (call: ServerDuplexStream<Buffer, Buffer>) => void): Promise<string> {
  const server = new Server();
  servers.push(server);
  const asIs = (bytes: Buffer) => bytes;
  const codecs = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  const path = "/registry.v1.ListExchangeService/Exchange";
  server.addService({ Exchange: { path, requestStream: true, responseStream: true, ...codecs } }, { Exchange: handle });
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return `127.0.0.1:${port}`;
}

/** Starts a registry that refuses every stream with a status. @returns its address */
const startRefusing = (code: status) => startRegistry((call) => call.emit("error", { code, details: "refused" }));

/** Starts a registry that accepts streams and answers no request. */
async function startSilent() {
  let requests = 0;
  let streams = 0;
  const address = await startRegistry((call) => {
    streams++;
    call.sendMetadata(new Metadata());
    call.on("data", () => requests++);
    call.once("end", () => call.end());
    call.once("cancelled", () => streams--);
  });
  return { address, requests: () => requests, streams: () => streams };
}

test.each([
  // A registry that is killed while a stream is being opened can cause this status.
  ["internal as unavailable", status.INTERNAL, Code.Unavailable],
  ["unavailable as unavailable", status.UNAVAILABLE, Code.Unavailable],
  ["unimplemented as unimplemented", status.UNIMPLEMENTED, Code.Unimplemented],
])("reports the status of a refused stream: %s", async (_name, refusal, code) => {
  const exchange = new ListExchange({ address: await startRefusing(refusal), clock: steadyClock });
  const failure = await exchange.handleList(list, options).catch(ConnectError.from);
  exchange.close();
  expect(failure).toMatchObject({ code });
});

/**
 * Starts a registry that records the messages of its streams. @param headers response headers; `{}` if the registry
 * accepts no batches
 */
async function startRecording(headers: Record<string, string>) {
  const messages: ExchangeRequest[] = [];
  const address = await startRegistry((call) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    call.sendMetadata(metadata);
    call.on("data", (bytes: Buffer) => messages.push(fromBinary(ExchangeRequestSchema, bytes)));
  });
  return { address, messages };
}

test.each([
  ["as one batch to a registry that accepts batches", { [acceptsBatchesHeader.name]: "1" }, ["call", "batch"]],
  ["separately to a registry that does not announce batches", {}, ["call", "call", "call"]],
])("sends the requests made in one turn of the event loop %s", async (_what, headers, kinds) => {
  const { address, messages } = await startRecording(headers);
  const exchange = new ListExchange({ address, clock: steadyClock });
  const requests = [exchange.handleList(list, options)];
  await expect.poll(() => messages).toHaveLength(1);
  requests.push(exchange.handleList(list, options), exchange.handleList(list, options));
  await expect.poll(() => messages.map(({ kind }) => kind.case)).toEqual(kinds);
  exchange.close();
  const ends = await Promise.allSettled(requests);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
});

test("close() ends the outstanding requests to a replica whose address is no longer listed", async () => {
  const replicas = [await startSilent(), await startSilent()];
  let addresses = replicas.map(({ address }) => address).slice(0, 1);
  const resolve = async () => addresses;
  const exchange = new ListExchange({ address: "registry:1", clock: steadyClock, resolve, resolveEveryMs: 10 });
  const request = exchange.handleList(list, { ...options, timeoutMs: 60_000 }).catch(ConnectError.from);
  await expect.poll(() => replicas[0]?.requests()).toBe(1);
  addresses = replicas.map(({ address }) => address).slice(1);
  await expect.poll(() => replicas[1]?.streams()).toBe(1);
  exchange.close();
  expect(await request).toMatchObject({ code: Code.Unavailable });
  await expect.poll(() => replicas.map(({ streams }) => streams())).toEqual([0, 0]);
});
