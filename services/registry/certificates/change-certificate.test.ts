import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import type { Certificate } from "./certificate.ts";
import { type CertificateChange, changeCertificate } from "./change-certificate.ts";
import { certificateFixture, draftFixture } from "./draft-fixture.ts";

const origin = { cause: "in_app", actor: "test" };

/** Creates a draft at 2 ms after the epoch; its only certificate is `certificateFixture` with these changes. */
function draftWith(changes: Partial<Certificate> = {}) {
  const certificate = { ...certificateFixture, ...changes };
  return draftFixture({ certificates: new Map([[certificate.id, certificate]]) });
}

type Change = CertificateChange<{ readonly certificate: Certificate; readonly isChanged: boolean }>;

function changeOf(changes: Partial<Change> = {}): Change {
  return {
    certificateId: "crt_1",
    operation: "revoke",
    event: EventType.REVOKED,
    origin,
    fields: (updatedAt) => ({ revokedAt: updatedAt, revokedReason: "Refund" }),
    answer: (certificate, isChanged) => ({ certificate, isChanged }),
    ...changes,
  };
}

const revoke = changeOf();
const reactivate = changeOf({
  operation: "reactivate",
  event: EventType.REACTIVATED,
  fields: () => ({ revokedAt: null, revokedReason: null }),
});

describe("changeCertificate", () => {
  test("needs the certificate, one timestamp and no serial number", () => {
    const { needs, maxTimestamps, maxSerials } = changeCertificate(revoke);
    expect({ needs, maxTimestamps, maxSerials }).toEqual({
      needs: { certificateIds: ["crt_1"] },
      maxTimestamps: 1,
      maxSerials: 0,
    });
  });

  test("sets updatedAt and revokedAt to the timestamp of the change, and drafts the event", () => {
    const draft = draftWith();
    const at = new Date(1);
    const revoked = { status: "revoked", revokedAt: at, revokedReason: "Refund", updatedAt: at };
    const changed = { ...certificateFixture, ...revoked };
    expect(changeCertificate(revoke).decide(draft)).toEqual({ certificate: changed, isChanged: true });
    expect([...draft.updated.values()]).toEqual([changed]);
    expect(draft.events).toEqual([
      { id: expect.stringMatching(/^evt_/), type: EventType.REVOKED, certificate: changed, origin, traceparent: "" },
    ]);
    expect(draft.inserted).toEqual([]);
  });

  test("refuses an unknown certificate, naming the field certificate_id", () => {
    const draft = draftFixture();
    expect(changeCertificate(revoke).decide(draft)).toEqual({
      refused: "not_found",
      reason: reason("no_such_certificate"),
      field: "certificate_id",
    });
    expect(draft.isEmpty).toBe(true);
  });

  test("writes nothing and uses no timestamp when the state machine refuses the operation", () => {
    const draft = draftWith({ status: "revoked" });
    expect(changeCertificate(revoke).decide(draft)).toEqual({
      refused: "failed_precondition",
      reason: reason("certificate_already_revoked"),
    });
    expect([draft.isEmpty, draft.updated.size, draft.nextTimestamp()]).toEqual([true, 0, new Date(1)]);
  });

  test.each([
    ["refuses", 1, "failed_precondition"],
    ["refuses", 2, "failed_precondition"],
    ["allows", 3, undefined],
  ])("%s a change at 2 ms to a certificate that expires at %i ms", (_verdict, expiresAt, refused) => {
    const result = changeCertificate(revoke).decide(draftWith({ expiresAt: new Date(expiresAt) }));
    expect("refused" in result ? result.refused : undefined).toBe(refused);
  });

  test("writes nothing when the certificate is already in the requested state", () => {
    const verify = changeOf({
      operation: "verify",
      event: EventType.VERIFIED,
      isDone: ({ verifiedAt }) => verifiedAt !== null,
      fields: (verifiedAt) => ({ verifiedAt }),
    });
    const verified = { ...certificateFixture, verifiedAt: new Date(0) };
    const draft = draftWith(verified);
    expect(changeCertificate(verify).decide(draft)).toEqual({ certificate: verified, isChanged: false });
    expect([draft.isEmpty, draft.nextTimestamp()]).toEqual([true, new Date(1)]);

    const first = draftWith();
    const results = [1, 2].map(() => changeCertificate(verify).decide(first));
    expect(results).toMatchObject([{ isChanged: true }, { isChanged: false }]);
    expect(first.events).toHaveLength(1);
  });

  test("consults the state machine before it calls isDone", () => {
    const draft = draftWith({ status: "revoked" });
    const result = changeCertificate({ ...revoke, isDone: () => true }).decide(draft);
    expect(result).toMatchObject({ refused: "failed_precondition" });
  });

  test("sees earlier changes in the same transaction, and uses one timestamp and drafts one event per change", () => {
    const draft = draftWith();
    changeCertificate(revoke).decide(draft);
    expect(changeCertificate(revoke).decide(draft)).toMatchObject({ refused: "failed_precondition" });
    changeCertificate(reactivate).decide(draft);
    expect(draft.events.map(({ type, certificate }) => [type, certificate.status, certificate.updatedAt])).toEqual([
      [EventType.REVOKED, "revoked", new Date(1)],
      [EventType.REACTIVATED, "active", new Date(2)],
    ]);
    // The document is written once, in its final state.
    expect([...draft.updated.values()]).toEqual([{ ...certificateFixture, updatedAt: new Date(2) }]);
  });

  test("does not modify the state it read, so that the transaction can be retried", () => {
    const read = new Map([["crt_1", certificateFixture]]);
    changeCertificate(revoke).decide(draftFixture({ certificates: read }));
    expect(read.get("crt_1")).toMatchObject({ status: "active", revokedAt: null });
  });
});
