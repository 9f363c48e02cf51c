import { expect, test } from "vitest";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { signedWith } from "../harness/signed-with.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { testWebhookUrl as url } from "../harness/test-stores.ts";

const { registry } = await sharedPagesRig();

/** Starts a proxy. A reply with the webhook's URL waits in it until another caller has made the pending change. */
async function startInterleaving() {
  let pending: (() => Promise<unknown>) | undefined;
  const proxy = await startTcpProxy(`tcp://${registry.address}`, {
    forward: ({ client, server }) => {
      client.pipe(server);
      let sent = Promise.resolve();
      const send = async (bytes: Buffer) => {
        const change = bytes.includes(url) ? pending : undefined;
        if (change !== undefined) pending = undefined;
        await change?.();
        client.write(bytes);
      };
      server.on("data", (bytes: Buffer) => {
        sent = sent.then(() => send(bytes));
      });
    },
  });
  atEnd(proxy.close);
  return {
    address: proxy.address,
    changeAfterRead: (change: () => Promise<unknown>) => {
      pending = change;
    },
  };
}

const between = await startInterleaving();
const edge = await openTestEdge({ registryAddress: between.address });

/** Creates a store with a webhook that has no secret. */
async function openStore() {
  const storeId = await createPageStore({ registry });
  const scope = inStore(storeId);
  const set = (webhook: { readonly url: string; readonly createSecret?: boolean }) =>
    registry.admin.setWebhook(webhook, scope);
  await set({ url });
  const webhook = async () => (await registry.admin.getWebhook({}, scope)).webhook;
  return { storeId, set, webhook };
}

async function createInSettings(storeId: string) {
  const merchant = await openBrowserSession({ registry, edge }, storeId);
  return (change: () => Promise<unknown>) => {
    between.changeAfterRead(change);
    return merchant.post("/webhook", { action: "create", token: merchant.formToken });
  };
}

test("'Create secret' keeps a secret that another caller creates after the settings have read that there is none", async () => {
  const { storeId, set } = await openStore();
  const create = await createInSettings(storeId);
  let installed = "";
  const response = await create(async () => {
    installed = (await set({ url, createSecret: true })).secret;
  });
  expect([response.status, response.headers.get("location")]).toEqual([303, "/settings/webhook"]);
  expect(await signedWith(registry, storeId)).toEqual([installed]);
});

test("'Create secret' keeps the URL that another caller saves after the settings have read the old one", async () => {
  const { storeId, set, webhook } = await openStore();
  const create = await createInSettings(storeId);
  expect((await create(() => set({ url: "https://new.example.test/hook" }))).status).toBe(303);
  expect(await webhook()).toMatchObject({ url: "https://new.example.test/hook", secrets: [{}] });
});

test("'Create secret' does not set up a webhook again that another caller removes after the settings have read it", async () => {
  const { storeId, set, webhook } = await openStore();
  const create = await createInSettings(storeId);
  expect((await create(() => set({ url: "" }))).status).toBe(303);
  expect(await webhook()).toBeUndefined();
});

test("certctl webhook set --create-secret only previews the replacement of a secret that another caller creates after certctl has read that there is none", async () => {
  const { storeId, set } = await openStore();
  let installed = "";
  between.changeAfterRead(async () => {
    installed = (await set({ url, createSecret: true })).secret;
  });
  const { code, out } = await runCertctlFor(between, storeId, "webhook", "set", url, "--create-secret");
  expect([code, out]).toEqual([0, expect.stringMatching(/^would set the webhook and replace its signing secret/)]);
  expect(await signedWith(registry, storeId)).toEqual([installed]);
});

test.each([
  ["keeps the URL that another caller saves", "https://new.example.test/hook"],
  ["does not set up a webhook again that another caller removes", ""],
])("certctl webhook set --create-secret %s after certctl has read the old one", async (_what, changed) => {
  const { storeId, set, webhook } = await openStore();
  between.changeAfterRead(() => set({ url: changed }));
  const { code, out, error } = await runCertctlFor(between, storeId, "webhook", "set", url, "--create-secret");
  expect([code, out, error]).toEqual([1, "", expect.stringContaining("This command has changed nothing.")]);
  expect((await webhook())?.url ?? "").toBe(changed);
});
