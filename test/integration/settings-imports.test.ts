import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { exportText, headRow, lineRow } from "#shared/orders/csv-fixture.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { uploadFile } from "../../services/edge/settings/import/upload-file.ts";
import { compoundKey } from "../../services/registry/mongo/documents/compound-key.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { untilImport, uploadOrders } from "../harness/import-orders.ts";
import { inStore } from "../harness/in-store.ts";
import { lockStores } from "../harness/lock-stores.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { type BrowserSession, openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const rig = await openPagesRig();
const { registry } = rig;
const { imports } = registry.settings;

const orders = exportText([
  headRow("#1", "7000001", { "Lineitem quantity": "3" }),
  lineRow("#1", { "Lineitem name": "<b>Tote</b>", "Lineitem sku": "" }),
  headRow("#2", "7000002", { Email: "nobody" }),
  headRow("#3", "7000003", { "Financial Status": "refunded" }),
  headRow("#4", "7000004", { "Financial Status": "pending", "Paid at": "" }),
]);

function upload(merchant: BrowserSession, content: string | Uint8Array<ArrayBuffer>, name = "orders.csv") {
  const fields = { action: "upload", nonce: "nonce-1", token: merchant.formToken };
  return merchant.submit("/certificates/import", fields, new File([content], name));
}

const pathOf = (response: Response) => (response.headers.get("location") ?? "").replace(/^\/settings/, "");

/** Polls the page of an import until the import is no longer running. @returns the page */
function doneText(merchant: BrowserSession, path: string): Promise<string> {
  return eventually(async () => {
    const text = await (await merchant.get(path)).text();
    expect(text).not.toContain("data-live");
    return text;
  });
}

const plain = (page: string) => page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

test("a merchant can upload a file, preview the import and then import the file", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const path = pathOf(await upload(merchant, orders, "<img src=x onerror=alert(1)>.csv"));
  const examined = await doneText(merchant, path);
  expect(examined).toContain("&lt;img src=x onerror=alert(1)&gt;.csv");
  expect(plain(examined)).toMatch(/Rows read 5 .*Certificates to issue 4 .*Rows not paid 1 .*Rows refunded 1 /);
  expect(plain(examined)).toMatch(/Rejected lines 1 .*Issue now: 4 .*Line 4 .*Email .*is not an email address/);
  expect(await listAll(registry, storeId)).toEqual([]);

  const started = await merchant.post(path, { action: "start", token: merchant.formToken });
  expect(started.status).toBe(303);
  const finished = await doneText(merchant, path);
  expect(plain(finished)).toMatch(/Finished .*Certificates issued 4 /);
  const listed = await listAll(registry, storeId);
  expect(listed.map(({ product, order }) => [product.title, order.name])).toEqual([
    ...Array.from({ length: 3 }, () => ["Harbour Print", "#1"]),
    ["<b>Tote</b>", "#1"],
  ]);
  const { entries } = await registry.inspection.getHistory({ certificateId: listed[0]?.id ?? "" }, inStore(storeId));
  expect(entries).toMatchObject([{ cause: "import", actor: "Ada" }]);
  const { entries: changes } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(changes[0]).toMatchObject({ action: "import.started", actor: "Ada" });

  const again = await merchant.submit(path, { action: "start", token: merchant.formToken });
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("has already been started")]);
});

test("an order unit that certctl or an earlier import has imported gets no second certificate", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const run = async () => {
    const importId = await uploadOrders(rig, storeId, { text: orders });
    await imports.startImport({ importId, dryRun: false }, { headers });
    return untilImport(registry, headers, importId, ImportState.FINISHED);
  };
  const order = { id: "7000001", name: "#1", line: "1", unit: 1 };
  const product = { id: "", title: "Harbour Print", variant: "A3", sku: "HP-A3" };
  const buyer = { name: "Ann Lee", email: "ann@example.com" };
  await registry.issuing.issueCertificates({ items: [{ product, buyer, order }], isImport: true }, inStore(storeId));
  expect(await run()).toMatchObject({ issued: 3, alreadyIssued: 1, rejectedLines: 1, refunded: 1, notPaid: 1 });
  expect(await run()).toMatchObject({ issued: 0, alreadyIssued: 4 });
  expect(await listAll(registry, storeId)).toHaveLength(4);
});

test("another replica continues an import when the replica running it stops, and no certificate is lost or repeated", async () => {
  const storeId = await createPageStore(rig);
  const rows = Array.from({ length: 1_200 }, (_, index) => headRow(`#${index + 1}`, String(7_000_000 + index)));
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders(rig, storeId, { text: exportText(rows) });
  const replica = await openTestRegistry({ database: registry.database });
  await replica.settings.imports.startImport({ importId, dryRun: false }, { headers });
  const issued = () => registry.database.collections.certificates.countDocuments({ store: storeId });
  await eventually(async () => expect(await issued()).toBeGreaterThan(200));
  await replica.stop();
  const found = await untilImport(registry, headers, importId, ImportState.FINISHED);
  expect(found).toMatchObject({ issued: 1_200, alreadyIssued: 0, rows: 1_200 });
  expect(await issued()).toBe(1_200);
}, 300_000);

test("a merchant can stop a running import: what is issued remains, and its counts are those of the certificates", async (context) => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const rowCount = 6_000;
  const rows = Array.from({ length: rowCount }, (_, index) => headRow(`#${index + 1}`, String(7_000_000 + index)));
  const importId = await uploadOrders(rig, storeId, { text: exportText(rows) });
  const path = `/certificates/import/${importId}`;
  const token = merchant.formToken;
  await merchant.save(path, { action: "start", token });
  const issued = () => registry.database.collections.certificates.countDocuments({ store: storeId });
  // The import must not end before it is stopped. The store can be locked only between two batches.
  const { unlock } = await eventually(async () => {
    expect(await issued()).toBeGreaterThan(0);
    return lockStores(context, registry.database, [storeId]);
  });
  await merchant.save(path, { action: "stop", token });
  await unlock();
  const content = await doneText(merchant, path);
  expect(content).toContain('<a href="/settings/certificates/import" class="button">Choose another file</a>');
  const page = plain(content);
  const count = await issued();
  expect(count).toBeLessThan(rowCount);
  expect(page).toContain(`Certificates issued ${count.toLocaleString("en")} `);
  expect(page).toContain("Stopped The import was stopped. What has been issued remains.");
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries[0]).toMatchObject({ action: "import.stopped", actor: "Ada" });
  // Stopping again changes nothing.
  await merchant.save(path, { action: "stop", token });
  expect(plain(await (await merchant.get(path)).text())).toContain("Stopped");
});

test("an import that waits for a replica stops when it is claimed", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders(rig, storeId);
  const { imports } = registry.database.collections;
  const waiting = { state: "issuing" as const, isStopping: true, dueAt: new Date() };
  await imports.updateOne({ _id: importId }, { $set: waiting });
  const found = await untilImport(registry, headers, importId, ImportState.FINISHED);
  expect(found.unreadableReason?.code).toBe("import_stopped");
  expect(await listAll(registry, storeId)).toEqual([]);
});

test("a file that cannot be read is not called checked, and another file can be chosen", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const path = pathOf(await upload(merchant, "no,columns\n1,2"));
  const page = await doneText(merchant, path);
  expect(plain(page)).toContain("Not readable");
  expect(plain(page)).not.toContain("File checked");
  expect(page).toContain('<a href="/settings/certificates/import" class="button">Choose another file</a>');
  expect(plain(await (await merchant.get("/certificates/import")).text())).toContain("Not readable");
});

test("the rejected lines can be downloaded as CSV, with the reasons in the requested language", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const bad = Array.from({ length: 1_200 }, (_, index) =>
    headRow(`#${index}`, String(8_000_000 + index), { Email: "x" }),
  );
  const path = pathOf(await upload(merchant, exportText(bad)));
  const page = plain(await doneText(merchant, path));
  expect(page).toContain("Rejected lines (1,200)");
  expect(page).toContain("The first 20 are shown here.");
  const response = await merchant.get(`${path}/rejected.csv?lang=de`);
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="rejected-lines.csv"');
  const lines = (await response.text()).split("\r\n");
  expect(lines.slice(0, 2)).toEqual(["line,column,reason", "2,Email,Das ist keine E‑Mail-Adresse."]);
  expect(lines).toHaveLength(1_202);
});

test("a full page of rejected lines has a next page only if more lines follow", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const bad = Array.from({ length: 4 }, (_, index) => headRow(`#${index}`, String(8_000_000 + index), { Email: "x" }));
  const importId = await uploadOrders(rig, storeId, { text: exportText(bad) });
  const page = (afterNumber: number) => imports.listRejectedLines({ importId, afterNumber, limit: 2 }, { headers });
  expect(await page(0)).toMatchObject({ lines: [{ line: 2 }, { line: 3 }], nextNumber: 2 });
  expect(await page(2)).toMatchObject({ lines: [{ line: 4 }, { line: 5 }], nextNumber: 0 });
});

test.each([
  ["a file without the needed columns", "a,b\n1,2\n", /The header lacks the column/],
  ["a file that is not text", new Uint8Array([0xff, 0xfe, 0, 1]), /not UTF-8/],
  ["an image", new Uint8Array(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")), /This is not a CSV file/],
  ["an empty file", "", /The file is empty/],
  ["a file with a quotation mark that is never closed", `${orders}"#9,`, /from line 7 on: .*never closed/],
])("shows why an import cannot read %s", async (_what, content, reason) => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  expect(plain(await doneText(merchant, pathOf(await upload(merchant, content))))).toMatch(reason);
});

test.each([
  ["a form without a file", "", "", "Choose a file"],
  ["a file of more than 10 MB", "x".repeat(10 * 1_024 * 1_024 + 1), "orders.csv", "larger than 10 MB"],
])("refuses %s and starts nothing", async (_what, content, name, words) => {
  const storeId = await createPageStore(rig);
  const response = await upload(await openBrowserSession(rig, storeId), content, name);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(words)]);
  const started = { store: storeId, state: { $ne: "uploading" as const } };
  expect(await registry.database.collections.imports.countDocuments(started)).toBe(0);
});

test("a file that is too large is refused before an import is created, so that it does not count as one", async () => {
  const storeId = await createPageStore(rig);
  const content = "x".repeat(10 * 1_024 * 1_024 + 20_000);
  const response = await upload(await openBrowserSession(rig, storeId), content);
  expect(await response.text()).toContain("larger than 10 MB");
  expect(await registry.database.collections.imports.countDocuments({ store: storeId })).toBe(0);
});

test("an upload that is refused because an edge receives too many files says that nothing has been changed", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const creating = Promise.withResolvers<never>();
  const calls = { createImport: () => creating.promise, addImportPart: () => creating.promise };
  const others = ["one", "one", "two", "two", "three"].map((store) =>
    uploadFile({ imports: calls, store }, { name: "orders.csv", content: Readable.from([]) }),
  );
  const response = await upload(merchant, orders);
  creating.reject(new Error("over"));
  await Promise.allSettled(others);
  const page = await response.text();
  expect([response.status, page]).toEqual([503, expect.stringContaining("This time nothing was changed.")]);
  expect(page).not.toContain("may have taken effect");
  expect(await registry.database.collections.imports.countDocuments({ store: storeId })).toBe(0);
  expect((await upload(merchant, orders)).status).toBe(303);
});

test("an upload of unknown length that is cut off is shown as incomplete, and cannot be started", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  async function* cutOff() {
    yield Buffer.alloc(600_000, "x");
    throw new Error("the connection was closed");
  }
  const calls: Parameters<typeof uploadFile>[0]["imports"] = {
    createImport: (request) => imports.createImport(request, { headers }),
    addImportPart: (request) => imports.addImportPart(request, { headers }),
  };
  const uploading = uploadFile({ imports: calls, store: storeId }, { name: "orders.csv", content: cutOff() });
  await expect(uploading).rejects.toThrow("the connection was closed");
  const merchant = await openBrowserSession(rig, storeId);
  expect(plain(await (await merchant.get("/certificates/import")).text())).toContain("Upload incomplete");
  const [found] = (await imports.listImports({}, { headers })).imports;
  const importId = found?.id ?? "";
  expect(await (await merchant.get(`/certificates/import/${importId}`)).text()).toContain("not received in full");
  await expect(imports.startImport({ importId, dryRun: false }, { headers })).rejects.toThrow();
  // The database deletes the parts after a day.
  const parts = await registry.database.collections.importParts.find({ import: importId }).toArray();
  expect(parts.map(({ createdAt }) => createdAt instanceof Date)).toEqual([true, true]);
});

test("a deleted file is not imported, and erasing a person's data deletes the store's uploaded files", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders(rig, storeId, { text: orders });
  const { importParts } = registry.database.collections;
  await importParts.deleteMany({ store: storeId });
  const merchant = await openBrowserSession(rig, storeId);
  expect(await (await merchant.get(`/certificates/import/${importId}`)).text()).toContain("no longer stored");
  await imports.startImport({ importId, dryRun: false }, { headers });
  const found = await untilImport(registry, headers, importId, ImportState.FINISHED);
  expect(found).toMatchObject({
    issued: 0,
    unreadableReason: { text: "The file is no longer stored. Upload it again." },
  });
  await uploadOrders(rig, storeId, { text: orders });
  await registry.persons.erasePerson({ email: "ann@example.com" }, inStore(storeId));
  expect(await importParts.countDocuments({ store: storeId })).toBe(0);
});

test("limits the number and size of parts, the length of the file name and the number of imports", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  const add = (part: { number: number; content: Uint8Array }) =>
    imports.addImportPart({ importId, ...part }, { headers });
  await expect(add({ number: 64, content: Buffer.from("x") })).rejects.toThrow(/number/);
  await expect(add({ number: 0, content: Buffer.alloc(262_145) })).rejects.toThrow(/content/);
  await expect(imports.createImport({ fileName: "x".repeat(256) }, { headers })).rejects.toThrow(/file_name/);
  const createMany = async () => {
    for (let count = 0; count < 60; count++) await imports.createImport({ fileName: "x" }, { headers });
  };
  expect(await createMany().catch(toServiceError)).toMatchObject({ code: "rate_limited" });
  onTestFinished(() => void registry.database.collections.imports.deleteMany({ store: storeId }));
});

const { collections } = registry.database;
const reason = /^The import failed because of an internal error\. Import the file again/;

/** Replaces the first part of an import's file with a value that no replica can read. */
async function breakFile(importId: string): Promise<void> {
  const part = { _id: compoundKey(importId, 0) };
  await collections.importParts.updateOne(part, { $set: { content: "broken" as never } });
}

test("a file whose examination fails is not examined again, and the merchant sees that the import failed", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  await imports.addImportPart({ importId, number: 0, content: Buffer.from("a,b") }, { headers });
  await breakFile(importId);
  await imports.startImport({ importId, dryRun: true }, { headers });
  const found = await untilImport(registry, headers, importId, ImportState.EXAMINED);
  expect(found.unreadableReason?.text).toMatch(reason);
  const page = await (await openBrowserSession(rig, storeId)).get(`/certificates/import/${importId}?lang=de`);
  expect(await page.text()).toContain("wegen eines internen Fehlers gescheitert");
});

test("an import that fails while it issues certificates is marked as finished, with the reason", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const importId = await uploadOrders(rig, storeId);
  await breakFile(importId);
  await imports.startImport({ importId, dryRun: false }, { headers });
  const found = await untilImport(registry, headers, importId, ImportState.FINISHED);
  expect(found.unreadableReason?.text).toMatch(reason);
});

test("an import cannot issue certificates before its file has been examined", async () => {
  const headers = await openSettingsSession(registry, await createPageStore(rig));
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  await imports.addImportPart({ importId, number: 0, content: Buffer.from("a,b") }, { headers });
  const refused = await refusalOf(imports.startImport({ importId, dryRun: false }, { headers }));
  expect(refused.code).toBe("failed_precondition");
  expect((await imports.getImport({ importId }, { headers })).import?.state).toBe(ImportState.UPLOADING);
});

test("a replica that stops does not wait for a batch that is blocked by a locked store", async (context) => {
  // The replica has a database of its own, so that no other replica claims the import.
  const database = await openTestDatabase(context.onTestFinished);
  const proxy = await startDatabaseProxy(database.uri, context.onTestFinished);
  const alone = await startTestRegistry({ database: { ...database, uri: proxy.uri } });
  const ofAlone = { ...rig, registry: alone };
  const storeId = await createPageStore(ofAlone);
  const headers = await openSettingsSession(alone, storeId);
  const rows = Array.from({ length: 300 }, (_, index) => headRow(`#${index + 1}`, String(7_000_000 + index)));
  const importId = await uploadOrders(ofAlone, storeId, { text: exportText(rows) });
  const { unlock } = await lockStores(context, database, [storeId]);
  const attempts = () => proxy.count("findAndModify stores");
  const before = attempts();
  await alone.settings.imports.startImport({ importId, dryRun: false }, { headers });
  await eventually(() => expect(attempts()).toBeGreaterThan(before + 2));
  const attemptsAtStop = attempts();
  await alone.stop();
  // A batch tries to change a locked store for ten seconds, about four times per second.
  expect(attempts() - attemptsAtStop).toBeLessThan(10);
  await unlock();
});
