import { expect, test } from "vitest";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { linkTokenOf } from "../harness/link-token-of.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });

async function storeWithOneCertificate(): Promise<string> {
  const storeId = await createTestStore(registry);
  const variants = [{ sku: "P-1", title: "A3" }];
  await registry.admin.putProducts(
    {
      products: [{ id: "7", title: "Print", variants, editionTotal: 50 }],
    },
    inStore(storeId),
  );
  await registry.issuing.issueCertificates({ items: [issueItem({ product: { sku: "P-1" } })] }, inStore(storeId));
  return storeId;
}

test("applies settings to existing certificates immediately, keeping updatedAt and recording no event", async () => {
  const storeId = await storeWithOneCertificate();
  const [before] = await listAll(registry, storeId);
  await registry.admin.updateSettings(
    {
      editionStyle: EditionStyle.NO_OF,
      verifyBaseUrl: "https://shop.example.test/apps/certificates/",
      language: "de",
    },
    inStore(storeId),
  );
  const [after] = await listAll(registry, storeId);
  expect(after).toEqual({
    ...before,
    edition: { number: 1, total: 50, formatted: "No. 1 of 50" },
    verifyUrl: `https://shop.example.test/apps/certificates/${await linkTokenOf(registry, before?.id ?? "")}?lang=de`,
  });
  expect(await registry.database.collections.outbox.countDocuments({ store: storeId })).toBe(1);
});

test("keeps omitted settings, and replaces an empty verification address with the service's default", async () => {
  const storeId = await storeWithOneCertificate();
  const [before] = await listAll(registry, storeId);
  await registry.admin.updateSettings({ verifyBaseUrl: "https://shop.example.test" }, inStore(storeId));
  const { store } = await registry.admin.updateSettings({ language: "fr" }, inStore(storeId));
  expect(store).toMatchObject({ verifyBaseUrl: "https://shop.example.test", language: "fr" });
  await registry.admin.updateSettings({ verifyBaseUrl: "", language: "en" }, inStore(storeId));
  expect(await listAll(registry, storeId)).toEqual([before]);
});

test.each([
  ["HTTPS://Shop.Example.Test:443/a/../b//", "https://shop.example.test/b"],
  ["https://bücher.example.test/échantillon", "https://xn--bcher-kva.example.test/%C3%A9chantillon"],
  ['https://shop.example.test/"><script>', "https://shop.example.test/%22%3E%3Cscript%3E"],
  ["https://shop.example.test\\\\", "https://shop.example.test"],
])("stores the verification address %s in normal form", async (verifyBaseUrl, normal) => {
  const storeId = await storeWithOneCertificate();
  const { store } = await registry.admin.updateSettings({ verifyBaseUrl }, inStore(storeId));
  expect(store?.verifyBaseUrl).toBe(normal);
  const [certificate] = await listAll(registry, storeId);
  expect(certificate?.verifyUrl).toBe(`${normal}/${await linkTokenOf(registry, certificate?.id ?? "")}?lang=en`);
});

test.each([
  ["verify_base_url", { verifyBaseUrl: "http://shop.example.test" }],
  ["verify_base_url", { verifyBaseUrl: `https://shop.example.test/${"é".repeat(400)}` }],
  ["verify_base_url", { verifyBaseUrl: "https://shop.example.test/?a=b" }],
  ["language", { language: "not a language" }],
  ["language", { language: "sv" }],
  ["language", { language: "pt-BR" }],
  ["language", { language: "DE" }],
  ["language", { language: "d".repeat(100_000) }],
  ["language", { language: "" }],
  ["edition_style", { editionStyle: 99 as EditionStyle }],
])("rejects an invalid %s, names the field and changes nothing: %j", async (field, settings) => {
  const storeId = await storeWithOneCertificate();
  const before = await listAll(registry, storeId);
  const error = await registry.admin.updateSettings(settings, inStore(storeId)).catch(toServiceError);
  expect(error).toMatchObject({ code: "bad_request", field });
  expect(await listAll(registry, storeId)).toEqual(before);
});

test("lists the supported languages in the error for an unsupported language", async () => {
  const storeId = await createTestStore(registry);
  const error = await registry.admin.updateSettings({ language: "sv" }, inStore(storeId)).catch(toServiceError);
  expect(error).toMatchObject({
    message: "language is invalid: The language must be one of en, de, fr, es, it, pt, nl, ja.",
  });
});

test.each(supportedLanguages)("accepts the language %s for a new and an existing store", async (language) => {
  const storeId = await createTestStore(registry, { language });
  const { store } = await registry.admin.updateSettings({ language }, inStore(storeId));
  expect(store).toMatchObject({ language });
});

test("keeps a stored language that is not supported when another setting changes", async () => {
  const storeId = await storeWithOneCertificate();
  await registry.database.collections.stores.updateOne({ _id: storeId }, { $set: { "settings.language": "pt-BR" } });
  await registry.admin.updateSettings({ editionStyle: EditionStyle.NO_OF }, inStore(storeId));
  const [listed] = await listAll(registry, storeId);
  expect(listed?.verifyUrl).toMatch(/\?lang=pt-BR$/);
});

test("keeps all concurrent changes to different settings", async () => {
  const storeId = await storeWithOneCertificate();
  for (const [language, editionStyle] of [
    ["de", EditionStyle.NUMBER],
    ["fr", EditionStyle.NO_OF],
    ["it", EditionStyle.ZERO_PADDED],
    ["nl", EditionStyle.NUMBER_TOTAL],
  ] as const) {
    const verifyBaseUrl = `https://${language}.example.test`;
    const replies = await Promise.all([
      registry.admin.updateSettings({ language }, inStore(storeId)),
      replica.admin.updateSettings({ editionStyle }, inStore(storeId)),
      registry.admin.updateSettings({ verifyBaseUrl }, inStore(storeId)),
    ]);
    expect(replies.map(({ store }) => store)).toMatchObject([{ language }, { editionStyle }, { verifyBaseUrl }]);
    const { store } = await replica.admin.getStore({}, inStore(storeId));
    expect(store).toMatchObject({ language, editionStyle, verifyBaseUrl });
  }
});
