import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { certificateOf, documentOf } from "../../services/registry/mongo/documents/convert-documents.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { linkTokenOf } from "../harness/link-token-of.ts";
import { listAll, listedJson } from "../harness/public-certificate.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { admin, collections, issuing } = { ...registry, ...registry.database };

/** Sets a certificate's stored issue and update times to `at`, both as fields and in its stored JSON. */
async function issueAt(certificateId: string, at: Date): Promise<void> {
  const document = await collections.certificates.findOne({ _id: certificateId });
  if (document === null) throw new Error("the certificate is not stored");
  const certificate = { ...certificateOf(document), issuedAt: at, updatedAt: at };
  await collections.certificates.replaceOne({ _id: certificateId }, documentOf(certificate));
}

/** Reads a store's only certificate, as listed JSON, and its event. */
async function readBoth(storeId: string) {
  const listed = await listedJson(registry, storeId);
  const document = await collections.outbox.findOne({ store: storeId });
  if (document === null) throw new Error("the outbox has no event");
  const event = fromBinary(CertificateEventSchema, document.event.value());
  return { listed, event, document };
}

test("renders a certificate issued for an order, with an edition", async () => {
  const verifyBaseUrl = "https://verify.shop.example/c";
  const storeId = await createTestStore(registry, { verifyBaseUrl, language: "pt" });
  const variants = [{ sku: "AJ-M", title: "M / Blue" }];
  await admin.putProducts(
    {
      products: [{ id: "7001", title: 'Alpine "Jacket"', variants, editionTotal: 50 }],
    },
    inStore(storeId),
  );
  const { results } = await issuing.issueCertificates(
    {
      items: [
        issueItem({
          product: { sku: "AJ-M" },
          buyer: { name: "Ähre Ωmega", email: "Ada@Example.test" },
          order: { id: "450789469", name: "#1001" },
          expiresAt: { seconds: 4_102_444_800n },
        }),
      ],
    },
    inStore(storeId),
  );
  const certificate = results[0]?.certificateId ?? "";
  const at = new Date("2026-01-02T03:04:05.006Z");
  await issueAt(certificate, at);

  expect((await readBoth(storeId)).listed).toBe(
    `{"id":"${certificate}","serial":"000001","status":"active",` +
      `"product":{"id":"7001","title":"Alpine \\"Jacket\\"","variant":"M / Blue","sku":"AJ-M"},` +
      `"edition":{"number":1,"total":50,"formatted":"1/50"},` +
      `"order":{"id":"450789469","name":"#1001"},` +
      `"owner":{"name":"Ähre Ωmega","email":"Ada@Example.test"},` +
      `"originalBuyer":{"name":"Ähre Ωmega","email":"Ada@Example.test"},` +
      `"issuedAt":"2026-01-02T03:04:05.006Z","updatedAt":"2026-01-02T03:04:05.006Z",` +
      `"expiresAt":"2100-01-01T00:00:00.000Z","revokedAt":null,"revokedReason":null,` +
      `"verifyUrl":"https://verify.shop.example/c/${await linkTokenOf(registry, certificate)}?lang=pt"}`,
  );
});

test("renders a certificate issued manually, without an edition", async () => {
  const storeId = await createTestStore(registry);
  const { results } = await issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const certificate = results[0]?.certificateId ?? "";
  const at = new Date("2026-01-02T03:04:05.000Z");
  await issueAt(certificate, at);

  expect((await readBoth(storeId)).listed).toBe(
    `{"id":"${certificate}","serial":"000001","status":"active",` +
      `"product":{"id":"7001","title":"Alpine Jacket","variant":"M / Blue","sku":""},` +
      `"edition":null,"order":{"id":null,"name":null},` +
      `"owner":{"name":"Ada Example","email":"ada@example.test"},` +
      `"originalBuyer":{"name":"Ada Example","email":"ada@example.test"},` +
      `"issuedAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z",` +
      `"expiresAt":null,"revokedAt":null,"revokedReason":null,` +
      `"verifyUrl":"https://verify.example.test/c/${await linkTokenOf(registry, certificate)}?lang=en"}`,
  );
});

test("embeds the listed JSON unchanged in the event, with the ids of the store and the certificate", async () => {
  const shop = "bytes.example.test";
  const storeId = await createTestStore(registry, { shop });
  const { results } = await issuing.issueCertificates(
    {
      items: [issueItem({ buyer: { name: "O'Neil </script> \u2028 😀" }, order: {} })],
    },
    inStore(storeId),
  );
  const { listed, event, document } = await readBoth(storeId);

  expect(Buffer.from(event.certificateJson).toString("utf8")).toBe(listed);
  const { id, updatedAt } = JSON.parse(listed);
  expect(event).toMatchObject({
    storeId,
    shop,
    type: EventType.ISSUED,
    certificateId: results[0]?.certificateId,
    serial: "000001",
  });
  expect(event.id).toMatch(/^evt_/);
  expect(Number(event.occurredAt?.seconds) * 1_000 + (event.occurredAt?.nanos ?? 0) / 1e6).toBe(Date.parse(updatedAt));
  expect(document).toMatchObject({
    _id: event.id,
    at: new Date(updatedAt),
    certificate: id,
    type: EventType.ISSUED,
  });
});

describe("edition.formatted", () => {
  test.each<[string, EditionStyle, string]>([
    ["number_total by default", EditionStyle.UNSPECIFIED, "7/50"],
    ["number_total", EditionStyle.NUMBER_TOTAL, "7/50"],
    ["zero_padded", EditionStyle.ZERO_PADDED, "07/50"],
    ["no_of", EditionStyle.NO_OF, "No. 7 of 50"],
    ["number", EditionStyle.NUMBER, "7 of 50"],
  ])("follows the store's edition style: %s", async (_name, editionStyle, formatted) => {
    const storeId = await createTestStore(registry, { editionStyle });
    const variants = [{ sku: "A" }];
    await admin.putProducts({ products: [{ id: "1", title: "A", variants, editionTotal: 50 }] }, inStore(storeId));
    const items = Array.from({ length: 7 }, () => issueItem({ product: { sku: "A" } }));
    await issuing.issueCertificates({ items }, inStore(storeId));
    const listed = await listAll(registry, storeId);
    expect(listed[6]?.edition).toEqual({ number: 7, total: 50, formatted });
  });
});

test.each<[string, string, string]>([
  ["with trailing slashes", "https://own.example.test/verify//", "https://own.example.test/verify/"],
  ["without a path", "https://own.example.test", "https://own.example.test/"],
])("uses a store's verification address %s", async (_name, verifyBaseUrl, start) => {
  const storeId = await createTestStore(registry, { verifyBaseUrl });
  await issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const [certificate] = await listAll(registry, storeId);
  expect(certificate?.verifyUrl).toBe(`${start}${await linkTokenOf(registry, certificate?.id ?? "")}?lang=en`);
});

test.each(["https://own.example.test/?a=b", "https://own.example.test/#top", "https://own.example.test/#"])(
  "rejects a verification address with a query or a fragment: %s",
  async (verifyBaseUrl) => {
    await expect(createTestStore(registry, { verifyBaseUrl })).rejects.toThrow(
      "verify_base_url is invalid: The URL contains a",
    );
  },
);
