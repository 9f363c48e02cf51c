import { describe, expect, test } from "vitest";
import { LifecycleService, RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { expire, issueExpired, issueItem, issueOne } from "../harness/issue-items.ts";
import { listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, inspection, issuing, lifecycle, verification } = registry;

/** Returns the refusal of a call and verifies that the call changed no document in any collection. */
async function refusedWithoutTrace(call: () => Promise<unknown>) {
  const before = await database.contents();
  const refusal = await refusalOf(call());
  expect(await database.contents()).toEqual(before);
  return refusal;
}

interface Target {
  readonly storeId: string;
  readonly certificateId: string;
  readonly idempotencyKey?: string;
}

/** A call to each method of LifecycleService. */
const lifecycleCalls = {
  revokeCertificate: (target: Target) => lifecycle.revokeCertificate({ ...target, cause: RevocationCause.REFUND }),
  reactivateCertificate: (target: Target) => lifecycle.reactivateCertificate(target),
  transferCertificate: (target: Target) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Grace", newOwnerEmail: "grace@example.test" }),
};

/** Functions that issue a certificate in the named state and return its id. */
const states = {
  active: (storeId: string) => issueOne(registry, storeId),
  expired: (storeId: string) => issueExpired(registry, storeId),
  revoked: async (storeId: string) => {
    const certificateId = await issueOne(registry, storeId);
    await lifecycleCalls.revokeCertificate({ storeId, certificateId });
    return certificateId;
  },
  "revoked and expired": async (storeId: string) => {
    const certificateId = await states.revoked(storeId);
    // Set after the revocation, because an expired certificate cannot be revoked.
    await expire(registry, certificateId);
    return certificateId;
  },
};

const methodsOf = ({ methods }: typeof LifecycleService | typeof VerificationService) =>
  methods.map(({ localName }) => localName).toSorted();

describe("a transition that the state machine refuses writes nothing", () => {
  const refused: [keyof typeof lifecycleCalls, keyof typeof states, shown: string, message: string][] = [
    ["revokeCertificate", "revoked", "revoked", "The certificate is already revoked."],
    ["revokeCertificate", "revoked and expired", "revoked", "The certificate is already revoked."],
    ["revokeCertificate", "expired", "expired", "The certificate has expired."],
    ["reactivateCertificate", "active", "active", "The certificate is already active."],
    ["reactivateCertificate", "revoked and expired", "revoked", "The certificate has expired."],
    ["reactivateCertificate", "expired", "expired", "The certificate has expired."],
    ["transferCertificate", "revoked", "revoked", "The certificate is revoked."],
    ["transferCertificate", "revoked and expired", "revoked", "The certificate is revoked."],
    ["transferCertificate", "expired", "expired", "The certificate has expired."],
  ];

  test("the tests cover every method of LifecycleService", () => {
    expect([...new Set(refused.map(([method]) => method))].toSorted()).toEqual(methodsOf(LifecycleService));
    expect(Object.keys(lifecycleCalls).toSorted()).toEqual(methodsOf(LifecycleService));
  });

  test.each(refused)("%s: %s", async (method, state, shown, message) => {
    const storeId = await createTestStore(registry);
    const certificateId = await states[state](storeId);
    expect((await listOne(registry, storeId)).status).toBe(shown);
    for (const idempotencyKey of ["", "refused-1"])
      expect(
        await refusedWithoutTrace(() => lifecycleCalls[method]({ storeId, certificateId, idempotencyKey })),
      ).toEqual({ code: "failed_precondition", field: undefined, message });
  });
});

describe("a call for an unknown store or certificate, or for another store's certificate, is refused with not_found", () => {
  const by = (certificateId: string) => ({ case: "certificateId", value: certificateId }) as const;
  const calls = {
    ...lifecycleCalls,
    getCertificate: ({ storeId, certificateId }: Target) =>
      inspection.getCertificate({ storeId, by: by(certificateId) }),
    getHistory: (target: Target) => inspection.getHistory(target),
  };
  const message = "There is no such certificate.";

  test.each(Object.entries(calls))("%s", async (_name, call) => {
    const [storeId, other] = [await createTestStore(registry), await createTestStore(registry)];
    const foreign = await issueOne(registry, other);
    const [sample = ""] = (await issuing.createSamples({ storeId, products: [{ title: "A" }] })).certificateIds;
    for (const certificateId of ["crt_none", "", foreign, sample])
      expect(await refusedWithoutTrace(() => call({ storeId, certificateId, idempotencyKey: "r" }))).toMatchObject({
        code: "not_found",
        message,
      });
    // A call for the owning store may fail because of the state of the certificate, but not with not_found.
    await call({ storeId: other, certificateId: foreign }).catch((error: unknown) =>
      expect(String(error)).toContain("failed_precondition"),
    );
  });

  test.each(Object.entries(calls))("%s in an unknown store", async (_name, call) => {
    const certificateId = await issueOne(registry, await createTestStore(registry));
    const refusal = await refusedWithoutTrace(() => call({ storeId: "sto_none", certificateId }));
    expect(refusal.code).toBe("not_found");
  });

  test.each(["0", "2", "12a", "", "99999999999999999999"])("getCertificate by the serial number %j", async (serial) => {
    const storeId = await createTestStore(registry);
    await issueOne(registry, storeId);
    const call = inspection.getCertificate({ storeId, by: { case: "serial", value: serial } });
    expect(await refusalOf(call)).toMatchObject({ code: "not_found", message });
  });

  const verificationCalls = {
    // The page of an existing sample can be opened, so this call uses an unknown sample instead.
    getPage: (certificateId: string) =>
      verification.getPage({ linkToken: certificateId.startsWith("smp_") ? "smp_none" : certificateId }),
    recordVerification: (certificateId: string) => verification.recordVerification({ certificateId }),
    reportProblem: (certificateId: string) => verification.reportProblem({ certificateId, content: "It is fake." }),
  };

  test("the tests cover every method of VerificationService", () => {
    // A logo is not a certificate, so store-logo.test.ts tests getLogo.
    expect([...Object.keys(verificationCalls), "getLogo"].toSorted()).toEqual(methodsOf(VerificationService));
  });

  test.each(Object.entries(verificationCalls))("%s", async (_method, call) => {
    const storeId = await createTestStore(registry);
    const [sample = ""] = (await issuing.createSamples({ storeId, products: [{ title: "A" }] })).certificateIds;
    for (const certificateId of ["crt_none", "", sample])
      expect(await refusedWithoutTrace(() => call(certificateId))).toMatchObject({
        code: "not_found",
        message,
      });
  });
});

describe("a request with an invalid field is refused with bad_request and the field's name, and writes nothing", () => {
  const x = (length: number) => "x".repeat(length);
  const email = (length: number) => `${x(length - 2)}@b`;
  const calls = {
    revokeCertificate: (target, fields) =>
      lifecycle.revokeCertificate({ cause: RevocationCause.REFUND, ...target, ...fields }),
    reactivateCertificate: (target, fields) => lifecycle.reactivateCertificate({ ...target, ...fields }),
    transferCertificate: (target, fields) =>
      lifecycle.transferCertificate({ newOwnerName: "G", newOwnerEmail: "g@b", ...target, ...fields }),
    reportProblem: (target, fields) => verification.reportProblem({ content: "It is fake.", ...target, ...fields }),
    issueCertificates: (target, fields) => issuing.issueCertificates({ ...target, items: [issueItem()], ...fields }),
  } satisfies Record<string, (target: Target, fields: object) => Promise<unknown>>;
  type Method = keyof typeof calls;

  const idempotencyKeys = [
    ["", x(64), "aZ0-_"],
    [x(65), " ", "a b", "a.b", "ä", "a\n"],
  ] as const;
  const limits: [Method, property: string, good: readonly unknown[], bad: readonly unknown[]][] = [
    ["revokeCertificate", "reason", ["", "x", x(255)], [x(256), "a\nb"]],
    ["revokeCertificate", "cause", [RevocationCause.IN_APP], [0, 4, -1]],
    ["transferCertificate", "newOwnerName", ["x", x(255)], ["", x(256), "a\u0007b"]],
    ["transferCertificate", "newOwnerEmail", ["a@b", email(254)], ["", "a.b", "a@b@c", email(255)]],
    ["reportProblem", "content", ["x", x(4_000), "first line\r\nsecond line\n"], ["", " \n\t", x(4_001)]],
    ["reportProblem", "reporterEmail", ["", "a@b", email(254)], ["a.b", " ", email(255)]],
    ["revokeCertificate", "idempotencyKey", ...idempotencyKeys],
    ["reactivateCertificate", "idempotencyKey", ...idempotencyKeys],
    ["transferCertificate", "idempotencyKey", ...idempotencyKeys],
    ["reportProblem", "idempotencyKey", ...idempotencyKeys],
    ["issueCertificates", "idempotencyKey", ...idempotencyKeys],
  ];

  test("the tests cover the idempotency key of every method of LifecycleService", () => {
    const tested = limits.flatMap(([method, property]) => (property === "idempotencyKey" ? [method] : []));
    expect(tested).toEqual(expect.arrayContaining(methodsOf(LifecycleService)));
  });

  test.each(limits)("%s: %s", async (method, property, good, bad) => {
    const field = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const storeId = await createTestStore(registry);
    const state = method === "reactivateCertificate" ? "revoked" : "active";
    const certificateId = await states[state](storeId);
    for (const value of bad) {
      const call = () => calls[method]({ storeId, certificateId }, { [property]: value });
      const refusal = await refusedWithoutTrace(call);
      expect(refusal, JSON.stringify(value)).toMatchObject({ code: "bad_request", field });
      expect(refusal.message).toMatch(new RegExp(`^${field} \\S`));
    }
    for (const value of good)
      await calls[method]({ storeId, certificateId: await states[state](storeId) }, { [property]: value });
  });

  test("listReports: limit", async () => {
    const storeId = await createTestStore(registry);
    const refusal = await refusalOf(inspection.listReports({ storeId, limit: 101 }));
    expect(refusal).toMatchObject({ code: "bad_request", field: "limit" });
  });

  test("getCertificate: by", async () => {
    const storeId = await createTestStore(registry);
    expect(await refusalOf(inspection.getCertificate({ storeId }))).toMatchObject({ field: "by" });
  });
});
