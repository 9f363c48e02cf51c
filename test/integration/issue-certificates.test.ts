import { expect, test } from "vitest";
import { type IssueCertificatesResponse, IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, orderItems } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { database, issuing } = registry;

const { ISSUED, ALREADY_ISSUED, INVALID } = IssueOutcome;

function outcomesOf({ results }: IssueCertificatesResponse): IssueOutcome[] {
  return results.map(({ outcome }) => outcome);
}

async function issueByHand(storeId: string): Promise<string | undefined> {
  const { results } = await issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  return results[0]?.serial;
}

function expectIncreasing(times: readonly string[]): void {
  expect(times).toEqual([...new Set(times)].sort());
}

test("issues the items of a call in order, at distinct times that are not in the future", async () => {
  const storeId = await createTestStore(registry);
  const titles = Array.from({ length: 120 }, (_, index) => `Product ${index + 1}`);
  const items = titles.map((title) => issueItem({ product: { title } }));

  const { results } = await issuing.issueCertificates({ items }, inStore(storeId));
  const answeredAt = await database.now();
  const listed = await listAll(registry, storeId);

  expect(listed.map(({ product }) => product.title)).toEqual(titles);
  expect(listed.map(({ id }) => id)).toEqual(results.map(({ certificateId }) => certificateId));
  expectIncreasing(listed.map(({ updatedAt }) => updatedAt));
  expect(new Date(listed.at(-1)?.updatedAt ?? "").getTime()).toBeLessThanOrEqual(answeredAt.getTime());
});

test("delays calls that would issue more than one certificate per millisecond, instead of assigning future times", async () => {
  const storeId = await createTestStore(registry);
  for (let call = 0; call < 3; call++) {
    const items = Array.from({ length: 200 }, () => issueItem());
    await issuing.issueCertificates({ items }, inStore(storeId));
    const answeredAt = await database.now();
    const newest = await database.collections.certificates
      .find({ store: storeId })
      .sort({ updatedAt: -1 })
      .limit(1)
      .next();
    expect(newest?.updatedAt.getTime()).toBeLessThanOrEqual(answeredAt.getTime());
  }
  const listed = await listAll(registry, storeId);
  expect(listed).toHaveLength(600);
  expectIncreasing(listed.map(({ updatedAt }) => updatedAt));
});

test("assigns serial numbers from 1 in each store, without gaps after invalid or repeated items", async () => {
  const storeId = await createTestStore(registry);
  const bad = issueItem({ buyer: { email: "nobody" } });
  const known = issueItem({ order: { id: "1" } });
  await issuing.issueCertificates({ items: [known, bad, issueItem(), bad] }, inStore(storeId));
  await issuing.issueCertificates({ items: [bad] }, inStore(storeId));
  await replica.issuing.issueCertificates({ items: [bad, known, issueItem()] }, inStore(storeId));
  await issuing.issueCertificates({ items: [known] }, inStore(storeId));
  await issuing.issueCertificates({ items: [issueItem(), known, issueItem()] }, inStore(storeId));

  const listed = await listAll(registry, storeId);
  expect(listed.map(({ serial }) => serial)).toEqual(["000001", "000002", "000003", "000004", "000005"]);
  expect(await issueByHand(await createTestStore(registry))).toBe("000001");
});

test("assigns unique serial numbers without gaps when two registries issue concurrently", async () => {
  const storeId = await createTestStore(registry);
  const calls = Array.from({ length: 30 }, (_, index) =>
    [registry, replica][index % 2]?.issuing.issueCertificates(
      {
        items: [issueItem(), issueItem({ buyer: { name: "" } }), issueItem()],
      },
      inStore(storeId),
    ),
  );
  await Promise.all(calls);
  const listed = await listAll(registry, storeId);
  const expected = Array.from({ length: 60 }, (_, index) => String(index + 1).padStart(6, "0"));
  expect(listed.map(({ serial }) => serial)).toEqual(expected);
});

test("returns the existing certificate for an order unit that is requested again, without using a serial number or recording an event", async () => {
  const storeId = await createTestStore(registry);
  const unit = issueItem({ order: { id: "42", unit: 1 } });
  const first = await issuing.issueCertificates({ items: [unit, unit] }, inStore(storeId));
  expect(outcomesOf(first)).toEqual([ISSUED, ALREADY_ISSUED]);
  await expectNothingChanged(database, async () => {
    const changed = issueItem({ order: { id: "42", unit: 1, name: "#2" }, buyer: { name: "Somebody Else" } });
    const again = await issuing.issueCertificates({ items: [changed] }, inStore(storeId));
    expect(outcomesOf(again)).toEqual([ALREADY_ISSUED]);
    const returned = [...first.results, ...again.results].map(({ certificateId, serial }) => ({
      certificateId,
      serial,
    }));
    expect(returned).toEqual(Array(3).fill(returned[0]));
  });
  expect(await database.collections.outbox.countDocuments({ store: storeId })).toBe(1);
  expect(await issueByHand(storeId)).toBe("000002");
});

test("issues each order unit exactly once in 20 concurrent calls to two registries", async () => {
  const storeId = await createTestStore(registry);
  const items = orderItems(3, { id: "77" });
  const calls = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? registry : replica).issuing.issueCertificates({ items }, inStore(storeId)),
  );
  const answers = await Promise.all(calls);

  const outcomes = answers.flatMap(outcomesOf);
  expect(outcomes.filter((outcome) => outcome === ISSUED)).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome === ALREADY_ISSUED)).toHaveLength(57);
  const ids = answers.map(({ results }) => results.map(({ certificateId }) => certificateId));
  expect(ids).toEqual(Array(20).fill(ids[0]));
  expect(await listAll(registry, storeId)).toHaveLength(3);
  expect(await database.collections.outbox.countDocuments({ store: storeId })).toBe(3);
  expect(await issueByHand(storeId)).toBe("000004");
});

test("issues one certificate in each of two stores for the same order unit", async () => {
  const items = [issueItem({ order: {} })];
  for (const storeId of [await createTestStore(registry), await createTestStore(registry)])
    expect(outcomesOf(await issuing.issueCertificates({ items }, inStore(storeId)))).toEqual([ISSUED]);
});

test("reports the field of an invalid item and issues the valid items in order", async () => {
  const storeId = await createTestStore(registry);
  const items = [
    issueItem({ product: { title: "First" } }),
    issueItem({ buyer: { email: "nobody" } }),
    issueItem({ product: { title: "Second" } }),
    issueItem({ order: { unit: 0 } }),
    issueItem({ expiresAt: { seconds: 400_000_000_000n } }),
  ];
  const answer = await issuing.issueCertificates({ items }, inStore(storeId));

  expect(outcomesOf(answer)).toEqual([ISSUED, INVALID, ISSUED, INVALID, INVALID]);
  expect(answer.results[1]).toMatchObject({
    certificateId: "",
    serial: "",
    field: "buyer.email",
    reason: { code: "email_invalid" },
  });
  expect(answer.results[3]).toMatchObject({ field: "order.unit", reason: { code: "quantity_invalid" } });
  expect(answer.results[4]).toMatchObject({ field: "expires_at" });
  const listed = await listAll(registry, storeId);
  expect(listed.map(({ product }) => product.title)).toEqual(["First", "Second"]);
});

test("writes nothing for a call with only invalid items", async () => {
  const storeId = await createTestStore(registry);
  await expectNothingChanged(database, async () => {
    const items = [issueItem({ product: { title: "" } })];
    expect(outcomesOf(await issuing.issueCertificates({ items }, inStore(storeId)))).toEqual([INVALID]);
  });
});

test("reports the outcomes of a dry run without writing anything or advancing the store's clock", async () => {
  const storeId = await createTestStore(registry);
  const known = issueItem({ order: { id: "9" } });
  const { results: issued } = await issuing.issueCertificates({ items: [known] }, inStore(storeId));
  await expectNothingChanged(database, async () => {
    const items = [issueItem(), known, issueItem({ buyer: { email: "" } }), ...orderItems(2, { id: "10" })];
    const answer = await issuing.issueCertificates({ items, dryRun: true }, inStore(storeId));

    expect(outcomesOf(answer)).toEqual([ISSUED, ALREADY_ISSUED, INVALID, ISSUED, ISSUED]);
    expect(answer.results[0]).toMatchObject({ certificateId: "", serial: "" });
    expect(answer.results[1]).toMatchObject({ certificateId: issued[0]?.certificateId, serial: "000001" });
  });
});

test("returns not_found for an unknown store, including for dry runs and samples", async () => {
  const storeId = "sto_none";
  const items = [issueItem()];
  const calls = [
    () => issuing.issueCertificates({ items }, inStore(storeId)),
    () => issuing.issueCertificates({ items, dryRun: true }, inStore(storeId)),
    () => issuing.createSamples({ products: [{ title: "A" }] }, inStore(storeId)),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow("[not_found] There is no such store.");
});

test.each([0, 501])("rejects a call with %i items and names the field", async (count) => {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: count }, () => issueItem());
  const call = issuing.issueCertificates({ items }, inStore(storeId));
  await expect(call).rejects.toThrow("[invalid_argument] items must have 1 to 500 entries");
});

test("creates samples that appear in no list, record no event and use no serial number", async () => {
  const storeId = await createTestStore(registry);
  const products = Array.from({ length: 20 }, () => ({ title: "Alpine Jacket" }));
  const { certificateIds, verifyUrls } = await issuing.createSamples({ products }, inStore(storeId));

  expect(new Set(certificateIds).size).toBe(20);
  for (const id of certificateIds) expect(id).toMatch(/^smp_/);
  expect(verifyUrls.map((url) => new URL(url).pathname.split("/").at(-1))).toEqual(certificateIds);
  expect(await listAll(registry, storeId)).toEqual([]);
  expect(await listAll(registry, storeId, { serial: "1" })).toEqual([]);
  expect(await database.collections.outbox.countDocuments({ store: storeId })).toBe(0);
  expect(await issueByHand(storeId)).toBe("000001");
  expect(await listAll(registry, storeId)).toHaveLength(1);
});

test.each([0, 21])("rejects a call with %i samples and names the field", async (count) => {
  const storeId = await createTestStore(registry);
  const products = Array.from({ length: count }, () => ({ title: "Alpine Jacket" }));
  const call = issuing.createSamples({ products }, inStore(storeId));
  await expect(call).rejects.toThrow("[invalid_argument] products must have 1 to 20 entries");
});

test("getSample does not return a sample of another store", async () => {
  const [mine, other] = [await createTestStore(registry), await createTestStore(registry)];
  const { certificateIds } = await issuing.createSamples({ products: [{ title: "A" }] }, inStore(mine));
  const [sampleId = ""] = certificateIds;
  expect((await registry.inspection.getSample({ sampleId }, inStore(mine))).sample?.productTitle).toBe("A");
  await expect(registry.inspection.getSample({ sampleId }, inStore(other))).rejects.toThrow("There is no such sample.");
});
