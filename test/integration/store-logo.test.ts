import sharp from "sharp";
import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();
const { registry } = rig;
const { logos } = registry.database.collections;
const origin = `http://127.0.0.1:${rig.edge.port}`;

const picture = (color: string) => sharp({ create: { width: 600, height: 200, channels: 3, background: color } });

const fileOf = (content: Uint8Array, name = "logo.png") => new File([new Uint8Array(content)], name);

function upload(merchant: BrowserSession, file: File): Promise<Response> {
  return merchant.submit("/store", { action: "setLogo", nonce: "nonce-1", token: merchant.formToken }, file);
}

const logoUrlOf = async (pageUrl: string) => /src="(logos\/[^"]+)"/.exec(await (await fetch(pageUrl)).text())?.[1];

async function logoShownOn(pageUrl: string): Promise<string> {
  const logo = await logoUrlOf(pageUrl);
  if (logo === undefined) throw new Error("the page shows no logo");
  return logo;
}

test("a merchant can set, replace and remove the logo, and certificate pages show each change", async () => {
  const storeId = await createPageStore(rig);
  const { url } = await rig.issue(storeId);
  const merchant = await openBrowserSession(rig, storeId);
  expect(await logoUrlOf(url)).toBeUndefined();
  expect((await upload(merchant, fileOf(await picture("teal").png().toBuffer()))).status).toBe(303);
  const first = await eventually(() => logoShownOn(url));
  const image = await fetch(`${rig.verifyUrl}/${first}`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(image.headers.get("x-content-type-options")).toBe("nosniff");
  expect(image.headers.get("content-security-policy")).toContain("default-src 'none'; sandbox");
  expect(image.headers.get("cache-control")).toBe("public, max-age=3600");
  expect(await sharp(Buffer.from(await image.arrayBuffer())).metadata()).toMatchObject({ width: 480, height: 160 });
  const settings = await (await merchant.get("/store")).text();
  expect(settings).toContain(`src="/verify/${first}"`);

  expect((await upload(merchant, fileOf(await picture("navy").jpeg().toBuffer()))).status).toBe(303);
  await eventually(async () => expect(await logoUrlOf(url)).not.toBe(first));
  expect(await logos.countDocuments({ store: storeId })).toBe(1);

  await merchant.save("/store", { action: "removeLogo", token: merchant.formToken });
  await eventually(async () => expect(await logoUrlOf(url)).toBeUndefined());
  expect(await logos.countDocuments({ store: storeId })).toBe(0);
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries.slice(0, 3).map(({ action, actor }) => [action, actor])).toEqual([
    ["logo.removed", "Ada"],
    ["logo.set", "Ada"],
    ["logo.set", "Ada"],
  ]);
});

test.each([
  ["an SVG", "logo.png", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), "Choose a PNG"],
  ["a form without a file", "", Buffer.alloc(0), "Choose a PNG"],
  ["a file of more than 5 MB", "logo.png", Buffer.alloc(5 * 1_024 * 1_024 + 1), "too large"],
])("refuses %s and changes nothing", async (_what, name, content, words) => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const response = await upload(merchant, fileOf(content, name));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(words);
  expect(await logos.countDocuments({ store: storeId })).toBe(0);
});

test("a form that is larger than any permitted file is refused, and the edge keeps running", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const sent = upload(merchant, fileOf(Buffer.alloc(40 * 1_024 * 1_024)));
  const status = await sent.then(
    (response) => response.status,
    () => "closed",
  );
  expect([200, "closed"]).toContain(status);
  expect((await merchant.get("/store")).status).toBe(200);
});

test("the registry accepts only a small WebP as a logo, and the edge returns 404 for an unknown logo", async () => {
  const storeId = await createPageStore(rig);
  const { sessionToken } = await openBrowserSession(rig, storeId);
  const set = (content: Uint8Array) =>
    registry.settings.stores.setLogo({ content, width: 10, height: 10 }, { headers: { "x-session": sessionToken } });
  for (const content of [Buffer.from("<script>"), Buffer.alloc(20_000), await picture("teal").png().toBuffer()])
    await expect(set(content)).rejects.toThrow(/content/);
  for (const id of ["lgo_none", `lgo_${"0".repeat(24)}`, "..%2fx"])
    expect((await fetch(`${origin}/verify/logos/${id}`)).status).toBe(404);
});
