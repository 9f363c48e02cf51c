import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Document } from "mongodb";
import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { type Status, statusAt } from "../../services/registry/certificates/certificate.ts";
import { listCertificates } from "../../services/registry/certificates/list-certificates.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { type PublicCertificate, parsePage } from "../harness/public-certificate.ts";
import { openTestRegistry, testVerifyBaseUrl } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

const expiresAt = new Date("2100-01-01T00:00:00.000Z");
const around = (offsetMs: number) => new Date(expiresAt.getTime() + offsetMs);

/** Reads all pages of the list as of a point in time. */
async function listAt(now: Date, storeId: string, status?: Status): Promise<PublicCertificate[]> {
  const deps = {
    feed: new MongoFeed(database.collections, snapshotReader(database.client), () => now),
    serviceVerifyUrl: testVerifyBaseUrl,
  };
  const certificates: PublicCertificate[] = [];
  let changedAfter: Date | undefined;
  do {
    const filter = { ...(status && { status }), ...(changedAfter && { changedAfter }) };
    const page = await listCertificates(deps, storeId, { filter, limit: 2 });
    certificates.push(...parsePage(page.json));
    changedAfter = page.next;
  } while (changedAfter !== undefined);
  return certificates;
}

/** Creates a store with active and revoked certificates whose expiry is around `expiresAt`, and one without expiry. */
async function storeAroundExpiry(): Promise<string> {
  const storeId = await createTestStore(registry);
  for (const offsetMs of [-1, 0, 1, 0]) {
    const at = timestampFromDate(around(offsetMs));
    await issueOne(registry, storeId, { expiresAt: at });
    const certificateId = await issueOne(registry, storeId, { expiresAt: at });
    await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
  }
  await issueOne(registry, storeId);
  return storeId;
}

test.each<[string, number, expired: string[]]>([
  ["a millisecond before expiry", -1, ["000001"]],
  ["at expiry", 0, ["000001", "000003", "000007"]],
  ["a millisecond after expiry", 1, ["000001", "000003", "000005", "000007"]],
])("the status filter matches the shown status of every certificate %s", async (_name, offsetMs, expired) => {
  const storeId = await storeAroundExpiry();
  const before = await database.contents();
  const now = around(offsetMs);
  const all = await listAt(now, storeId);
  const serialsOf = (certificates: readonly PublicCertificate[]) => certificates.map(({ serial }) => serial);

  expect(all).toHaveLength(9);
  expect(serialsOf(all.filter(({ status }) => status === "expired"))).toEqual(expired);
  // Only active certificates expire.
  const revoked = all.filter(({ status }) => status === "revoked");
  expect(serialsOf(revoked)).toEqual(["000002", "000004", "000006", "000008"]);
  for (const status of ["active", "revoked", "expired"] as const)
    expect(await listAt(now, storeId, status)).toEqual(all.filter((one) => one.status === status));
  // Filtering the list by status stores the status `expired`, but changes nothing else and records no event.
  const { certificates, ...others } = await database.contents();
  const { certificates: certificatesBefore, ...othersBefore } = before;
  expect(others).toEqual(othersBefore);
  const settled = (one: Document) =>
    one.store === storeId ? { ...one, status: statusAt(one as CertificateDocument, now) } : one;
  expect(certificates).toEqual(certificatesBefore?.map(settled));
});

test("when a certificate expires, only its status changes in the list", async () => {
  const storeId = await storeAroundExpiry();
  const [early, late] = [await listAt(around(-2), storeId), await listAt(around(2), storeId)];
  expect(late).toEqual(
    early.map((one) => (one.status === "active" && one.expiresAt ? { ...one, status: "expired" } : one)),
  );
  expect(early.some(({ status }) => status === "expired")).toBe(false);
});

test("a certificate that was listed while the database's clock was ahead is active again, in every list and for changes", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId, { expiresAt: timestampFromDate(expiresAt) });
  expect(await listAt(around(1), storeId, "expired")).toHaveLength(1);
  expect(await listAt(around(-1), storeId, "expired")).toEqual([]);
  expect(await listAt(around(-1), storeId, "active")).toMatchObject([{ status: "active" }]);
  await listAt(around(1), storeId, "active");
  const newOwner = { newOwnerName: "Bob", newOwnerEmail: "bob@example.test" };
  await registry.lifecycle.transferCertificate({ certificateId, ...newOwner }, inStore(storeId));
  await listAt(around(1), storeId, "active");
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.IN_APP }, inStore(storeId));
  expect(await listAt(around(-1), storeId)).toMatchObject([{ status: "revoked" }]);
});

test("getCertificate and findCertificates determine expiry by the database's clock, not the registry's", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId, { expiresAt: timestampFromDate(expiresAt) });
  const clock = { ...systemClock, now: () => around(1_000).getTime() };
  const ahead = await openTestRegistry({ database, overrides: { clock } });
  const by = { case: "certificateId", value: certificateId } as const;
  const { certificate } = await ahead.inspection.getCertificate({ by }, inStore(storeId));
  const { certificates } = await ahead.inspection.findCertificates({}, inStore(storeId));
  expect([certificate?.status, certificates[0]?.status]).toEqual(["active", "active"]);
});
