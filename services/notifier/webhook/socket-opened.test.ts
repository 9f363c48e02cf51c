import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { socketOpened } from "./socket-opened.ts";
import { startTcpServer } from "./tcp-server-fixture.ts";

test("a connection that opens while the notifier is paused for longer than the time limit is not too late", async () => {
  const server = await startTcpServer(() => undefined);
  onTestFinished(() => server.stop());
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const failure = (seconds: number) =>
    new DeliveryFailure(OutcomeKind.CONNECTION_FAILED, reason("connection_not_accepted_in_time", { seconds }));
  const opened = socketOpened(socket, "connect", new AbortController().signal, { timeoutMs: 50, failure });
  // Node.js has begun to connect by the next turn, and the system accepts the connection.
  process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300));
  await opened;
  expect(socket.destroyed).toBe(false);
});
