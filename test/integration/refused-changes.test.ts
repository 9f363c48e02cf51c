import { afterAll, describe, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { lifecycleOperations } from "../harness/lifecycle-operations.ts";
import { listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await startTestRegistry();
afterAll(() => registry.stop());
const { database, inspection, issuing, lifecycle, verification } = registry;

/** The refusal of a call, with the proof that it wrote nothing: no document, no event, no movement of the clock. */
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

const operations = {
  revoke: (target: Target) => lifecycle.revokeCertificate({ ...target, cause: RevocationCause.REFUND }),
  reactivate: (target: Target) => lifecycle.reactivateCertificate(target),
  transfer: (target: Target) =>
    lifecycle.transferCertificate({ ...target, newOwnerName: "Grace", newOwnerEmail: "grace@example.test" }),
};

const past = { seconds: 1_000_000_000n };

/** A store whose only certificate is in this state. */
const states = {
  active: (storeId: string) => issueOne(registry, storeId),
  expired: (storeId: string) => issueOne(registry, storeId, { expiresAt: past }),
  revoked: async (storeId: string) => {
    const certificateId = await issueOne(registry, storeId);
    await operations.revoke({ storeId, certificateId });
    return certificateId;
  },
  "revoked and past its date": async (storeId: string) => {
    const certificateId = await states.revoked(storeId);
    // Time passes: its date was to come when it was revoked.
    await database.collections.certificates.updateOne(
      { _id: certificateId },
      { $set: { expiresAt: new Date(Date.now() - 1) } },
    );
    return certificateId;
  },
};

const refusals: readonly [keyof typeof operations, keyof typeof states, shown: string, why: string][] = [
  ["revoke", "revoked", "revoked", "The certificate is already revoked."],
  ["revoke", "revoked and past its date", "revoked", "The certificate is already revoked."],
  ["revoke", "expired", "expired", "The certificate has expired."],
  ["reactivate", "active", "active", "The certificate is already active."],
  ["reactivate", "revoked and past its date", "revoked", "The certificate has expired."],
  ["reactivate", "expired", "expired", "The certificate has expired."],
  ["transfer", "revoked", "revoked", "The certificate is revoked."],
  ["transfer", "revoked and past its date", "revoked", "The certificate is revoked."],
  ["transfer", "expired", "expired", "The certificate has expired."],
];

describe("an operation that the state machine refuses writes nothing and tells nobody", () => {
  test.each(refusals)("%s a certificate that is %s", async (operation, state, shown, message) => {
    const storeId = await createTestStore(registry);
    const certificateId = await states[state](storeId);
    expect((await listOne(registry, storeId)).status).toBe(shown);
    for (const idempotencyKey of ["", "refused-1"])
      expect(
        await refusedWithoutTrace(() => operations[operation]({ storeId, certificateId, idempotencyKey })),
      ).toEqual({ code: "failed_precondition", field: undefined, message });
  });
});

describe("a certificate that is not there is not_found, and so is another store's", () => {
  const by = (certificateId: string) => ({ case: "certificateId", value: certificateId }) as const;
  const calls = {
    ...operations,
    "get the certificate": ({ storeId, certificateId }: Target) =>
      inspection.getCertificate({ storeId, by: by(certificateId) }),
    "get the history": (target: Target) => inspection.getHistory(target),
  };
  const message = "There is no such certificate.";

  test.each(Object.entries(calls))("%s", async (_name, call) => {
    const [storeId, other] = [await createTestStore(registry), await createTestStore(registry)];
    const foreign = await issueOne(registry, other);
    const [sample = ""] = (await issuing.createSamples({ storeId, products: [{ title: "A" }] }))
      .certificateIds;
    for (const certificateId of ["crt_none", "", foreign, sample])
      expect(
        await refusedWithoutTrace(() => call({ storeId, certificateId, idempotencyKey: "r" })),
      ).toMatchObject({ code: "not_found", message });
    // The owner's own call is answered, so that it is the store that makes the difference.
    await call({ storeId: other, certificateId: foreign }).catch((error: unknown) =>
      expect(String(error)).toContain("failed_precondition"),
    );
  });

  test.each(Object.entries(calls))("%s, of a store that is not there", async (_name, call) => {
    const certificateId = await issueOne(registry, await createTestStore(registry));
    const refusal = await refusedWithoutTrace(() => call({ storeId: "sto_none", certificateId }));
    expect(refusal.code).toBe("not_found");
  });

  test.each(["0", "2", "12a", "", "99999999999999999999"])("by the serial number %j", async (serial) => {
    const storeId = await createTestStore(registry);
    await issueOne(registry, storeId);
    const call = inspection.getCertificate({ storeId, by: { case: "serial", value: serial } });
    expect(await refusalOf(call)).toMatchObject({ code: "not_found", message });
  });

  test("the verification page of a certificate that is not there", async () => {
    const storeId = await createTestStore(registry);
    const [sample = ""] = (await issuing.createSamples({ storeId, products: [{ title: "A" }] }))
      .certificateIds;
    for (const certificateId of ["crt_none", "", sample])
      for (const call of [
        () => verification.recordVerification({ certificateId }),
        () => verification.reportProblem({ certificateId, content: "It is fake." }),
      ])
        expect(await refusedWithoutTrace(call)).toMatchObject({ code: "not_found", message });
  });
});

describe("a field beyond its limit is a bad_request that names it, and writes nothing", () => {
  const x = (length: number) => "x".repeat(length);
  const email = (length: number) => `${x(length - 2)}@b`;
  const calls = {
    revoke: (target, fields) =>
      lifecycle.revokeCertificate({ cause: RevocationCause.REFUND, ...target, ...fields }),
    reactivate: (target, fields) => lifecycle.reactivateCertificate({ ...target, ...fields }),
    transfer: (target, fields) =>
      lifecycle.transferCertificate({ newOwnerName: "G", newOwnerEmail: "g@b", ...target, ...fields }),
    report: (target, fields) => verification.reportProblem({ content: "It is fake.", ...target, ...fields }),
    issue: (target, fields) => issuing.issueCertificates({ ...target, items: [issueItem()], ...fields }),
  } satisfies Record<string, (target: Target, fields: object) => Promise<unknown>>;
  type Operation = keyof typeof calls;

  const idempotencyKeys = {
    good: ["", x(64), "aZ0-_"].map((idempotencyKey) => ({ idempotencyKey })),
    bad: [x(65), " ", "a b", "a.b", "ä", "a\n"].map((idempotencyKey) => ({ idempotencyKey })),
  };
  const limits: readonly [Operation, field: string, { good: readonly object[]; bad: readonly object[] }][] = [
    [
      "revoke",
      "reason",
      {
        good: ["", "x", x(255)].map((reason) => ({ reason })),
        bad: [x(256), "a\nb"].map((reason) => ({ reason })),
      },
    ],
    [
      "revoke",
      "cause",
      { good: [{ cause: RevocationCause.IN_APP }], bad: [0, 4, -1].map((cause) => ({ cause })) },
    ],
    [
      "transfer",
      "new_owner_name",
      {
        good: ["x", x(255)].map((newOwnerName) => ({ newOwnerName })),
        bad: ["", x(256), "a\u0007b"].map((newOwnerName) => ({ newOwnerName })),
      },
    ],
    [
      "transfer",
      "new_owner_email",
      {
        good: ["a@b", email(254)].map((newOwnerEmail) => ({ newOwnerEmail })),
        bad: ["", "a.b", "a@b@c", email(255)].map((newOwnerEmail) => ({ newOwnerEmail })),
      },
    ],
    [
      "report",
      "content",
      {
        good: ["x", x(4_000), "first line\r\nsecond line\n"].map((content) => ({ content })),
        bad: ["", " \n\t", x(4_001)].map((content) => ({ content })),
      },
    ],
    [
      "report",
      "reporter_email",
      {
        good: ["", "a@b", email(254)].map((reporterEmail) => ({ reporterEmail })),
        bad: ["a.b", " ", email(255)].map((reporterEmail) => ({ reporterEmail })),
      },
    ],
    ["revoke", "idempotency_key", idempotencyKeys],
    ["reactivate", "idempotency_key", idempotencyKeys],
    ["transfer", "idempotency_key", idempotencyKeys],
    ["report", "idempotency_key", idempotencyKeys],
    ["issue", "idempotency_key", idempotencyKeys],
  ];

  test.each(limits)("%s: %s", async (operation, field, { good, bad }) => {
    const storeId = await createTestStore(registry);
    const state = operation === "reactivate" ? "revoked" : "active";
    const certificateId = await states[state](storeId);
    for (const fields of bad) {
      const refusal = await refusedWithoutTrace(() => calls[operation]({ storeId, certificateId }, fields));
      expect(refusal, JSON.stringify(fields)).toMatchObject({ code: "bad_request", field });
      expect(refusal.message).toMatch(new RegExp(`^${field} \\S`));
    }
    for (const fields of good)
      await calls[operation]({ storeId, certificateId: await states[state](storeId) }, fields);
  });

  test("the idempotency key of every operation of LifecycleService is among them", () => {
    const tested = limits.flatMap(([operation, field]) => (field === "idempotency_key" ? [operation] : []));
    expect(tested).toEqual(expect.arrayContaining([...lifecycleOperations]));
  });

  test("the number of reports of a page", async () => {
    const storeId = await createTestStore(registry);
    const refusal = await refusalOf(inspection.listReports({ storeId, limit: 101 }));
    expect(refusal).toMatchObject({ code: "bad_request", field: "limit" });
  });

  test("how to find a certificate", async () => {
    const storeId = await createTestStore(registry);
    expect(await refusalOf(inspection.getCertificate({ storeId }))).toMatchObject({ field: "by" });
  });
});

test("every operation of LifecycleService is in the tables above", () => {
  expect(Object.keys(operations).sort()).toEqual([...lifecycleOperations].sort());
  expect([...new Set(refusals.map(([operation]) => operation))].sort()).toEqual(
    [...lifecycleOperations].sort(),
  );
});
