import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { PageChangeKind } from "#gen/registry/v1/verification_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueExpired, issueInNewStore, issueOne } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { database, inspection, lifecycle, verification } = registry;

test("the page's history shows the changes, however many problems strangers have reported since", async () => {
  const { storeId, certificateId } = await issueInNewStore(registry);
  await lifecycle.transferCertificate(
    { certificateId, newOwnerName: "Grace", newOwnerEmail: "grace@example.test" },
    inStore(storeId),
  );
  const { history, certificates } = database.collections;
  const transferred = await history.findOne({ store: storeId, certificate: certificateId }, { sort: { at: -1 } });
  if (transferred === null) throw new Error("the transfer has no entry");
  const reports = Array.from({ length: 300 }, (_, index) => {
    const at = new Date(transferred.at.getTime() + index + 1);
    return { ...transferred, _id: `${transferred._id}-${index}`, type: EventType.REPORTED, at };
  });
  await history.insertMany(reports);
  const linkToken = (await certificates.findOne({ _id: certificateId }))?.linkToken ?? "";
  const { changes } = await verification.getPage({ linkToken });
  expect(changes.map(({ kind }) => PageChangeKind[kind])).toEqual(["TRANSFERRED"]);
});

describe("recordVerification", () => {
  test("treats exactly one of 32 concurrent openings on two registries as the first, and records one event", async () => {
    const { storeId, certificateId } = await issueInNewStore(registry);
    const issued = await listOne(registry, storeId);
    const openings = Array.from({ length: 32 }, (_, index) =>
      (index % 2 ? registry : replica).verification.recordVerification({ certificateId }),
    );
    const answers = await Promise.all(openings);

    expect(answers.filter(({ isFirst }) => isFirst)).toHaveLength(1);
    const events = await waitingEvents(database, storeId);
    expect(events.map(({ type }) => type)).toEqual(["ISSUED", "VERIFIED"]);
    const verified = await listOne(registry, storeId);
    expect(verified).toEqual({ ...issued, updatedAt: events[1]?.occurredAt });
    expect(events[1]?.certificate).toEqual(verified);
    expect(verified.updatedAt > issued.updatedAt).toBe(true);
  });

  test("writes nothing after the first opening, on any registry", async () => {
    const { certificateId } = await issueInNewStore(registry);
    await verification.recordVerification({ certificateId });
    await expectNothingChanged(database, async () => {
      const openedAt = await database.now();
      // Lets the database's clock advance, so that a second write would differ.
      await eventually(async () => expect((await database.now()).getTime()).toBeGreaterThan(openedAt.getTime()));
      for (const by of [registry, replica])
        expect((await by.verification.recordVerification({ certificateId })).isFirst).toBe(false);
    });
  });

  test("reports only one opening as the first, even after a transfer, a revocation and a reactivation", async () => {
    const { storeId, certificateId } = await issueInNewStore(registry);
    const open = async () => (await verification.recordVerification({ certificateId })).isFirst;
    expect(await open()).toBe(true);
    await lifecycle.transferCertificate(
      {
        certificateId,
        newOwnerName: "Grace",
        newOwnerEmail: "grace@example.test",
      },
      inStore(storeId),
    );
    expect(await open()).toBe(false);
    await lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
    expect(await open()).toBe(false);
    await lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
    expect(await open()).toBe(false);
  });

  test("records an event for a revoked or expired certificate and keeps its status", async () => {
    const { storeId, certificateId: revoked } = await issueInNewStore(registry);
    await lifecycle.revokeCertificate({ certificateId: revoked, cause: RevocationCause.REFUND }, inStore(storeId));
    const expired = await issueExpired(registry, storeId);
    for (const certificateId of [revoked, expired])
      expect((await verification.recordVerification({ certificateId })).isFirst).toBe(true);
    const events = (await waitingEvents(database, storeId)).slice(-2);
    expect(events.map(({ type, certificate }) => [type, certificate.status])).toEqual([
      ["VERIFIED", "revoked"],
      ["VERIFIED", "expired"],
    ]);
    expect((await listOne(registry, storeId, "1")).status).toBe("revoked");
    expect((await listOne(registry, storeId, "2")).status).toBe("expired");
  });
});

describe("problem reports", () => {
  const content = "The stitching is “wrong”.\r\nSerial 000001 — see https://example.test/photo?a=1&b=<2>\n\t😀";

  test("are stored, change only the certificate's updatedAt, and cause an event without their content", async () => {
    const { storeId, certificateId } = await issueInNewStore(registry);
    const issued = await listOne(registry, storeId);
    const reporterEmail = "buyer@example.test";
    const { reportId } = await verification.reportProblem({ certificateId, content, reporterEmail });

    const reported = await listOne(registry, storeId);
    const [, event, ...more] = await waitingEvents(database, storeId);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: "REPORTED", occurredAt: reported.updatedAt, certificate: reported });
    expect(reported).toEqual({ ...issued, updatedAt: reported.updatedAt });
    expect(reported.updatedAt > issued.updatedAt).toBe(true);
    const document = await database.collections.outbox.findOne({ _id: event?.id ?? "" });
    for (const secret of ["stitching", reporterEmail, reportId])
      expect(Buffer.from(document?.event.value() ?? []).includes(secret), secret).toBe(false);

    const { reports } = await inspection.listReports({}, inStore(storeId));
    expect(reports).toMatchObject([{ id: reportId, certificateId, content, reporterEmail }]);
    const { seconds = 0n, nanos = 0 } = reports[0]?.reportedAt ?? {};
    expect(Number(seconds) * 1_000 + nanos / 1e6).toBe(Date.parse(reported.updatedAt));
  });

  test("are accepted for revoked and expired certificates, and repeatedly for the same certificate", async () => {
    const { storeId, certificateId: revoked } = await issueInNewStore(registry);
    await lifecycle.revokeCertificate({ certificateId: revoked, cause: RevocationCause.REFUND }, inStore(storeId));
    const expired = await issueExpired(registry, storeId);
    for (const certificateId of [revoked, expired, expired])
      await verification.reportProblem({ certificateId, content });
    const events = (await waitingEvents(database, storeId)).slice(-3);
    expect(events.map(({ type, certificate }) => [type, certificate.status])).toEqual([
      ["REPORTED", "revoked"],
      ["REPORTED", "expired"],
      ["REPORTED", "expired"],
    ]);
  });

  test("of an unknown store cannot be listed", async () => {
    await expect(inspection.listReports({}, inStore("sto_unknown"))).rejects.toMatchObject({ code: Code.NotFound });
  });

  test("are listed newest first, in pages, without other stores' reports", async () => {
    const [storeId, other] = [await createTestStore(registry), await createTestStore(registry)];
    const certificateIds = [await issueOne(registry, storeId), await issueOne(registry, storeId)];
    const foreign = await issueOne(registry, other);
    for (let number = 1; number <= 7; number++) {
      const certificateId = certificateIds[number % 2] ?? "";
      await verification.reportProblem({ certificateId, content: `Problem ${number}` });
      await verification.reportProblem({ certificateId: foreign, content: "Elsewhere" });
    }
    const pages: string[][] = [];
    let before: Timestamp | undefined;
    for (;;) {
      const { reports } = await inspection.listReports({ limit: 3, ...(before && { before }) }, inStore(storeId));
      if (reports.length === 0) break;
      pages.push(reports.map(({ content: text }) => text));
      before = reports.at(-1)?.reportedAt;
    }
    expect(pages).toEqual([
      ["Problem 7", "Problem 6", "Problem 5"],
      ["Problem 4", "Problem 3", "Problem 2"],
      ["Problem 1"],
    ]);
    expect((await inspection.listReports({}, inStore(storeId))).reports).toHaveLength(7);
  });
});
