import { afterAll, describe, expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { startEdge } from "../../services/edge/testing/start-edge.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { type BrowserSession, keptFormIn, openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";

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

describe("a form that meets an outage", () => {
  async function openForm() {
    const shop = `${crypto.randomUUID()}.example.test`;
    const storeId = await createTestStore(rig.registry, { shop });
    const merchant = await openBrowserSession({ registry: rig.registry, edge }, storeId);
    const entries = { action: "issue", title: "Kite Season", buyer: "Zoë", email: "zoe@example.test" };
    return { storeId, merchant, form: { ...entries, shop, token: merchant.formToken, nonce: "nonce-1" } };
  }

  const openKept = ({ sessionToken }: BrowserSession, response: Response) => {
    const headers = { Cookie: `__Host-settings=${sessionToken}; ${keptFormIn(response)}`, "Accept-Language": "en" };
    return fetch(`http://127.0.0.1:${edge.port}${response.headers.get("location")}`, { headers });
  };

  async function expectKept(merchant: BrowserSession, response: Response): Promise<void> {
    expect([response.status, keptFormIn(response)]).toEqual([303, expect.any(String)]);
    expect((await openKept(merchant, response)).status).toBe(503);
    proxy.heal();
    const page = await eventually(async () => {
      const opened = await openKept(merchant, response);
      expect(opened.status).toBe(200);
      return opened.text();
    });
    expect(page).toContain(textsFor("en")("settings.shell.uncertain"));
    for (const value of ["Kite Season", "Zoë", "zoe@example.test", "nonce-1"])
      expect(page).toContain(`value="${value}"`);
    expect(page).not.toContain("data-mistakes");
  }

  test("before its session is known is shown again with its entries; one that a script sends gets a 503", async () => {
    const { storeId, merchant, form } = await openForm();
    proxy.cut();
    const response = await merchant.post("/certificates/issue", form);
    const { nonce: _, ...unsent } = form;
    const script = await merchant.post("/certificates/issue", unsent);
    expect([script.status, keptFormIn(script)]).toEqual([503, undefined]);
    await expectKept(merchant, response);
    expect(await listAll(rig.registry, storeId)).toEqual([]);
    expect(edge.log).toContainEqual(expect.objectContaining({ method: "POST", status: 303, error: "unavailable" }));
  });

  test("while it takes effect is shown again with its entries, and does not take effect again if it is sent again", async () => {
    const { storeId, merchant, form } = await openForm();
    proxy.loseReplies(form.title);
    const sent = merchant.post("/certificates/issue", form);
    await eventually(async () => expect(await listAll(rig.registry, storeId)).toHaveLength(1));
    proxy.cut();
    await expectKept(merchant, await sent);
    const again = await merchant.post("/certificates/issue", form);
    expect(again.headers.get("location")).toContain("done=issued");
    expect(await listAll(rig.registry, storeId)).toHaveLength(1);
    const other = await (await merchant.submit("/certificates/issue", { ...form, title: "Other" })).text();
    expect(other).toContain(textsFor("en")("settings.shell.carriedOut"));
    expect(other).not.toContain('value="nonce-1"');
  });
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
