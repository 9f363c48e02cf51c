import { describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { caseEntries, lifecycleCases, wayOut } from "../harness/lifecycle-cases.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, lifecycle } = registry;

const { REFUND, ORDER_CANCELLED, IN_APP } = RevocationCause;

/** Creates a store with one certificate. */
async function storeWithOne() {
  const storeId = await createTestStore(registry);
  return { storeId, certificateId: await issueOne(registry, storeId, { order: {} }) };
}

/** Makes a change that must cause one event. @returns the event, and the listed certificate before and after it */
async function whatChanged(storeId: string, change: () => Promise<{ certificate?: object | undefined }>) {
  const before = await listOne(registry, storeId);
  const eventsBefore = (await waitingEvents(database, storeId)).length;
  const reply = await change();
  const after = await listOne(registry, storeId);
  const [event, ...more] = (await waitingEvents(database, storeId)).slice(eventsBefore);
  expect(more).toEqual([]);
  if ("certificate" in reply) expect(reply.certificate).toEqual(after);
  expect(after.updatedAt > before.updatedAt).toBe(true);
  expect(event?.occurredAt).toBe(after.updatedAt);
  expect(event?.certificate).toEqual(after);
  return { before, after, event };
}

const contents = caseEntries.flatMap(([name, one]) => one.contents.map((_, index) => [name, index] as const));

test.each(contents)("%s changes only the fields that it names and updatedAt (content %i)", async (name, content) => {
  const operation = lifecycleCases[name];
  const { storeId, certificateId } = await storeWithOne();
  const preparation = typeof operation.effects.active === "string" ? undefined : wayOut("active", operation);
  if (preparation !== undefined) await lifecycleCases[preparation].send(registry, { storeId, certificateId });
  const { before, after, event } = await whatChanged(storeId, async () => {
    const { message, isChange } = await operation.send(registry, { storeId, certificateId, content });
    expect(isChange).toBe(true);
    return message;
  });
  const at = event?.occurredAt ?? "";
  expect(event?.type).toBe(operation.event);
  expect(after).toEqual({ ...before, ...operation.contentOf(content).changes(at), updatedAt: at });
});

describe("revokeCertificate", () => {
  test("leaves the store's other certificates unchanged", async () => {
    const { storeId, certificateId } = await storeWithOne();
    await issueOne(registry, storeId);
    const other = await listOne(registry, storeId, "2");
    await lifecycle.revokeCertificate({ certificateId, cause: IN_APP }, inStore(storeId));
    expect(await listOne(registry, storeId, "2")).toEqual(other);
    // The revoked certificate moves to the end, because the list is ordered by updatedAt.
    expect((await listAll(registry, storeId)).map(({ serial }) => serial)).toEqual(["000002", "000001"]);
  });
});

describe("reactivateCertificate", () => {
  test("restores the certificate as it was before the revocation, except for updatedAt", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const issued = await listOne(registry, storeId);
    await lifecycle.revokeCertificate({ certificateId, cause: REFUND }, inStore(storeId));
    const { after, event } = await whatChanged(storeId, () =>
      lifecycle.reactivateCertificate({ certificateId }, inStore(storeId)),
    );
    expect(event?.type).toBe("REACTIVATED");
    expect(after).toEqual({ ...issued, updatedAt: event?.occurredAt });
    expect(after).toMatchObject({ status: "active", revokedAt: null, revokedReason: null });
  });

  test("allows another revocation with a new time and reason", async () => {
    const { storeId, certificateId } = await storeWithOne();
    await lifecycle.revokeCertificate({ certificateId, cause: REFUND }, inStore(storeId));
    await lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
    const { after } = await whatChanged(storeId, () =>
      lifecycle.revokeCertificate({ certificateId, cause: ORDER_CANCELLED }, inStore(storeId)),
    );
    expect(after).toMatchObject({ revokedAt: after.updatedAt, revokedReason: "Order cancelled" });
  });
});

describe("transferCertificate", () => {
  const grace = { name: "Grace Example", email: "Grace@Example.test" };
  const transferTo = (storeId: string, certificateId: string, { name, email }: typeof grace) =>
    lifecycle.transferCertificate({ certificateId, newOwnerName: name, newOwnerEmail: email }, inStore(storeId));
  const idsOwnedBy = async (storeId: string, email: string) =>
    (await listAll(registry, storeId, { email })).map(({ id }) => id);

  test("makes the email filter match only the new owner's address, in any letter case", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const kept = await issueOne(registry, storeId);
    await transferTo(storeId, certificateId, grace);
    expect(await idsOwnedBy(storeId, "grace@example.test")).toEqual([certificateId]);
    expect(await idsOwnedBy(storeId, "GRACE@EXAMPLE.TEST")).toEqual([certificateId]);
    expect(await idsOwnedBy(storeId, "ada@example.test")).toEqual([kept]);
  });

  test("keeps the original buyer through several transfers; the email filter matches only the current owner's address", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const buyer = { name: "Ada Example", email: "ada@example.test" };
    for (const owner of [grace, { name: "Alan", email: "alan@example.test" }, buyer]) {
      await transferTo(storeId, certificateId, owner);
      expect(await listOne(registry, storeId)).toMatchObject({ owner, originalBuyer: buyer });
      expect(await idsOwnedBy(storeId, owner.email)).toEqual([certificateId]);
    }
    expect(await idsOwnedBy(storeId, grace.email)).toEqual([]);
  });

  test.each([
    ["the same name and address", { name: "Ada Example", email: "ada@example.test" }],
    ["the address in a different letter case", { name: "Ada Example", email: "ADA@Example.test" }],
  ])("writes nothing and reports `unchanged` for the current owner: %s", async (_name, owner) => {
    const { storeId, certificateId } = await storeWithOne();
    await expectNothingChanged(database, async () => {
      const { unchanged, certificate } = await transferTo(storeId, certificateId, owner);
      expect({ unchanged, certificate }).toEqual({ unchanged: true, certificate: await listOne(registry, storeId) });
    });
  });

  test("changes the owner's name if only the name differs", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const owner = { name: "Ada Married", email: "ada@example.test" };
    const { before, after, event } = await whatChanged(storeId, async () => {
      const reply = await transferTo(storeId, certificateId, owner);
      expect(reply.unchanged).toBe(false);
      return reply;
    });
    expect(event?.type).toBe("TRANSFERRED");
    expect(after).toEqual({ ...before, owner, updatedAt: after.updatedAt });
  });
});

test("getCertificate, by id or by serial number, returns the same certificate as the list", async () => {
  const { storeId, certificateId } = await storeWithOne();
  await lifecycle.revokeCertificate({ certificateId, cause: REFUND }, inStore(storeId));
  const listed = await listOne(registry, storeId);
  for (const by of [
    { case: "certificateId", value: certificateId },
    { case: "serial", value: "1" },
    { case: "serial", value: "000001" },
  ] as const)
    expect((await registry.inspection.getCertificate({ by }, inStore(storeId))).certificate).toEqual(listed);
});
