import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { compoundKey, keysOf } from "../../services/registry/mongo/documents/compound-key.ts";
import { MongoSessions } from "../../services/registry/mongo/sessions/mongo-sessions.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openTestPlatform } from "../harness/test-platform.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const platform = await openTestPlatform(afterAll);
const { app, registry, edgeUrl, openShop } = await openStorefrontRig({ env: platform.variables });
const { storefrontMessages } = registry.database.collections;
const post = (shop: string, more: object = {}) =>
  app.send(edgeUrl, { shop, topic: "orders/paid", payload: orderPayload(), ...more });

describe("a message", () => {
  test("with a wrong signature is refused and not stored", async () => {
    const { shop, storeId } = await openShop();
    const response = await post(shop, { signature: Buffer.alloc(32).toString("base64") });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: "unauthorized" });
    expect(await storefrontMessages.countDocuments({ store: storeId })).toBe(0);
  });

  test("is acknowledged again and has no further effect when it is repeated", async () => {
    const { send, settled, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    for (let times = 0; times < 3; times += 1) await send("orders/paid", orderPayload({ id }), { webhookId: "same" });
    await settled();
    expect(await certificatesOf(id)).toHaveLength(1);
    expect(await storefrontMessages.countDocuments({ store: storeId })).toBe(1);
  });

  test("for an unknown store gets 404 if it is about an order, 200 if it is about the app's removal or an erasure", async () => {
    expect((await post("unknown.example.test")).status).toBe(404);
    expect((await post("unknown.example.test", { topic: "app/uninstalled", payload: {} })).status).toBe(200);
    expect((await post("unknown.example.test", { topic: "shop/redact", payload: {} })).status).toBe(200);
  });

  test("with an unused topic is acknowledged and not stored", async () => {
    const { send, storeId } = await openShop();
    await send("carts/update", {});
    expect(await storefrontMessages.countDocuments({ store: storeId })).toBe(0);
  });

  test("gets 400 without an id, 404 for an unknown platform, and 405 with a method other than POST", async () => {
    const { shop } = await openShop();
    expect((await post(shop, { webhookId: "" })).status).toBe(400);
    expect((await fetch(`${edgeUrl}/storefront/other/webhooks`, { method: "POST", body: "{}" })).status).toBe(404);
    expect((await fetch(`${edgeUrl}/storefront/shopify/webhooks`)).status).toBe(405);
  });

  test("that is too large gets 413, and one of 4 MiB is accepted", async () => {
    const { shop } = await openShop();
    const payloadOf = (length: number) => orderPayload({ note: "x".repeat(length) });
    expect((await post(shop, { payload: payloadOf(4 * 1_024 * 1_024) })).status).toBe(200);
    expect((await post(shop, { payload: payloadOf(5 * 1_024 * 1_024) })).status).toBe(413);
  });

  test("gets 503 with Retry-After while the registry is unavailable", async () => {
    const alone = await openTestEdge({ platformSecretFile: app.secretFile }, { onEnd: onTestFinished });
    const message = { shop: "any.example.test", topic: "orders/paid", payload: orderPayload() };
    const response = await app.send(`http://127.0.0.1:${alone.port}`, message);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^[1-5]$/);
  });

  test("sets the time of the store's last message, even if the message is a repetition; deleting the stored message keeps that time", async () => {
    const { send, settled, storeId } = await openShop();
    const lastMessageAt = async () => {
      const at = (await registry.storefront.getStorefront({}, inStore(storeId))).lastMessageAt;
      return at === undefined ? undefined : timestampMs(at);
    };
    expect(await lastMessageAt()).toBeUndefined();
    await send("orders/paid", orderPayload(), { webhookId: "m1" });
    const first = await lastMessageAt();
    expect(first).toBeGreaterThan(Date.now() - 60_000);
    await send("orders/paid", orderPayload(), { webhookId: "m1" });
    const repeated = await lastMessageAt();
    expect(repeated).toBeGreaterThan(first ?? 0);
    await settled();
    await storefrontMessages.deleteMany({ store: storeId });
    expect(await lastMessageAt()).toBe(repeated);
  });

  test("that cannot be translated is quarantined, and the reason is listed", async () => {
    const { send, storeId } = await openShop();
    await send("orders/paid", { ...orderPayload(), financial_status: "odd" });
    const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
    expect(problems).toMatchObject([
      {
        topic: "orders/paid",
        hasFailed: true,
        problems: [{ code: "message_field_malformed", params: { field: "financial_status", fault: "invalid_value" } }],
      },
    ]);
    // The message of the installation may still wait.
    await expect
      .poll(() => registry.storefront.getStorefront({}, inStore(storeId)))
      .toMatchObject({ failedCount: 1, waitingCount: 0 });
  });
});

describe("the removal of the app", () => {
  const minute = (count: number) => new Date(Date.now() + count * 60_000).toISOString();

  async function openUsedShop() {
    const shop = await openShop();
    const { storeId } = shop;
    await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
    const headers = await openSettingsSession(registry, storeId);
    const isOpen = async () => {
      const { keys } = await registry.admin.listApiKeys({}, inStore(storeId));
      const session = await registry.settings.session.getSession({}, { headers }).then(
        () => true,
        () => false,
      );
      return { keys: keys.length, session };
    };
    return { ...shop, isOpen };
  }

  const removalOf = (shop: string) => ({ id: 1, domain: shop, myshopify_domain: shop });

  test("revokes the API keys and the sessions before its message is acknowledged", async () => {
    const { send, isOpen, storeId } = await openUsedShop();
    expect(await isOpen()).toEqual({ keys: 1, session: true });
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(0) });
    expect(await isOpen()).toEqual({ keys: 0, session: false });
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(true);
  });

  test("deletes expired API keys and listen tokens as well, which a clock that is set back would make valid again", async () => {
    const { send, storeId } = await openUsedShop();
    await registry.admin.createListenToken({}, inStore(storeId));
    const { access, listenTokens } = registry.database.collections;
    await access.updateOne({ _id: storeId }, { $set: { "keys.0.validUntil": new Date(0) } });
    await listenTokens.updateMany({ store: storeId }, { $set: { expiresAt: new Date(0) } });
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(0) });
    expect((await access.findOne({ _id: storeId }))?.keys ?? []).toEqual([]);
    expect(await listenTokens.countDocuments({ store: storeId })).toBe(0);
  });

  test("takes effect while the store's certificates are being changed, also if a developer listens", async () => {
    const { send, isOpen, storeId } = await openUsedShop();
    await registry.admin.createListenToken({}, inStore(storeId));
    const { client, collections } = registry.database;
    // As a change of a certificate does, for longer than the removal may take.
    const session = client.startSession();
    session.startTransaction();
    await collections.stores.updateOne({ _id: storeId }, { $set: { clock: new Date() } }, { session });
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(0) });
    await session.endSession();
    expect(await isOpen()).toEqual({ keys: 0, session: false });
    expect((await registry.admin.listListenTokens({}, inStore(storeId))).tokens).toEqual([]);
  });

  const hook = { url: "https://93.184.215.14/hook", createSecret: true };
  const productWithImage = {
    id: 7_001,
    title: "Kite Season",
    tags: "",
    updated_at: minute(-1),
    image: { src: "https://93.184.215.14/kite.jpg" },
  };
  const product = { productId: "7001", title: "Kite Season" };
  const { images, stores: ofStores, triggers } = registry.settings;

  /** Waits until no worker has transactions left that make orders due. */
  function ordersMadeDue(): Promise<void> {
    const isLeft = ["touchSince", "touchWaiting", "touching"].map((field) => ({ [field]: { $exists: true } }));
    const { storefronts } = registry.database.collections;
    return eventually(async () => expect(await storefronts.countDocuments({ $or: isLeft })).toBe(0));
  }

  test.each<[string, (options: CallOptions) => Promise<unknown>]>([
    ["an API key", (options) => ofStores.createApiKey({ label: "late" }, options)],
    ["a listen token", (options) => ofStores.createListenToken({}, options)],
    ["a webhook", (options) => ofStores.setWebhook(hook, options)],
    ["a workflow trigger", (options) => triggers.createTrigger({ url: hook.url }, options)],
    ["a request for a product's image", (options) => images.takeStorefrontImage(product, options)],
  ])("refuses %s that a merchant is creating meanwhile", async (_name, create) => {
    const { send, storeId } = await openShop();
    await send("products/update", productWithImage);
    const imageUrl = { _id: `${storeId}/7001`, imageUrl: productWithImage.image.src };
    const { imageRequests, storefrontProducts } = registry.database.collections;
    await eventually(async () => expect(await storefrontProducts.countDocuments(imageUrl)).toBe(1));
    const headers = await openSettingsSession(registry, storeId);
    await ordersMadeDue();
    // Stops the creation once its session has been found valid.
    const { transact } = MongoStoreHistory.prototype;
    const { promise: removed, resolve: proceed } = Promise.withResolvers<void>();
    const held = vi.spyOn(MongoStoreHistory.prototype, "transact").mockImplementationOnce(async function (
      this: MongoStoreHistory,
      ...args
    ) {
      await removed;
      return transact.apply(this, args);
    });
    onTestFinished(() => held.mockRestore());
    const creating = create({ headers }).then(
      () => "created",
      (error: unknown) => error,
    );
    await eventually(() => expect(held).toHaveBeenCalledOnce());
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(0) });
    proceed();
    expect(await creating).toMatchObject({ rawMessage: expect.stringContaining("your session has ended") });
    expect((await registry.admin.listApiKeys({}, inStore(storeId))).keys).toEqual([]);
    expect((await registry.admin.listListenTokens({}, inStore(storeId))).tokens).toEqual([]);
    expect((await registry.admin.getWebhook({}, inStore(storeId))).webhook).toBeUndefined();
    expect((await registry.triggers.listTriggers({}, inStore(storeId))).triggers).toEqual([]);
    expect(await imageRequests.countDocuments({ _id: imageUrl._id })).toBe(0);
  });

  test("refuses the session that a platform's token is opening meanwhile", async () => {
    const { send, shop, storeId } = await openShop();
    const { openByPlatformToken } = MongoSessions.prototype;
    const { promise: removed, resolve: proceed } = Promise.withResolvers<void>();
    const held = vi.spyOn(MongoSessions.prototype, "openByPlatformToken").mockImplementationOnce(async function (
      this: MongoSessions,
      ...args
    ) {
      await removed;
      return openByPlatformToken.apply(this, args);
    });
    onTestFinished(() => held.mockRestore());
    const proof = { case: "platformToken", value: await platform.sign(shop) } as const;
    const opening = registry.settings.session.openSession({ proof }).then(
      () => "opened",
      (error: unknown) => error,
    );
    await eventually(() => expect(held).toHaveBeenCalledOnce());
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(5) });
    proceed();
    expect(await opening).toBeInstanceOf(Error);
    const { sessions } = registry.database.collections;
    expect(await sessions.countDocuments({ store: storeId, revokedAt: { $exists: false } })).toBe(0);
  });

  /** Makes the next transaction of the registry fail before its commit, as a crash would. */
  async function crashOnce() {
    await ordersMadeDue();
    const { transact } = MongoStoreHistory.prototype;
    const crashing = vi.spyOn(MongoStoreHistory.prototype, "transact").mockImplementationOnce(function (
      this: MongoStoreHistory,
      work,
    ) {
      return transact.call(this, async (session) => {
        await work(session);
        throw new Error("crashed");
      });
    });
    onTestFinished(() => crashing.mockRestore());
  }

  test("is repeated completely after a crash", async () => {
    const { send, isOpen, shop } = await openUsedShop();
    const triggeredAt = minute(0);
    await crashOnce();
    const crashed = await app.send(edgeUrl, { shop, topic: "app/uninstalled", payload: removalOf(shop), triggeredAt });
    expect(crashed.status).toBe(500);
    expect(await isOpen()).toEqual({ keys: 1, session: true });
    await send("app/uninstalled", { id: 1 }, { triggeredAt });
    expect(await isOpen()).toEqual({ keys: 0, session: false });
  });

  test("revokes what was created before it, even if the app is installed again between a crash and the repetition", async () => {
    const { send, isOpen, storeId, shop } = await openUsedShop();
    await registry.admin.createListenToken({}, inStore(storeId));
    const { imageRequests } = registry.database.collections;
    const requested = { title: "Kite", actor: "Ada", attempts: 0, requestedAt: new Date() };
    await imageRequests.insertOne({ _id: compoundKey(storeId, "7001"), ...requested });
    const triggeredAt = new Date(Date.now() + 1_000).toISOString();
    await crashOnce();
    const crashed = await app.send(edgeUrl, { shop, topic: "app/uninstalled", payload: removalOf(shop), triggeredAt });
    expect(crashed.status).toBe(500);
    expect(await isOpen()).toEqual({ keys: 1, session: true });
    await send("app/installed", {}, { triggeredAt: new Date(Date.now() + 2_000).toISOString() });
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(triggeredAt) + 100));
    await registry.admin.createApiKey({ label: "new" }, inStore(storeId));
    await send("app/uninstalled", { id: 1 }, { triggeredAt });
    expect(await isOpen()).toEqual({ keys: 1, session: false });
    const { keys } = await registry.admin.listApiKeys({}, inStore(storeId));
    expect(keys.map(({ label }) => label)).toEqual(["new"]);
    expect((await registry.admin.listListenTokens({}, inStore(storeId))).tokens).toEqual([]);
    expect(await imageRequests.countDocuments(keysOf(storeId))).toBe(0);
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(false);
  });

  test("a sign-in that crashed can be repeated with the same token of the platform", async () => {
    const { shop } = await openShop();
    const proof = { case: "platformToken", value: await platform.sign(shop) } as const;
    await crashOnce();
    await expect(registry.settings.session.openSession({ proof })).rejects.toThrow();
    await registry.settings.session.openSession({ proof });
    await expect(registry.settings.session.openSession({ proof })).rejects.toThrow("already been used");
  });

  test("deletes the requests for images of this store alone", async () => {
    const [removed, other] = [await openShop(), await openShop()];
    const { imageRequests } = registry.database.collections;
    const now = new Date();
    for (const { storeId } of [removed, other])
      await imageRequests.insertOne({
        _id: compoundKey(storeId, "7001"),
        title: "Winter Harbour",
        actor: "Ada",
        attempts: 0,
        requestedAt: now,
        dueAt: now,
      });
    await removed.send("app/uninstalled", { id: 1 }, { triggeredAt: minute(0) });
    const countOf = ({ storeId }: { readonly storeId: string }) => imageRequests.countDocuments(keysOf(storeId));
    expect([await countOf(removed), await countOf(other)]).toEqual([0, 1]);
  });

  test("leaves open what was created after it if its message is delayed until the app has been installed again", async () => {
    const { send, isOpen, storeId } = await openUsedShop();
    await send("app/installed", {}, { triggeredAt: minute(-5) });
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(-10) });
    expect(await isOpen()).toEqual({ keys: 1, session: true });
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(false);
  });

  test("keeps an API key that was created after the removal, even if the message is repeated", async () => {
    const { send, isOpen, storeId } = await openUsedShop();
    const triggeredAt = minute(-5);
    await send("app/uninstalled", { id: 1 }, { triggeredAt });
    await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
    await send("app/uninstalled", { id: 1 }, { triggeredAt });
    expect((await isOpen()).keys).toBe(1);
  });

  test("permits a new session only with a session token that the platform issued after the removal", async () => {
    const { send, shop, storeId } = await openUsedShop();
    const open = async () => {
      const proof = { case: "platformToken", value: await platform.sign(shop) } as const;
      return registry.settings.session.openSession({ proof });
    };
    await send("app/uninstalled", { id: 1 }, { triggeredAt: minute(5) });
    await expect(open()).rejects.toThrow();
    const other = await openUsedShop();
    await other.send("app/uninstalled", { id: 1 }, { triggeredAt: minute(-5) });
    const proof = { case: "platformToken", value: await platform.sign(other.shop) } as const;
    await registry.settings.session.openSession({ proof });
    expect((await registry.storefront.getStorefront({}, inStore(other.storeId))).isClosed).toBe(false);
    expect((await registry.storefront.getStorefront({}, inStore(storeId))).isClosed).toBe(true);
  });
});
