import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueItem } from "../harness/issue-items.ts";
import { ListClient, type ListedCertificate } from "../harness/list-client.ts";
import { type ProcessStack, startProcessStack } from "../harness/stack/process-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const certificateCount = 420;
const requestCount = 300;
const dayMs = 86_400_000;
const owners = [
  "ada@example.com",
  "Grace.Hopper@Example.com",
  "li+art@example.org",
  "ÖZGE@exämple.example",
  "o'neil@example.net",
];

let stack: ProcessStack;
let storeId: string;
let client: ListClient;
let truth: ListedCertificate[];

// Any number will do; it only has to be the same in every run.
let seed = 20_261_121;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

function pick<T>(values: readonly T[]): T {
  const value = values[random(values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

beforeAll(async () => {
  stack = await startProcessStack({ registryEnv: { REGISTRY_RATE_LIMIT: "10000" } });
  storeId = await createTestStore(stack);
  const { apiKey } = await stack.admin.createApiKey({ storeId, label: "test" });
  client = new ListClient(stack.baseUrl, apiKey);
  await issueGenerated();
  await stack.issuing.createSamples({ storeId, products: [{ title: "Sample" }] });
  truth = await client.all();
});

afterAll(() => stack?.stop());

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
      ...(random(3) === 0
        ? { expiresAt: timestampFromMs(Date.now() + (random(2) === 0 ? -dayMs : dayMs)) }
        : {}),
    }),
  );
  for (let at = 0; at < items.length; at += 100)
    await stack.issuing.issueCertificates({ storeId, items: items.slice(at, at + 100) });
  // Revocation is an operation of its own; here only its result matters.
  const { certificates } = stack.database.collections;
  const revoked = { status: "revoked", revokedAt: new Date(), revokedReason: "refund" } as const;
  await certificates.updateMany({ store: storeId, serial: { $mod: [5, 0] } }, { $set: revoked });
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
  order: () => pick([pick(truth).order.name ?? "#1", pick(truth).order.id ?? "7", "#9999999"]),
  serial: () => pick([pick(truth).serial, String(Number(pick(truth).serial)), "987654321"]),
  status: () => pick(["active", "revoked", "expired", "all"]),
  updated_since: () => {
    const time = new Date(Date.parse(pick(truth).updatedAt) + random(3) - 1);
    if (random(2) === 0) return time.toISOString();
    const local = new Date(time.getTime() + 2 * 3_600_000).toISOString();
    return local.replace("Z", "+02:00");
  },
};

describe("the list", () => {
  test("read page by page shows every certificate once, in the order of a unique updatedAt", () => {
    expect(truth).toHaveLength(certificateCount);
    expect(new Set(truth.map(({ id }) => id)).size).toBe(certificateCount);
    const times = truth.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual([...new Set(times)].sort());
    expect(new Set(truth.map(({ status }) => status))).toEqual(new Set(["active", "revoked", "expired"]));
  });

  test("shows 50 certificates a page by default, and the cursor goes on behind them", async () => {
    const first = await client.page();
    expect(first.certificates.map(({ id }) => id)).toEqual(truth.slice(0, 50).map(({ id }) => id));
    const second = await client.page({ cursor: first.next_cursor ?? "", limit: "3" });
    expect(second.certificates.map(({ id }) => id)).toEqual(truth.slice(50, 53).map(({ id }) => id));
  });

  test("shows nothing after the newest updatedAt, and then exactly what is issued", async () => {
    const newest = truth.at(-1)?.updatedAt ?? "";
    expect(await client.page({ updated_since: newest })).toEqual({ certificates: [], next_cursor: null });
    const late = issueItem({ buyer: { name: "Late", email: "late@example.com" } });
    const { results } = await stack.issuing.issueCertificates({ storeId, items: [late] });
    const { certificates } = await client.page({ updated_since: newest });
    expect(certificates.map(({ id }) => id)).toEqual([results[0]?.certificateId]);
    truth.push(...certificates);
  });

  test(`answers ${requestCount} random requests as a plain filter over the same data does`, {
    timeout: 120_000,
  }, async () => {
    let matched = 0;
    for (let count = 0; count < requestCount; count++) {
      const names = Object.keys(generators).filter(() => random(3) === 0);
      const query = Object.fromEntries(names.map((name) => [name, generators[name]?.() ?? ""]));
      const expected = truth.filter((certificate) => matches(certificate, query));
      matched += expected.length;
      const shown = await client.all({ ...query, limit: String(20 + random(81)) });
      expect(shown, JSON.stringify(query)).toEqual(expected);
    }
    expect(matched).toBeGreaterThan(requestCount);
  });

  test("HEAD answers as GET does, without the body", async () => {
    const get = await client.fetch("limit=2");
    const head = await client.fetch("limit=2", {
      method: "HEAD",
      headers: Object.fromEntries([["authorization", await authorization()]]),
    });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect(await head.text()).toBe("");
  });

  test("another store's certificates, cursor and plan are its own", async () => {
    const otherId = await createTestStore(stack);
    const { apiKey } = await stack.admin.createApiKey({ storeId: otherId, label: "test" });
    const other = new ListClient(stack.baseUrl, apiKey);
    expect(await other.all()).toEqual([]);
    const { next_cursor } = await client.page({ limit: "1" });
    const response = await other.fetch(`limit=1&cursor=${next_cursor}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("cursor");
  });
});

async function authorization(): Promise<string> {
  const { apiKey } = await stack.admin.createApiKey({ storeId, label: "test" });
  return `Bearer ${apiKey}`;
}
