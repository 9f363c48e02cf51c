import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { storefrontSteps } from "../../services/registry/storefront/storefront-steps.ts";
import { eventually } from "../harness/eventually.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { newOrderId, orderPayload, refundPayload } from "../harness/storefront/order-payload.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openTestPlatformApp } from "../harness/storefront/test-platform-app.ts";
import { createTemporaryFolder } from "../harness/temporary-folder.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const shop = "killed.example.test";
const line = 13_800_000_000_001;
const withinMs = 60_000;

/** Starts a stack whose registry, each time `planFile` names a step, deletes the file and dies at that step. */
async function startDyingStack({ onTestFinished }: TestContext) {
  const app = await openTestPlatformApp(onTestFinished);
  const folder = await createTemporaryFolder("kill-plan");
  onTestFinished(folder.remove);
  const planFile = join(folder.path, "step");
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const stack = await startStack({
    name: "killed-storefront-work",
    mongodbUri: database.uri,
    restart: true,
    registries: [
      {
        script: "test/harness/storefront/dying-registry.ts",
        env: { TEST_KILL_PLAN_FILE: planFile },
        killsItself: true,
      },
    ],
    edges: [{ env: { EDGE_PLATFORM_SECRET_FILE: app.secretFile } }],
  });
  onTestFinished(() => stack.close());
  return { app, planFile, registry: partOf(stack.registries), edge: partOf(stack.edges), ...stack.collections };
}

// Concurrent, because each test mostly waits until the lease of the killed registry expires.
test.concurrent.for(storefrontSteps)(
  "a registry that is killed at the step %s loses no certificate or revocation and repeats none",
  { timeout: 300_000 },
  async (step, context) => {
    const { app, planFile, registry, edge, certificates, history } = await startDyingStack(context);
    const { store } = await registry.admin.createStore({ shop, plan: Plan.PRO });
    const storeId = store?.id ?? "";
    await registry.storefront.setStorefrontRules({ rules: [allProducts] }, inStore(storeId));
    /** Repeats a message until it is acknowledged, as the platform does. */
    const sendUntilTaken = async (topic: string, payload: object) => {
      const webhookId = randomUUID();
      const send = () => app.send(edge.url, { shop, topic, payload, webhookId });
      await eventually(async () => expect((await send()).status).toBe(200), { withinMs, everyMs: 100 });
    };

    const id = newOrderId();
    const lines = [{ id: line, quantity: 3 }];
    writeFileSync(planFile, step);
    await sendUntilTaken("orders/create", orderPayload({ id, lines, financial_status: "pending" }));
    await sendUntilTaken("orders/paid", orderPayload({ id, lines, updated_at: "2030-01-31T10:00:01-05:00" }));
    const issued = async () => certificates.countDocuments({ store: storeId, "order.id": String(id) });
    await eventually(async () => expect(await issued()).toBe(3), { withinMs });
    if (!existsSync(planFile)) writeFileSync(planFile, step);
    await sendUntilTaken("refunds/create", refundPayload(id, { [line]: 2 }, id));
    await eventually(
      async () => {
        const found = await certificates
          .find({ store: storeId, "order.id": String(id) })
          .sort({ issueKey: 1 })
          .toArray();
        expect(found.map(({ status }) => status)).toEqual(["active", "revoked", "revoked"]);
        expect(existsSync(planFile)).toBe(false);
        const { waitingCount } = await registry.storefront.getStorefront({}, inStore(storeId));
        expect(waitingCount).toBe(0);
      },
      { withinMs },
    );
    const ids = (await certificates.find({ "order.id": String(id) }).toArray()).map(({ _id }) => _id);
    expect(await history.countDocuments({ certificate: { $in: ids } })).toBe(5);
  },
);
