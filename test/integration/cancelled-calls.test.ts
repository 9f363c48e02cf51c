import { createClient } from "@connectrpc/connect";
import { Server } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { mountService } from "../../services/registry/rpc/server/grpc-server.ts";
import { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
import { grpcMount } from "../harness/grpc-mount.ts";

// Node's HTTP/2 server closes a session after a burst of 1,000 stream resets.
const cancelledCalls = 1_500;
const callsAtOnce = 50;

test("a flood of cancelled calls does not break other calls on the same connection", async () => {
  const server = new Server();
  const finish = Promise.withResolvers<void>();
  let received = 0;
  mountService(
    server,
    EdgeService,
    {
      // The call that the cancelled calls must not break.
      listRecentKeys: async () => {
        await finish.promise;
        return { nextStoreId: "sto_1" };
      },
      returnAdmissions: async () => {
        received++;
        await finish.promise;
        return {};
      },
    },
    grpcMount(() => undefined),
  );
  const port = await listenGrpc(server, "127.0.0.1:0");
  const transport = createGrpcClient({ address: `127.0.0.1:${port}`, timeoutMs: 60_000 });
  onTestFinished(async () => {
    transport.close();
    await closeGrpc(server, 100);
  });
  const client = createClient(EdgeService, transport);
  const other = client.listRecentKeys({ withinSeconds: 1 }).catch((error: unknown) => error);

  for (let done = 0; done < cancelledCalls; done += callsAtOnce) {
    const controller = new AbortController();
    const calls = Array.from({ length: callsAtOnce }, () => client.returnAdmissions({}, { signal: controller.signal }));
    const results = Promise.allSettled(calls);
    await expect.poll(() => received, { interval: 1 }).toBe(done + callsAtOnce);
    controller.abort();
    expect((await results).map(({ status }) => status)).toEqual(Array(callsAtOnce).fill("rejected"));
  }
  finish.resolve();
  expect(await other).toMatchObject({ nextStoreId: "sto_1" });
});
