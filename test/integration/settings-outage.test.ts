import { describe, expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { apiKeysMax } from "../../services/registry/stores/api-keys.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { hiddenEntriesIn } from "../harness/hidden-entries.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";

const rig = await openPagesRig();
const proxy = await startCutProxy(rig.registry.address);
const edge = await openTestEdge({ registryAddress: proxy.address });

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

describe("the page that answers a form which meets an outage", () => {
  const sendAgain = textsFor("en")("settings.shell.sendAgain");

  async function openForm() {
    const shop = `${crypto.randomUUID()}.example.test`;
    const storeId = await createTestStore(rig.registry, { shop });
    const merchant = await openBrowserSession({ registry: rig.registry, edge }, storeId);
    const entries = { action: "issue", title: '"Kite" <Season>', buyer: "Zoë", email: "zoe@example.test" };
    return { storeId, merchant, form: { ...entries, shop, token: merchant.formToken, nonce: "nonce-1" } };
  }

  /** Sends a form that takes effect although its confirmation is lost; the outage goes on. */
  async function sendWithLostReply() {
    const opened = await openForm();
    proxy.loseReplies("Kite");
    const sent = opened.merchant.post("/certificates/issue", opened.form);
    await eventually(async () => expect(await listAll(rig.registry, opened.storeId)).toHaveLength(1));
    proxy.cut();
    return { ...opened, response: await sent };
  }

  test("contains the form and says that nothing has been changed, and the form takes effect when it is sent again", async () => {
    const { storeId, merchant, form } = await openForm();
    proxy.cut();
    const refused = await merchant.post("/certificates/issue", form);
    const page = await refused.text();
    expect(page).toContain(textsFor("en")("settings.shell.problem.unchangedWithForm.explanation"));
    expect([refused.status, page]).toEqual([503, expect.stringContaining(sendAgain)]);
    expect(hiddenEntriesIn(page)).toEqual(form);
    proxy.heal();
    await eventually(async () => {
      const { status } = await merchant.post("/certificates/issue", hiddenEntriesIn(page));
      expect(status).toBe(303);
    });
    expect(await listAll(rig.registry, storeId)).toMatchObject([{ product: { title: form.title } }]);
  });

  test("contains the form of a change whose confirmation was lost, and sending it again changes nothing more", async () => {
    const { storeId, merchant, form, response } = await sendWithLostReply();
    const page = await response.text();
    expect(hiddenEntriesIn(page)).toEqual(form);
    proxy.heal();
    await eventually(async () => {
      const again = await merchant.post("/certificates/issue", hiddenEntriesIn(page));
      expect(again.headers.get("location")).toContain("done=issued");
    });
    expect(await listAll(rig.registry, storeId)).toHaveLength(1);
  });

  test("is followed, once the session has ended, by a page that speaks of this sending only: the change may have been made before", async () => {
    const { storeId, merchant, form } = await sendWithLostReply();
    proxy.heal();
    await rig.registry.admin.revokeSessions({}, inStore(storeId));
    await eventually(async () => {
      const page = await merchant.submit("/certificates/issue", form);
      expect([page.status, await page.text()]).toEqual([
        401,
        expect.stringContaining("This time nothing was changed, and this browser keeps your entries"),
      ]);
    });
  });

  test("contains no form of a change that may have been made and that would be made twice", async () => {
    const { storeId, merchant, form } = await openForm();
    const isMade = async () =>
      (await rig.registry.admin.listApiKeys({}, inStore(storeId))).keys.some(({ label }) => label === "Warehouse");
    const { token, shop, nonce } = form;
    proxy.loseReplies("Warehouse");
    const send = () => merchant.post("/keys", { action: "create", label: "Warehouse", token, shop, nonce });
    // A browser shows the response to the second of two clicks, which carries nothing out itself.
    const sent = [send(), send()];
    await eventually(async () => expect(await isMade()).toBe(true));
    proxy.cut();
    await Promise.all(sent);
    // Sent again after going back, the form is refused before it is carried out.
    for (const refused of await Promise.all([...sent, send()])) {
      const page = await refused.text();
      expect([refused.status, page]).toEqual([503, expect.not.stringContaining("<form")]);
      expect(page).toContain(`<a class="button" href="?">${textsFor("en")("settings.shell.checkChange")}</a>`);
    }
    proxy.heal();
    await eventually(async () => expect((await merchant.get("/plan")).status).toBe(200));
  });

  test("speaks of this sending only and contains no form, if the form could make the change twice and was not carried out", async () => {
    const { storeId, merchant, form } = await openForm();
    const { token, shop, nonce } = form;
    for (let count = 0; count < apiKeysMax; count++)
      await rig.registry.admin.createApiKey({ label: "key" }, inStore(storeId));
    const create = (label: string) => merchant.post("/keys", { action: "create", label, token, shop, nonce });
    // The registry refuses a key too many, and changes nothing.
    expect((await create("Warehouse")).status).toBe(303);
    proxy.cut();
    for (const refused of [await create("Warehouse"), await create("Shop floor")]) {
      const page = await refused.text();
      expect([refused.status, page]).toEqual([503, expect.not.stringContaining("<form")]);
      expect(page).toContain(textsFor("en")("settings.shell.problem.unchanged.explanation"));
    }
    proxy.heal();
    await eventually(async () => expect((await merchant.get("/plan")).status).toBe(200));
  });

  test("contains the form of a change that is saved in one version only, and sending it again changes nothing", async () => {
    const { storeId, merchant, form } = await openForm();
    const { token, shop, nonce } = form;
    const { rulesVersion } = await rig.registry.storefront.getStorefront({}, inStore(storeId));
    const rule = { action: "add", version: String(rulesVersion), selector: "tag", value: "limited" };
    const sentForm = { ...rule, token, shop, nonce };
    proxy.loseReplies("limited");
    const sent = merchant.post("/storefront", sentForm);
    const rulesNow = async () => (await rig.registry.storefront.getStorefront({}, inStore(storeId))).rules;
    await eventually(async () => expect(await rulesNow()).toHaveLength(1));
    proxy.cut();
    const page = await (await sent).text();
    expect(hiddenEntriesIn(page)).toEqual(sentForm);
    proxy.heal();
    await eventually(async () => {
      const again = await merchant.post("/storefront", hiddenEntriesIn(page));
      expect(again.headers.get("location")).toContain("form=");
    });
    expect(await rulesNow()).toHaveLength(1);
  });

  test("contains no entries that another site or another session has sent, or that are long or many", async () => {
    const { merchant, form } = await openForm();
    proxy.cut();
    const many = Array.from({ length: 200 }, (_, index) => [`field-${index}`, ""]);
    const { nonce: _, ...byScript } = form;
    const pageOf = async (sent: Promise<Response>) => {
      const response = await sent;
      expect(response.status).toBe(503);
      const page = await response.text();
      expect(page).not.toContain("<form");
      return page;
    };
    const text = textsFor("en");
    const forged = merchant.fromSite("cross-site").post("/certificates/issue", form);
    expect(await pageOf(forged)).toContain(text("settings.shell.problem.unavailable.explanation"));
    const others = [
      merchant.post("/certificates/issue", { ...form, token: "other" }),
      merchant.post("/certificates/issue", { ...form, title: "a".repeat(20_000) }),
      merchant.post("/certificates/issue", Object.assign(Object.fromEntries(many), form)),
      merchant.post("/certificates/issue", byScript),
    ];
    for (const page of await Promise.all(others.map(pageOf)))
      expect(page).toContain(text("settings.shell.problem.unchanged.explanation"));
    proxy.heal();
    await eventually(async () => expect((await merchant.get("/plan")).status).toBe(200));
  });
});

test("a browser that keeps opening pages with its revoked session does not use up its network's sign-in attempts", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession({ registry: rig.registry, edge }, storeId);
  await rig.registry.admin.revokeSessions({}, inStore(storeId));
  const opened = [];
  for (let count = 0; count < 150; count++) opened.push((await merchant.get("/plan")).status);
  expect(new Set(opened)).toEqual(new Set([401]));
  // A colleague in the same network, whose session this edge has not seen before.
  const { "x-session": token } = await openSettingsSession(rig.registry, storeId);
  expect((await merchant.withSession(token).get("/plan")).status).toBe(200);
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
