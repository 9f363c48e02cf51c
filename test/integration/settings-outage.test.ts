import { afterAll, expect, test } from "vitest";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const rig = await openPagesRig();
const proxy = await startCutProxy(rig.registry.address);
const edge = await startEdge({ registryAddress: proxy.address });
afterAll(async () => {
  await edge.stop();
  await proxy.close();
});

test("an outage of the registry does not use up a network's sign-in attempts", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession({ registry: rig.registry, edge }, storeId);
  // A colleague in the same network, whose session this edge has not seen before.
  const { "x-session": token } = await openSettingsSession(rig.registry, storeId);
  const colleague = merchant.withSession(token);
  proxy.cut();
  const polled = [];
  for (let count = 0; count < 150; count++) polled.push((await (count % 2 ? merchant : colleague).get("/plan")).status);
  expect(new Set(polled)).toEqual(new Set([503]));
  proxy.heal();
  await eventually(async () => expect((await colleague.get("/plan")).status).toBe(200));
  expect((await merchant.get("/plan")).status).toBe(200);
});

test("wrong session tokens use up a network's sign-in attempts, but established sessions keep working", async () => {
  const merchant = await openBrowserSession({ registry: rig.registry, edge }, await createPageStore(rig));
  const guesses = [];
  for (let count = 0; count < 100; count++) {
    const { status, headers } = await merchant.withSession(`cst_${String(count).padStart(43, "0")}`).get("/plan");
    guesses.push(status);
    // The attempts refill by one in a second.
    expect(headers.get("retry-after")).toBe(status === 429 ? "1" : null);
  }
  expect(guesses.slice(0, 50)).toEqual(Array(50).fill(401));
  expect(guesses).toContain(429);
  expect((await merchant.get("/plan")).status).toBe(200);
});
