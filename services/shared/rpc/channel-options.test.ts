import { createSocket } from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { createGrpcClient } from "./grpc-client.ts";

// Docker's name server, for example, forwards such a query, which is never answered on a host without a way out: each
// certctl command would end half a minute late.
test("a call asks no name server for a service configuration", async () => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const servers = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  onTestFinished(() => {
    dns.setServers(servers);
    socket.close();
  });
  // Port 1 is privileged, so no test listens on it.
  const transport = createGrpcClient({ address: "dns:///localhost:1", timeoutMs: 2_000 });
  onTestFinished(() => transport.close());

  const firstQuery = once(socket, "message");
  await expect(createClient(NotifierService, transport).claimDeliveries({ notifierId: "test" })).rejects.toThrow();
  // Queries arrive in the order in which they are sent.
  dns.resolveTxt("last.example").catch(() => undefined);
  expect(String(await firstQuery)).toContain("last\x07example");
});
