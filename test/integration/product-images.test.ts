import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { productDisplaysMax } from "../../services/registry/stores/product-displays.ts";
import { productImageBytesMax } from "../../services/registry/stores/set-product-display.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const rig = await openPagesRig();
const { registry } = rig;
const { productDisplays } = registry.database.collections;

const picture = (background: string, width = 1_600, height = 1_200) =>
  sharp({ create: { width, height, channels: 3, background } });
const fileOf = (content: Uint8Array, name = "image.png") => new File([new Uint8Array(content)], name);
const productPage = "/products/product?id=7001";

/** Creates a store with a product, a certificate of it, and a merchant. */
async function createProductStore() {
  const storeId = await createPageStore(rig);
  const products = [{ id: "7001", title: "Kite Season", editionTotal: 50, variants: [{ sku: "KITE", title: "A2" }] }];
  await registry.admin.putProducts({ products }, inStore(storeId));
  const { certificateId, url } = await rig.issue(storeId, { product: { sku: "KITE" } });
  return { storeId, certificateId, url, merchant: await openBrowserSession(rig, storeId) };
}

const setImage = ({ formToken }: BrowserSession) => ({ action: "setImage", nonce: "nonce-1", token: formToken });
const upload = (merchant: BrowserSession, file: File) => merchant.save(productPage, setImage(merchant), file);
const send = (merchant: BrowserSession, action: string, fields: Record<string, string> = {}) =>
  merchant.save(productPage, { action, token: merchant.formToken, ...fields });

const pageAt = async (url: string) => (await fetch(url)).text();
const imageOn = async (url: string) => /class="picture" src="(images\/[^"]+)"/.exec(await pageAt(url))?.[1];

async function imageShownOn(url: string): Promise<string> {
  const image = await imageOn(url);
  if (image === undefined) throw new Error("the page shows no image");
  return image;
}

test("a merchant sets, replaces and removes a product's image, and the pages of its certificates show each change", async () => {
  const { storeId, url, merchant } = await createProductStore();
  expect(await imageOn(url)).toBeUndefined();
  await upload(merchant, fileOf(await picture("teal").withMetadata().png().toBuffer()));
  const first = await eventually(() => imageShownOn(url));
  const html = await pageAt(url);
  expect(html).toContain(`src="${first}" width="832" height="624" alt="Kite Season"`);
  expect(html).toContain(`property="og:image" content="${rig.verifyUrl}/${first}"`);
  expect(html).toContain('property="og:image:height" content="624"');

  const image = await fetch(`${rig.verifyUrl}/${first}`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(image.headers.get("cache-control")).toBe("public, max-age=3600");
  expect(image.headers.get("x-content-type-options")).toBe("nosniff");
  expect(image.headers.get("content-security-policy")).toContain("default-src 'none'; sandbox");
  const metadata = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
  expect([metadata.width, metadata.height, metadata.exif]).toEqual([832, 624, undefined]);

  await upload(merchant, fileOf(await picture("navy").jpeg().toBuffer()));
  const second = await eventually(async () => {
    const shown = await imageShownOn(url);
    expect(shown).not.toBe(first);
    return shown;
  });
  expect(await productDisplays.countDocuments({ "_id.store": storeId })).toBe(1);

  await send(merchant, "removeImage");
  await eventually(async () => expect(await imageOn(url)).toBeUndefined());
  expect(await productDisplays.countDocuments({ "_id.store": storeId })).toBe(0);
  // An edge that has not cached the images.
  const other = await rig.openEdge();
  for (const path of [first, second]) expect((await fetch(`${other}/${path}`)).status).toBe(404);
  await upload(merchant, fileOf(await picture("navy").jpeg().toBuffer()));
  expect((await fetch(`${other}/${second}`)).status).toBe(200);
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries.slice(0, 4).map(({ action, actor }) => [action, actor])).toEqual([
    ["product_image.set", "Ada"],
    ["product_image.removed", "Ada"],
    ["product_image.set", "Ada"],
    ["product_image.set", "Ada"],
  ]);
});

test.each([
  ["of a revoked certificate", "teal", 900, true],
  ["of a product whose image is small", "teal", 200, false],
])("the card %s has the seal of the state", async (_which, colour, side, isRevoked) => {
  const { storeId, certificateId, url, merchant } = await createProductStore();
  const image = sharp({ create: { width: side, height: side, channels: 3, background: colour } });
  await upload(merchant, fileOf(await image.png().toBuffer()));
  if (isRevoked)
    await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
  await eventually(() => imageShownOn(url));
  const card = isRevoked ? "revoked" : "active";
  await eventually(async () =>
    expect(await pageAt(url)).toMatch(new RegExp(`property="og:image" content="[^"]+/assets/${card}-en\\.`)),
  );
});

test("the maker is shown below the title, until it is removed, and the list of certificates does not change", async () => {
  const { storeId, certificateId, url, merchant } = await createProductStore();
  const { certificates } = registry.database.collections;
  const before = await certificates.findOne({ _id: certificateId });
  await send(merchant, "setMaker", { maker: "Mara <Lindqvist>" });
  const shown = async () => /<p class="maker"><bdi>([^<]*)<\/bdi>/.exec(await pageAt(url))?.[1];
  await eventually(async () => expect(await shown()).toBe("by Mara &lt;Lindqvist&gt;"));
  expect(await certificates.findOne({ _id: certificateId })).toEqual(before);
  await send(merchant, "setMaker", { maker: "" });
  await eventually(async () => expect(await shown()).toBeUndefined());
  expect(await productDisplays.countDocuments({ "_id.store": storeId })).toBe(0);
});

test("the same image has other addresses in other stores, and one store's change leaves the other's as it is", async () => {
  const [one, other] = [await createProductStore(), await createProductStore()];
  const content = await picture("maroon").png().toBuffer();
  for (const { merchant } of [one, other]) await upload(merchant, fileOf(content));
  const first = await eventually(() => imageShownOn(one.url));
  const second = await eventually(() => imageShownOn(other.url));
  expect(second).not.toBe(first);
  await send(one.merchant, "removeImage");
  const fresh = await rig.openEdge();
  expect((await fetch(`${fresh}/${first}`)).status).toBe(404);
  expect((await fetch(`${fresh}/${second}`)).status).toBe(200);
  // The same product id in the other store, which the session cannot name, is another product.
  expect(await productDisplays.countDocuments({ "_id.store": other.storeId })).toBe(1);
});

test("a product that is not in the catalogue is found by a certificate, and leads back to the list without a display", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const merchant = await openBrowserSession(rig, storeId);
  const path = `/products/product?certificate=${certificateId}`;
  const change = async (fields: Record<string, string>) => {
    const response = await merchant.post(path, { token: merchant.formToken, ...fields });
    return response.headers.get("location")?.replace("/settings", "") ?? "";
  };
  const page = await change({ action: "setMaker", maker: "Mara" });
  expect(page).toBe("/products/product?id=7001&done=saved");
  expect(await (await merchant.get(page)).text()).toContain('value="Mara"');
  const list = await change({ action: "setMaker", maker: "" });
  expect(list).toBe("/products?done=saved");
  expect(await (await merchant.get(list)).text()).toContain("Saved.");
  expect((await merchant.get("/products/product?id=7001")).status).toBe(404);
});

test("a certificate of another store opens no product, and a product that the store does not have is not found", async () => {
  const [one, other] = [await createProductStore(), await createProductStore()];
  const statusOf = async (path: string) => (await one.merchant.get(path)).status;
  expect(await statusOf(`/products/product?certificate=${one.certificateId}`)).toBe(200);
  expect(await statusOf(`/products/product?certificate=${other.certificateId}`)).toBe(404);
  expect(await statusOf("/products/product?id=7002")).toBe(404);
  const list = await (await one.merchant.get("/products")).text();
  expect(list).toContain("Kite Season");
});

describe("an upload", () => {
  test.each([
    ["a damaged image", Buffer.from("89504e470d0a1a0a00000000", "hex"), "damaged"],
    ["more than 8 MB", Buffer.alloc(8 * 1_024 * 1_024 + 1), "too large"],
  ])("of %s is refused and changes nothing", async (_what, content, words) => {
    const { storeId, merchant } = await createProductStore();
    const response = await merchant.submit(productPage, setImage(merchant), fileOf(content));
    expect(await response.text()).toContain(words);
    expect(await productDisplays.countDocuments({ "_id.store": storeId })).toBe(0);
  });

  test("of noise, which compresses poorly, becomes small enough", async () => {
    const { url, merchant } = await createProductStore();
    const raw = { width: 2_000, height: 1_000, channels: 3 } as const;
    const noise = await sharp(randomBytes(raw.width * raw.height * raw.channels), { raw })
      .jpeg()
      .toBuffer();
    await upload(merchant, fileOf(noise));
    const image = await fetch(`${rig.verifyUrl}/${await eventually(() => imageShownOn(url))}`);
    expect((await image.arrayBuffer()).byteLength).toBeLessThanOrEqual(productImageBytesMax);
  });
});

describe("the registry", () => {
  test("accepts only a small WebP as an image, and texts within their limits", async () => {
    const storeId = await createPageStore(rig);
    const headers = await openSettingsSession(registry, storeId);
    const set = (fields: object) =>
      registry.settings.stores.setProductDisplay({ productId: "7001", title: "Kite", ...fields }, { headers });
    const size = { width: 10, height: 10 };
    const webp = await picture("teal", 10, 10).webp().toBuffer();
    for (const image of [Buffer.from("<script>"), await picture("teal", 10, 10).png().toBuffer()])
      await expect(set({ image, ...size })).rejects.toThrow(/image/);
    await expect(set({ image: Buffer.concat([webp, Buffer.alloc(productImageBytesMax)]), ...size })).rejects.toThrow(
      /image/,
    );
    await expect(set({ image: webp, width: 0, height: 10 })).rejects.toThrow(/width/);
    await expect(set({ maker: "x".repeat(101) })).rejects.toThrow(/maker/);
    await expect(set({ maker: "x", productId: "" })).rejects.toThrow(/product_id/);
    await expect(set({ maker: "x", title: "" })).rejects.toThrow(/title/);
    await expect(set({})).rejects.toThrow(/maker/);
  });

  test("stores displays of a bounded number of products, and permits changes of those at the bound", async () => {
    const storeId = await createPageStore(rig);
    const headers = await openSettingsSession(registry, storeId);
    const display = { title: "Kite", maker: "Mara", image: null };
    await productDisplays.insertMany(
      Array.from({ length: productDisplaysMax }, (_, index) => ({
        _id: { store: storeId, product: String(index) },
        ...display,
      })),
    );
    const set = (productId: string, maker: string) =>
      registry.settings.stores.setProductDisplay({ productId, title: "Kite", maker }, { headers });
    await expect(set("new", "Mara")).rejects.toThrow(/1,000/);
    expect((await set("7", "Ada")).product).toMatchObject({ productId: "7", maker: "Ada" });
    await set("8", "");
    expect((await set("new", "Mara")).product?.maker).toBe("Mara");
  });

  test("lists the products of the catalogue and those with a display in pages, each once", async () => {
    const { storeId } = await createProductStore();
    const headers = await openSettingsSession(registry, storeId);
    const { stores } = registry.settings;
    for (const productId of ["7001", "8000", "6000"])
      await stores.setProductDisplay({ productId, title: "Other", maker: "Mara" }, { headers });
    const page = async (afterProductId: string) =>
      (await stores.listProducts({ afterProductId, limit: 2 }, { headers })).products.map(({ productId, title }) => [
        productId,
        title,
      ]);
    expect(await page("")).toEqual([
      ["6000", "Other"],
      ["7001", "Kite Season"],
    ]);
    expect(await page("7001")).toEqual([["8000", "Other"]]);
  });
});

test.each(["pim_none", `pim_${"0".repeat(26)}`, "..%2fx", `lgo_${"0".repeat(24)}`])(
  "there is no image at %s",
  async (id) => {
    expect((await fetch(`${rig.verifyUrl}/images/${id}`)).status).toBe(404);
  },
);
