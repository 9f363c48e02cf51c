import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { demoShopConfig } from "../../../deploy/local/demo-shop/config.ts";
import { startDemoShop } from "../../../deploy/local/demo-shop/run.ts";
import { shopProducts } from "../../../deploy/local/demo-shop/shop/product.ts";
import { receiverConfig } from "../../../deploy/local/receiver/config.ts";
import { startReceiver } from "../../../deploy/local/receiver/run.ts";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { inStore } from "../in-store.ts";
import { openStack } from "../stack/open-stack.ts";
import { partOf } from "../stack/start-stack.ts";
import { createTestStore } from "../test-stores.ts";

const shop = "linden-press.example";

/** Starts the demo shop and its receiver in this process, and a stack; stops everything after the file's tests. */
export async function openDemoShopRig() {
  // Chosen here, because the registry needs it for the links to the certificates' pages.
  const edgePort = String(await freePort());
  const baseUrl = `http://127.0.0.1:${edgePort}`;
  const stack = await openStack({
    name: "demo-shop",
    registries: [{ env: { REGISTRY_VERIFY_BASE_URL: `${baseUrl}/verify` } }],
    edges: [{ env: { EDGE_PORT: edgePort } }],
    notifiers: [{}],
  });
  const { secrets, supervisor } = stack;
  const { admin, storefront } = partOf(stack.registries);
  const inFolder = (name: string) => join(supervisor.folder, name);
  const receivedFile = inFolder("received.jsonl");

  const look = { displayName: "Linden Press", editionStyle: EditionStyle.ZERO_PADDED };
  const storeId = await createTestStore({ admin }, { shop, ...look });
  await admin.putProducts(
    {
      products: shopProducts.map(({ id, title, editionTotal, sku, variant }) => ({
        id: String(id),
        title,
        editionTotal,
        variants: [{ sku, title: variant }],
      })),
    },
    inStore(storeId),
  );
  // The first rule applies only if the shop reports the tags of its products.
  const rules = [
    { name: "limited", selector: RuleSelector.TAG, value: "limited" },
    { name: "all", selector: RuleSelector.ALL },
  ];
  await storefront.setStorefrontRules({ rules }, inStore(storeId));
  // The receiver needs a secret to start, but the real secret is created with the webhook, whose URL contains the
  // receiver's port.
  await writeFile(secrets.receiver.secret, "unused");
  const receiverVariables = {
    RECEIVER_PORT: "0",
    RECEIVER_CERT_FILE: secrets.receiver.cert,
    RECEIVER_KEY_FILE: secrets.receiver.key,
    RECEIVER_SECRET_FILE: secrets.receiver.secret,
    RECEIVER_LOG_FILE: receivedFile,
  };
  const receiver = await startReceiver(receiverConfig.load(receiverVariables), () => undefined);
  const webhookUrl = `https://127.0.0.1:${receiver.port}/webhooks`;
  const { secret } = await admin.setWebhook({ url: webhookUrl, createSecret: true }, inStore(storeId));
  await writeFile(secrets.receiver.secret, secret);

  const { apiKey } = await admin.createApiKey({ label: "mirror" }, inStore(storeId));
  const storefrontFacts = {
    webhook_url: `${baseUrl}/storefront/shopify/webhooks`,
    secret_file: secrets.platformSecretFile,
    shop,
  };
  await writeFile(
    inFolder("demo.json"),
    JSON.stringify({ base_url: baseUrl, api_key: apiKey, storefront: storefrontFacts }),
  );
  const shops: Awaited<ReturnType<typeof startDemoShop>>[] = [];
  const openShop = async (overdueMs = 5_000) => {
    const variables = {
      DEMO_SHOP_PORT: "0",
      DEMO_SHOP_FACTS_FILE: inFolder("demo.json"),
      DEMO_SHOP_SIGNING_SECRET_FILE: secrets.receiver.secret,
      DEMO_SHOP_RECEIVED_FILE: receivedFile,
      DEMO_SHOP_MIRROR_FILE: inFolder(`mirror-${shops.length}.db`),
      DEMO_SHOP_CERT_FILE: secrets.receiver.cert,
      DEMO_SHOP_KEY_FILE: secrets.receiver.key,
      DEMO_SHOP_OVERDUE_MS: String(overdueMs),
    };
    const started = await startDemoShop(demoShopConfig.load(variables), () => undefined);
    shops.push(started);
    return { url: `http://127.0.0.1:${started.port}/`, port: started.port };
  };
  const first = await openShop();
  afterAll(async () => {
    for (const started of shops) await started.stop();
    await receiver.stop();
  });
  const settingsLink = async () => (await admin.createSettingsLink({ actor: "Ada Lovelace" }, inStore(storeId))).url;
  return { ...first, openShop, settingsLink, signingSecretFile: secrets.receiver.secret };
}
