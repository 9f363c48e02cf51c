import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();

let storeId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
});

const certctl = (...args: string[]) => runCertctlFor(registry, storeId, ...args);
const buyer = ["--name", "Ada", "--email", "ada@example.test"] as const;

test("certificate issue prints the id, the serial number and the link; with --json, the certificate's public JSON; a repeated idempotency key issues only one certificate", async () => {
  const { out } = await certctl("certificate", "issue", "--title", "Poster", ...buyer, "--idempotency-key", "a");
  const listed = await listOne(registry, storeId);
  expect(out).toBe(`${listed.id}  000001\n${listed.verifyUrl}\n`);
  const repeated = ["--title", "Poster", ...buyer, "--idempotency-key", "a", "--json"];
  expect(JSON.parse((await certctl("certificate", "issue", ...repeated)).out)).toEqual(listed);
  // The key was repeated.
  expect(await listAll(registry, storeId)).toHaveLength(1);
});

const issue = ["certificate", "issue", "--title", "Poster", ...buyer] as const;
const orders = fileURLToPath(new URL("../../deploy/local/demo/orders_export.csv", import.meta.url));
const expires = ["--expires", "2100-01-01T00:00:00+01:00"] as const;
const expiresAt = "2099-12-31T23:00:00.000Z";

test("certificate issue sets the expiry from --expires, and without this option issues a certificate that never expires", async () => {
  for (const options of [expires, []]) expect((await certctl(...issue, ...options)).code).toBe(0);
  const listed = await listAll(registry, storeId);
  expect(listed.map((certificate) => certificate.expiresAt)).toEqual([expiresAt, null]);
});

test("certificate issue refuses an expiry in the past", async () => {
  expect(await certctl(...issue, "--expires", "1969-12-31T23:59:59Z")).toMatchObject({
    code: 2,
    error: expect.stringContaining("--expires is invalid: The expiry must be later than the time of issue."),
  });
  expect(await listAll(registry, storeId)).toEqual([]);
});

test("import orders --expires sets the expiry of all certificates, and a repeated import without this option does not change it", async () => {
  // The export has unusable rows.
  for (const options of [expires, []]) expect((await certctl("import", "orders", orders, ...options)).code).toBe(3);
  const listed = await listAll(registry, storeId);
  expect(new Set(listed.map((certificate) => certificate.expiresAt))).toEqual(new Set([expiresAt]));
});

test("certificate issue takes the title of a SKU from the catalogue, and requires --title for other products", async () => {
  const product = { id: "7001", title: "Alpine Jacket", variants: [{ sku: "AJ-M", title: "M" }] };
  await registry.admin.putProducts({ products: [product] }, inStore(storeId));
  expect((await certctl("certificate", "issue", "--sku", "AJ-M", ...buyer)).code).toBe(0);
  expect((await listOne(registry, storeId)).product).toMatchObject({ title: "Alpine Jacket", variant: "M" });
  expect(await certctl("certificate", "issue", "--sku", "AJ-X", ...buyer)).toMatchObject({
    code: 2,
    error: expect.stringMatching(/\ncertctl: The catalogue does not contain the SKU AJ-X\. Give --title\.\n$/),
  });
  expect(await certctl("certificate", "issue", ...buyer)).toMatchObject({
    code: 2,
    error: "certctl: Give --title, or the --sku of a product in the catalogue.\n",
  });
});

test("sample create prints a link that opens the sample", async () => {
  const { out } = await certctl("sample", "create");
  const [id = "", link = ""] = out.split("\n");
  const token = new URL(link).pathname.split("/").at(-1) ?? "";
  const page = await registry.verification.getPage({ linkToken: token });
  expect([token, page.verifyUrl]).toEqual([id, link]);
});

test.each([
  [["certificate", "issue", "--title", "P", "--name", "Ada", "--email", "nobody"], /option '--email <address>'/],
  [["certificate", "transfer", "1", "--name", "Ada", "--email", "nobody"], /option '--email <address>'/],
  [["person", "erase", "nobody"], /argument 'e-mail'/],
  [["settings", "set", "--verify-base-url", "ftp://x"], /certctl: --verify-base-url is invalid/],
  [["webhook", "set", "http://receiver.example.test"], /certctl: <url> is invalid/],
  [["import", "orders", "/none.csv"], /The file \/none.csv does not exist/],
  [["catalogue", "put", "package-lock.json"], /is not a valid catalogue/],
  [["catalogue", "put", "README.md"], /README.md is not JSON/],
  [["storefront", "replay", "README.md"], /Line 1 is not JSON/],
  [["tls", "issue", "--folder", "unused", "--domain", "Two Words"], /option '--domain <domain>'/],
])("an invalid value in %j exits with code 2 and names the option", async (args, message) => {
  expect(await certctl(...args)).toMatchObject({ code: 2, out: "", error: expect.stringMatching(message) });
});
