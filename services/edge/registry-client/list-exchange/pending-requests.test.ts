import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HandleListResponseSchema } from "#gen/registry/v1/edge_service_pb.js";
import { connectedSockets } from "../../../../test/harness/sockets/connected-sockets.ts";
import { PendingRequests } from "./pending-requests.ts";

const responseOf = (storeId: string) => create(HandleListResponseSchema, { storeId });
const limits = () => ({ timeoutMs: 60_000, signal: new AbortController().signal });

/** Creates PendingRequests whose timeouts and cancellations are recorded in `ended`. */
function openPending() {
  const ended: string[] = [];
  const pending = new PendingRequests({
    onTimeout: (id) => ended.push(`timeout ${id}`),
    onLeave: (id) => ended.push(`leave ${id}`),
  });
  return { pending, ended };
}

test("matches replies to their requests in any order, and ignores repeated replies and unknown ids", async () => {
  const { pending } = openPending();
  const requests = Array.from({ length: 200 }, () => pending.add(limits()));
  expect(new Set(requests.map(({ id }) => id)).size).toBe(200);
  for (const { id } of requests.toReversed()) {
    pending.resolve(id, responseOf(`sto_${id}`));
    pending.resolve(id, responseOf("repeated"));
  }
  pending.reject(4_711, new Error("unknown"));
  const responses = await Promise.all(requests.map(({ response }) => response));
  expect(responses.map(({ storeId }) => storeId)).toEqual(requests.map(({ id }) => `sto_${id}`));
  expect(pending.size).toBe(0);
});

test("reports a request that times out or whose client disconnects, but not one that already has its reply", async () => {
  const { pending, ended } = openPending();
  const leaving = new AbortController();
  const left = pending.add({ timeoutMs: 60_000, signal: leaving.signal });
  const answered = pending.add({ timeoutMs: 60_000, signal: leaving.signal });
  pending.resolve(answered.id, responseOf("sto_1"));
  leaving.abort();
  expect(ended).toEqual([`leave ${left.id}`]);
  const late = pending.add({ timeoutMs: 1, signal: new AbortController().signal });
  await expect.poll(() => ended).toContain(`timeout ${late.id}`);
});

test("rejectAll() rejects all pending requests", async () => {
  const { pending } = openPending();
  const responses = [pending.add(limits()), pending.add(limits())].map(({ response }) => response);
  pending.rejectAll(new Error("broken"));
  for (const response of responses) await expect(response).rejects.toThrow("broken");
  expect(pending.size).toBe(0);
});

test("resolves a request whose reply has arrived while the process was paused for longer than its time", async () => {
  const { pending, ended } = openPending();
  const [stream, registry] = await connectedSockets();
  const { id, response } = pending.add({ ...limits(), timeoutMs: 50 });
  stream.once("data", () => pending.resolve(id, responseOf("sto_1")));
  registry.write("reply");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect((await response).storeId).toBe("sto_1");
  expect(ended).toEqual([]);
});
