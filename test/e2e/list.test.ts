import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import type { ListedCertificate } from "../harness/list-client.ts";
import { seededRandom } from "../harness/seeded-random.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";
import { variants } from "../harness/variants.ts";

const certificateCount = 210;
const requestCount = Math.max(...variants([100, 300]));
const dayMs = 86_400_000;
const owners = [
  "ada@example.com",
  "Grace.Hopper@Example.com",
  "li+art@example.org",
  "ÖZGE@exämple.example",
  "o'neil@example.net",
];

const stack = await openProcessStack({ REGISTRY_RATE_LIMIT: "10000" });
const { storeId, apiKey, client } = await createStoreClient(stack);
let allCertificates: ListedCertificate[];

const { below: random, pick } = seededRandom(20_261_121);

beforeAll(async () => {
  await issueGenerated();
  await stack.issuing.createSamples({ products: [{ title: "Sample" }] }, inStore(storeId));
  allCertificates = await client.all();
});

async function issueGenerated(): Promise<void> {
  const items = Array.from({ length: certificateCount }, (_, index) =>
    issueItem({
      buyer: { name: `Buyer ${index}`, email: pick(owners) },
      ...(random(4) === 0
        ? {}
        : {
            order: {
              id: String(4_500_000 + (index >> 2)),
              name: `#${1_000 + (index >> 2)}`,
              line: String(index),
              unit: 1,
            },
          }),
      ...(random(3) === 0 ? { expiresAt: timestampFromMs(Date.now() + (random(2) === 0 ? dayMs : 3 * dayMs)) } : {}),
    }),
  );
  for (let at = 0; at < items.length; at += 100)
    await stack.issuing.issueCertificates({ items: items.slice(at, at + 100) }, inStore(storeId));
  // Set directly, because only the result of a revocation matters here.
  const { certificates } = stack.database.collections;
  const revoked = { status: "revoked", revokedAt: new Date(), revokedReason: "refund" } as const;
  await certificates.updateMany({ store: storeId, serial: { $mod: [5, 0] } }, { $set: revoked });
  const soon = { $lt: new Date(Date.now() + 2 * dayMs) };
  await certificates.updateMany(
    { store: storeId, expiresAt: soon },
    { $set: { expiresAt: new Date(Date.now() - dayMs) } },
  );
}

function matches(certificate: ListedCertificate, query: Readonly<Record<string, string>>): boolean {
  const { email, order, serial, status = "all", updated_since } = query;
  const fold = (text: string) => text.normalize("NFC").toLowerCase();
  return (
    (email === undefined || fold(certificate.owner.email) === fold(email)) &&
    (order === undefined || certificate.order.name === order || certificate.order.id === order) &&
    (serial === undefined || Number(certificate.serial) === Number(serial)) &&
    (status === "all" || certificate.status === status) &&
    (updated_since === undefined || Date.parse(certificate.updatedAt) > Date.parse(updated_since))
  );
}

const generators: Readonly<Record<string, () => string>> = {
  email: () => pick([pick(owners), pick(owners).toUpperCase(), "nobody@example.com"]),
  order: () => pick([pick(allCertificates).order.name ?? "#1", pick(allCertificates).order.id ?? "7", "#9999999"]),
  serial: () => pick([pick(allCertificates).serial, String(Number(pick(allCertificates).serial)), "987654321"]),
  status: () => pick(["active", "revoked", "expired", "all"]),
  updated_since: () => {
    const time = new Date(Date.parse(pick(allCertificates).updatedAt) + random(3) - 1);
    if (random(2) === 0) return time.toISOString();
    const local = new Date(time.getTime() + 2 * 3_600_000).toISOString();
    return local.replace("Z", "+02:00");
  },
};

describe("the list", () => {
  test("contains every certificate once across its pages, ordered by unique updatedAt values, but no samples", () => {
    expect(allCertificates).toHaveLength(certificateCount);
    expect(new Set(allCertificates.map(({ id }) => id)).size).toBe(certificateCount);
    const times = allCertificates.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual([...new Set(times)].sort());
    expect(new Set(allCertificates.map(({ status }) => status))).toEqual(new Set(["active", "revoked", "expired"]));
  });

  test("returns 50 certificates per page by default, and a cursor that continues after them", async () => {
    const first = await client.page();
    expect(first.certificates.map(({ id }) => id)).toEqual(allCertificates.slice(0, 50).map(({ id }) => id));
    const second = await client.page({ cursor: first.next_cursor ?? "", limit: "3" });
    expect(second.certificates.map(({ id }) => id)).toEqual(allCertificates.slice(50, 53).map(({ id }) => id));
  });

  test("is empty when updated_since equals the newest updatedAt, until another certificate is issued", async () => {
    const newest = allCertificates.at(-1)?.updatedAt ?? "";
    expect(await client.page({ updated_since: newest })).toEqual({ certificates: [], next_cursor: null });
    const late = issueItem({ buyer: { name: "Late", email: "late@example.com" } });
    const { results } = await stack.issuing.issueCertificates({ items: [late] }, inStore(storeId));
    const { certificates } = await client.page({ updated_since: newest });
    expect(certificates.map(({ id }) => id)).toEqual([results[0]?.certificateId]);
    allCertificates.push(...certificates);
  });

  test(`returns the same certificates as an in-memory filter for ${requestCount} random queries`, async () => {
    let matched = 0;
    for (let count = 0; count < requestCount; count++) {
      const names = Object.keys(generators).filter(() => random(3) === 0);
      const query = Object.fromEntries(names.map((name) => [name, generators[name]?.() ?? ""]));
      const expected = allCertificates.filter((certificate) => matches(certificate, query));
      matched += expected.length;
      const shown = await client.all({ ...query, limit: String(20 + random(81)) });
      expect(shown, JSON.stringify(query)).toEqual(expected);
    }
    expect(matched).toBeGreaterThan(requestCount);
  });

  test("answers HEAD with the same Content-Length as GET, but without a body", async () => {
    const get = await client.fetch("limit=2");
    const headers = { authorization: `Bearer ${apiKey}` };
    const head = await client.fetch("limit=2", { method: "HEAD", headers });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect(await head.text()).toBe("");
  });
});
