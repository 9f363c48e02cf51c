import { afterAll, expect } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { openTestPlatformApp, type PlatformMessage } from "../harness/storefront/test-platform-app.ts";

type Rules = Parameters<TestRegistry["storefront"]["setStorefrontRules"]>[0]["rules"];

/** A store whose platform sends messages to the edge. */
export interface TestShop {
  readonly shop: string;
  readonly storeId: string;
  /** Sends a message and expects a response with `status`, by default 200. */
  send(
    topic: string,
    payload: PlatformMessage["payload"],
    more?: Partial<PlatformMessage>,
    status?: number,
  ): Promise<void>;
  /** Sends a message as {@link send} does, and waits until the store has no waiting messages or orders. */
  report(topic: string, payload: PlatformMessage["payload"], more?: Partial<PlatformMessage>): Promise<void>;
  /** Returns each certificate of an order as `line/unit status`, sorted. */
  certificatesOf(orderId: number): Promise<string[]>;
  /** Waits until the store has no waiting messages or orders. */
  settled(): Promise<void>;
}

let shopCount = 0;

/** Starts a registry and an edge that accepts messages from a platform, and stops them after the tests. */
export async function openStorefrontRig(options: Parameters<typeof openTestRegistry>[0] = {}) {
  const app = await openTestPlatformApp(afterAll);
  const registry = await openTestRegistry(options);
  const edge = await openTestEdge({
    registryAddress: registry.address,
    platformSecretFile: app.secretFile,
  });
  const edgeUrl = `http://127.0.0.1:${edge.port}`;
  const { certificates } = registry.database.collections;

  async function openShop(rules: Rules = [allProducts]): Promise<TestShop> {
    shopCount += 1;
    const shop = `storefront-${shopCount}.example.test`;
    const { store } = await registry.admin.createStore({ shop, plan: Plan.PRO });
    const storeId = store?.id ?? "";
    await registry.storefront.setStorefrontRules({ rules }, inStore(storeId));
    const send: TestShop["send"] = async (topic, payload, more = {}, status = 200) => {
      const response = await app.send(edgeUrl, { shop, topic, payload, ...more });
      expect({ status: response.status, topic }).toEqual({ status, topic });
    };
    const settled = () =>
      eventually(async () => {
        const { waitingCount } = await registry.storefront.getStorefront({}, inStore(storeId));
        expect(waitingCount).toBe(0);
      });
    return {
      shop,
      storeId,
      send,
      settled,
      async report(...message) {
        await send(...message);
        await settled();
      },
      async certificatesOf(orderId) {
        const found = await certificates.find({ store: storeId, "order.id": String(orderId) }).toArray();
        return found.map(({ issueKey = "", status }) => `${issueKey.split("/").slice(1).join("/")} ${status}`).sort();
      },
    };
  }
  return { app, registry, edge, edgeUrl, openShop };
}
