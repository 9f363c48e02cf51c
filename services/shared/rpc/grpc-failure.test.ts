import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { createGrpcClient } from "./grpc-client.ts";
import { didNotReachServer } from "./grpc-failure.ts";

/** Calls a server at this address. @returns the error of the call */
async function failureOfCallTo(address: string): Promise<unknown> {
  const transport = createGrpcClient({ address, timeoutMs: 2_000 });
  onTestFinished(() => transport.close());
  const call = createClient(NotifierService, transport).claimDeliveries({ notifierId: "test" });
  return call.then(
    () => "no error",
    (error: unknown) => error,
  );
}

/** Starts an HTTP/2 server. @returns its address */
async function startServer(onStream: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    onStream(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("didNotReachServer returns true if no server is listening", async () => {
  // Port 1 is privileged, so no test listens on it.
  expect(didNotReachServer(await failureOfCallTo("127.0.0.1:1"))).toBe(true);
});

test("didNotReachServer returns true if the server's name cannot be resolved", async () => {
  expect(didNotReachServer(await failureOfCallTo("dns:///server.invalid:9090"))).toBe(true);
});

test.each([
  ["breaks the connection during the call", (stream: ServerHttp2Stream) => stream.session?.destroy()],
  ["does not respond in time", (stream: ServerHttp2Stream) => void setTimeout(() => stream.session?.destroy(), 2_500)],
])("didNotReachServer returns false if the server %s", async (_how, onStream) => {
  expect(didNotReachServer(await failureOfCallTo(await startServer(onStream)))).toBe(false);
});

test.each([
  new Error("No connection established"),
  new ConnectError("No connection established", Code.Unavailable),
  "text",
  undefined,
])("didNotReachServer returns false for %s", (error) => {
  expect(didNotReachServer(error)).toBe(false);
});
