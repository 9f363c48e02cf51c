import { describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { issueOne } from "../harness/issue-items.ts";
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

/** Runs one change. @returns the certificate in the list before and after it, and the only event of the change */
async function whatChanged(storeId: string, change: () => Promise<{ certificate?: object | undefined }>) {
  const before = await listOne(registry, storeId);
  const eventsBefore = (await waitingEvents(database, storeId)).length;
  const reply = await change();
  const after = await listOne(registry, storeId);
  const [event, ...more] = (await waitingEvents(database, storeId)).slice(eventsBefore);
  expect(more).toEqual([]);
  expect(reply.certificate).toEqual(after);
  expect(after.updatedAt > before.updatedAt).toBe(true);
  expect(event?.occurredAt).toBe(after.updatedAt);
  expect(event?.certificate).toEqual(after);
  return { before, after, event };
}

describe("revoking", () => {
  test.each<[string, RevocationCause, reason: string, shown: string]>([
    ["a refund", REFUND, "", "Refund"],
    ["a cancelled order", ORDER_CANCELLED, "", "Order cancelled"],
    ["the app", IN_APP, "", "Revoked by the store"],
    ["a refund with a reason", REFUND, "Money back", "Money back"],
    ["a cancelled order with a reason", ORDER_CANCELLED, "Payment failed", "Payment failed"],
    ["the app with a reason", IN_APP, "Stolen — “reported” 盗難", "Stolen — “reported” 盗難"],
  ])("for %s sets the time and the reason, and nothing else", async (_name, cause, reason, shown) => {
    const { storeId, certificateId } = await storeWithOne();
    const { before, after, event } = await whatChanged(storeId, () =>
      lifecycle.revokeCertificate({ storeId, certificateId, cause, reason }),
    );
    expect(event?.type).toBe("REVOKED");
    expect(after).toEqual({
      ...before,
      status: "revoked",
      revokedAt: event?.occurredAt,
      revokedReason: shown,
      updatedAt: event?.occurredAt,
    });
  });

  test("leaves the store's other certificates unchanged", async () => {
    const { storeId, certificateId } = await storeWithOne();
    await issueOne(registry, storeId);
    const other = await listOne(registry, storeId, "2");
    await lifecycle.revokeCertificate({ storeId, certificateId, cause: IN_APP });
    expect(await listOne(registry, storeId, "2")).toEqual(other);
    // The list is ordered by the last change.
    expect((await listAll(registry, storeId)).map(({ serial }) => serial)).toEqual(["000002", "000001"]);
  });
});

describe("reactivation", () => {
  test("clears the revocation's time and reason, and nothing else", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const issued = await listOne(registry, storeId);
    await lifecycle.revokeCertificate({ storeId, certificateId, cause: REFUND });
    const { after, event } = await whatChanged(storeId, () =>
      lifecycle.reactivateCertificate({ storeId, certificateId }),
    );
    expect(event?.type).toBe("REACTIVATED");
    expect(after).toEqual({ ...issued, updatedAt: event?.occurredAt });
    expect(after).toMatchObject({ status: "active", revokedAt: null, revokedReason: null });
  });

  test("allows another revocation with its own time and reason", async () => {
    const { storeId, certificateId } = await storeWithOne();
    await lifecycle.revokeCertificate({ storeId, certificateId, cause: REFUND });
    await lifecycle.reactivateCertificate({ storeId, certificateId });
    const { after } = await whatChanged(storeId, () =>
      lifecycle.revokeCertificate({ storeId, certificateId, cause: ORDER_CANCELLED }),
    );
    expect(after).toMatchObject({ revokedAt: after.updatedAt, revokedReason: "Order cancelled" });
  });
});

describe("transferring", () => {
  const grace = { name: "Grace Example", email: "Grace@Example.test" };
  const transferTo = (storeId: string, certificateId: string, { name, email }: typeof grace) =>
    lifecycle.transferCertificate({ storeId, certificateId, newOwnerName: name, newOwnerEmail: email });
  const idsOwnedBy = async (storeId: string, email: string) =>
    (await listAll(registry, storeId, { email })).map(({ id }) => id);

  test("changes the owner and nothing else, not even the original buyer", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const { before, after, event } = await whatChanged(storeId, () => transferTo(storeId, certificateId, grace));
    expect(event?.type).toBe("TRANSFERRED");
    expect(after).toEqual({ ...before, owner: grace, updatedAt: event?.occurredAt });
    expect(after.originalBuyer).toEqual(before.owner);
  });

  test("moves the certificate to the new owner's address in the email filter, in any letter case", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const kept = await issueOne(registry, storeId);
    await transferTo(storeId, certificateId, grace);
    expect(await idsOwnedBy(storeId, "grace@example.test")).toEqual([certificateId]);
    expect(await idsOwnedBy(storeId, "GRACE@EXAMPLE.TEST")).toEqual([certificateId]);
    expect(await idsOwnedBy(storeId, "ada@example.test")).toEqual([kept]);
  });

  test("to another owner and back updates the email filter and never the original buyer", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const buyer = { name: "Ada Example", email: "ada@example.test" };
    for (const owner of [grace, { name: "Alan", email: "alan@example.test" }, buyer]) {
      await transferTo(storeId, certificateId, owner);
      expect(await listOne(registry, storeId)).toMatchObject({ owner, originalBuyer: buyer });
      expect(await idsOwnedBy(storeId, owner.email)).toEqual([certificateId]);
    }
    expect(await idsOwnedBy(storeId, grace.email)).toEqual([]);
  });

  test("to the current owner is recorded like any other transfer", async () => {
    const { storeId, certificateId } = await storeWithOne();
    const { before, after } = await whatChanged(storeId, () =>
      transferTo(storeId, certificateId, { name: "Ada Example", email: "ada@example.test" }),
    );
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
  });
});

test("shows operators the same certificate as the list, by id and by serial number", async () => {
  const { storeId, certificateId } = await storeWithOne();
  await lifecycle.revokeCertificate({ storeId, certificateId, cause: REFUND });
  const listed = await listOne(registry, storeId);
  for (const by of [
    { case: "certificateId", value: certificateId },
    { case: "serial", value: "1" },
    { case: "serial", value: "000001" },
  ] as const)
    expect((await registry.inspection.getCertificate({ storeId, by })).certificate).toEqual(listed);
});
