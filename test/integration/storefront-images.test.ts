import sharp from "sharp";
import { afterAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { startReceiverFixture } from "../../services/notifier/webhook/receiver-fixture.ts";
import { MongoStorefrontImages } from "../../services/registry/mongo/storefront/mongo-storefront-images.ts";
import { imageAttemptsMax, imageRequestsMax } from "../../services/registry/storefront/storefront-images.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openTestPlatformApp } from "../harness/storefront/test-platform-app.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { trustsReceivers } from "./notifier-rig.ts";

const app = await openTestPlatformApp(afterAll);
const rig = await openPagesRig({ platformSecretFile: app.secretFile });
const { registry } = rig;
const { imageRequests, productDisplays, storefrontProducts } = registry.database.collections;
const nats = await startTestNats();
const picture = (background: string) =>
  sharp({ create: { width: 1_600, height: 1_200, channels: 3, background } })
    .jpeg()
    .toBuffer();
const files = new Map([["/teal.jpg", await picture("teal")]]);
const imageServer = await startReceiverFixture(inject("receiverCertificate"), (socket, { head }) => {
  const [, path = ""] = head.split(" ");
  const file = files.get(path);
  if (file === undefined) return void socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${file.length}\r\n\r\n`);
  socket.end(file);
});
afterAll(() => imageServer.stop());

const addressOf = (path: string) => `https://127.0.0.1:${imageServer.port}${path}`;
const startNotifier = async () => {
  const notifier = await startLocalNotifier({ address: registry.address, natsUrl: nats.url }, trustsReceivers);
  return {
    async [Symbol.asyncDispose]() {
      await notifier.stop();
    },
  };
};

let stores = 0;
/** Creates a store whose platform has sent a product with an image, a certificate of it, and a merchant. */
async function openShop(src: string | undefined) {
  const shop = `images-${++stores}.example.test`;
  const storeId = await createPageStore(rig, { shop });
  const products = [{ id: "7001", title: "Kite Season", editionTotal: 50, variants: [{ sku: "KITE", title: "A2" }] }];
  await registry.admin.putProducts({ products }, inStore(storeId));
  const { url } = await rig.issue(storeId, { product: { sku: "KITE" } });
  const merchant = await openBrowserSession(rig, storeId);
  const key = `${storeId}/7001`;
  const sendProduct = async (image: string | undefined) => {
    const updated = new Date(Date.now() - 1_000).toISOString();
    const payload = {
      id: 7001,
      title: "Kite Season",
      tags: "",
      updated_at: updated,
      ...(image && { image: { src: image } }),
    };
    const edgeUrl = `http://127.0.0.1:${rig.edge.port}`;
    expect((await app.send(edgeUrl, { shop, topic: "products/update", payload })).status).toBe(200);
    await eventually(async () => expect((await storefrontProducts.findOne({ _id: key }))?.imageUrl).toBe(image ?? ""));
  };
  await sendProduct(src);
  const page = "/products/product?id=7001";
  const read = async () => (await merchant.get(page)).text();
  const take = (by: "save" | "submit" = "save") =>
    merchant[by](page, { action: "takeImage", token: merchant.formToken });
  const imageOn = async () =>
    /class="picture" src="(images\/[^"]+)" width="(\d+)" height="(\d+)" alt="([^"]*)"/.exec(
      await (await fetch(url)).text(),
    );
  return { storeId, key, merchant, page, read, take, imageOn, sendProduct };
}

test("a merchant takes the image of the storefront's product, and the certificate page shows it", async () => {
  await using _notifier = await startNotifier();
  const { storeId, read, take, imageOn } = await openShop(addressOf("/teal.jpg"));
  expect(await read()).toContain("Take the image from the storefront");
  const requestsBefore = imageServer.requests.length;
  expect(await imageOn()).toBeNull();
  // A buyer's request leads to no fetch.
  expect(imageServer.requests.length).toBe(requestsBefore);
  await take();
  expect(await read()).toMatch(/The image is being fetched from the storefront\.|width="416"/);
  const [, src = "", width, height, alt] = await eventually(async () => {
    const shown = await imageOn();
    if (shown === null) throw new Error("the page shows no image");
    return shown;
  });
  expect([width, height, alt]).toEqual(["832", "624", "Kite Season"]);
  const image = await fetch(`${rig.verifyUrl}/${src}`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(imageServer.requests.length).toBe(requestsBefore + 1);
  expect(imageServer.requests.at(-1)?.head).toMatch(/^GET \/teal\.jpg HTTP\/1\.1/);
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect([entries[0]?.action, entries[0]?.actor]).toEqual(["product_image.set", "Ada"]);
});

test("a file that is no image, and a missing one, are refused in words, and the merchant can try again", async () => {
  files.set("/page.html", Buffer.from("<!doctype html><script>alert(1)</script>"));
  await using _notifier = await startNotifier();
  const { key, read, take, imageOn, sendProduct } = await openShop(addressOf("/page.html"));
  await take();
  await eventually(async () => expect(await read()).toContain("It must be a PNG, JPEG or WebP"));
  await sendProduct(addressOf("/missing.jpg"));
  await take();
  await eventually(async () => expect(await read()).toContain("with status 404"));
  expect(await imageOn()).toBeNull();
  await sendProduct(addressOf("/teal.jpg"));
  await take();
  await eventually(async () => expect(await imageOn()).not.toBeNull());
  expect(await imageRequests.findOne({ _id: key })).toBeNull();
});

test("an image that the merchant uploads or removes meanwhile is not replaced by a fetched one", async () => {
  const { storeId, key, merchant, page, take, imageOn } = await openShop(addressOf("/teal.jpg"));
  await take();
  const { lease } = await registry.productImages.claimStorefrontImage({});
  expect(lease?.requestId).toBe(key);
  const own = new File(
    [
      new Uint8Array(
        await sharp(await picture("navy"))
          .resize(400)
          .png()
          .toBuffer(),
      ),
    ],
    "own.png",
  );
  const fields = { action: "setImage", nonce: "nonce-1", token: merchant.formToken };
  await merchant.save(page, fields, own);
  const image = {
    content: await sharp(await picture("teal"))
      .resize(832)
      .webp()
      .toBuffer(),
    width: 832,
    height: 624,
  };
  await registry.productImages.recordStorefrontImage({
    requestId: lease?.requestId ?? "",
    leaseToken: lease?.leaseToken ?? "",
    result: { case: "image", value: { ...image, content: new Uint8Array(image.content) } },
  });
  const display = await productDisplays.findOne({ "_id.store": storeId });
  expect(display?.image?.width).toBe(400);
  await eventually(async () => expect((await imageOn())?.[2]).toBe("400"));
});

test("one request per store is fetched at a time, the result of an expired lease counts for nothing, and attempts end", async () => {
  const { key, take, read } = await openShop(addressOf("/teal.jpg"));
  const other = await openShop(addressOf("/teal.jpg"));
  await take();
  const request = await imageRequests.findOne({ _id: key });
  const product = await storefrontProducts.findOne({ _id: key });
  if (request === null || product === null) throw new Error("nothing is requested");
  const second = key.replace("7001", "7002");
  await storefrontProducts.insertOne({ ...product, _id: second });
  await imageRequests.insertOne({ ...request, _id: second });
  await other.take();
  const claims = [];
  for (let at = 0; at < 3; at++) claims.push(await registry.productImages.claimStorefrontImage({}));
  expect(claims.map(({ lease }) => lease?.requestId)).toEqual([key, other.key, undefined]);
  for (const _id of [second, other.key]) await imageRequests.deleteOne({ _id });

  const failure = { reason: { code: "image_unreachable", params: {} }, isTemporary: true };
  const expired = { requestId: key, leaseToken: claims[0]?.lease?.leaseToken ?? "" };
  for (let attempt = 1; attempt <= imageAttemptsMax; attempt++) {
    const due = { $set: { dueAt: new Date(1) }, $unset: { lease: 1 } } as const;
    await imageRequests.updateOne({ _id: key }, due);
    const { lease } = await registry.productImages.claimStorefrontImage({});
    if (lease === undefined) throw new Error("nothing is due");
    await registry.productImages.recordStorefrontImage({ ...expired, result: { case: "failure", value: failure } });
    expect((await imageRequests.findOne({ _id: key }))?.lease).toBeDefined();
    const { requestId, leaseToken } = lease;
    const result = { case: "failure", value: failure } as const;
    await registry.productImages.recordStorefrontImage({ requestId, leaseToken, result });
  }
  expect(await read()).toContain("could not be fetched from the storefront");
  expect((await imageRequests.findOne({ _id: key }))?.dueAt).toBeUndefined();
});

test("notifiers that stop or die while they fetch an image use up no attempt, and too many deaths end the request", async () => {
  const answers = { isSilent: true };
  const server = await startReceiverFixture(inject("receiverCertificate"), (socket) => {
    if (!answers.isSilent) socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
  });
  onTestFinished(() => server.stop());
  const { key, take, read } = await openShop(`https://127.0.0.1:${server.port}/kite.jpg`);
  await take();
  for (let stops = 1; stops <= imageAttemptsMax + 1; stops++) {
    await using _notifier = await startNotifier();
    await eventually(() => expect(server.requests).toHaveLength(stops));
  }
  // Released, not left to expire.
  expect((await imageRequests.findOne({ _id: key }))?.lease).toBeUndefined();
  expect(await read()).toContain("The image is being fetched");

  for (let deaths = 1; deaths <= imageAttemptsMax; deaths++) {
    expect((await registry.productImages.claimStorefrontImage({})).lease?.requestId).toBe(key);
    await imageRequests.updateOne({ _id: key }, { $set: { dueAt: new Date(1), "lease.until": 1 } });
  }
  expect((await registry.productImages.claimStorefrontImage({})).lease).toBeUndefined();
  expect(await read()).toContain("Fetching the image from the storefront was interrupted several times.");
  await take();
  answers.isSilent = false;
  await using _notifier = await startNotifier();
  await eventually(async () => expect(await read()).toContain("with status 404"));
});

test("an image that a restarting registry does not store is stored later, without another request to the merchant's server", async () => {
  const { take, imageOn } = await openShop(addressOf("/teal.jpg"));
  const requestsBefore = imageServer.requests.length;
  const complete = vi.spyOn(MongoStorefrontImages.prototype, "complete");
  onTestFinished(() => complete.mockRestore());
  for (let failures = 0; failures < 2; failures++)
    complete.mockRejectedValueOnce(new ServiceError("unavailable", "restarting"));
  await using _notifier = await startNotifier();
  await take();
  await eventually(async () => expect(await imageOn()).not.toBeNull());
  expect(complete).toHaveBeenCalledTimes(3);
  expect(imageServer.requests.length).toBe(requestsBefore + 1);
});

test("an image that no registry stores until the notifier stops is released for another one", async () => {
  const { key, take, imageOn } = await openShop(addressOf("/teal.jpg"));
  const complete = vi.spyOn(MongoStorefrontImages.prototype, "complete");
  onTestFinished(() => complete.mockRestore());
  complete.mockRejectedValue(new ServiceError("unavailable", "restarting"));
  {
    await using _notifier = await startNotifier();
    await take();
    await eventually(() => expect(complete).toHaveBeenCalled());
  }
  const released = await imageRequests.findOne({ _id: key });
  expect(released).toMatchObject({ attempts: 0, dueAt: expect.any(Date) });
  expect(released).not.toHaveProperty("lease");
  complete.mockRestore();
  await using _notifier = await startNotifier();
  await eventually(async () => expect(await imageOn()).not.toBeNull());
});

test("a store has a bounded number of requests, and a product without a sent image has none", async () => {
  const without = await openShop(undefined);
  expect(await without.read()).not.toContain("Take the image from the storefront");
  expect(await (await without.take("submit")).text()).toContain(
    "The storefront has not sent an image of this product.",
  );
  const { key, take } = await openShop(addressOf("/teal.jpg"));
  const [storeId = ""] = key.split("/");
  const waiting = { title: "Kite", actor: "Ada", attempts: 0, requestedAt: new Date(), dueAt: new Date("2100-01-01") };
  const ids = Array.from({ length: imageRequestsMax }, (_, at) => `${storeId}/8${at}`);
  await imageRequests.insertMany(ids.map((_id) => ({ ...waiting, _id })));
  expect(await (await take("submit")).text()).toContain("20 images are already being fetched");
  await imageRequests.deleteMany({ _id: { $in: ids } });
});
