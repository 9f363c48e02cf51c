import { Code, ConnectError } from "@connectrpc/connect";
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ListExchange } from "./list-exchange.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.forceShutdown();
});

/** Starts a registry that refuses every stream with a status. @returns its address */
async function startRefusing(code: status): Promise<string> {
  const server = new Server();
  servers.push(server);
  const asIs = (bytes: Buffer) => bytes;
  const codecs = {
    ...{ requestSerialize: asIs, requestDeserialize: asIs },
    ...{ responseSerialize: asIs, responseDeserialize: asIs },
  };
  const path = "/registry.v1.ListExchangeService/Exchange";
  server.addService(
    { Exchange: { path, requestStream: true, responseStream: true, ...codecs } },
    { Exchange: (call: NodeJS.EventEmitter) => call.emit("error", { code, details: "refused" }) },
  );
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return `127.0.0.1:${port}`;
}

test.each([
  // A registry that is killed while a stream is being opened causes this status in some cases.
  ["internal", status.INTERNAL, Code.Unavailable],
  ["unavailable", status.UNAVAILABLE, Code.Unavailable],
  ["unimplemented", status.UNIMPLEMENTED, Code.Unimplemented],
])("turns every refusal of a stream except unimplemented into unavailable: %s", async (_name, refusal, code) => {
  const exchange = new ListExchange({ address: await startRefusing(refusal), clock: steadyClock });
  const list = { keySha256: new Uint8Array(32), admissionId: new Uint8Array(16) };
  const options = { requestId: "1", timeoutMs: 5_000, signal: new AbortController().signal };
  const failure = await exchange.handleList(list, options).catch(ConnectError.from);
  exchange.close();
  expect(failure).toMatchObject({ code });
});
