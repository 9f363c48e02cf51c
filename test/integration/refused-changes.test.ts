import { describe, expect, test } from "vitest";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { expire, issueExpired, issueItem, issueOne } from "../harness/issue-items.ts";
import {
  type CaseCall,
  type CertificateState,
  certificateStates,
  type LifecycleCase,
  statusIn,
} from "../harness/lifecycle-case.ts";
import { caseEntries, lifecycleCases } from "../harness/lifecycle-cases.ts";
import { listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, inspection, issuing, verification } = registry;

/** Returns the refusal of a call and verifies that the call changed no document in any collection. */
async function refusedWithoutTrace(call: () => Promise<unknown>) {
  return expectNothingChanged(database, () => refusalOf(call()));
}

/** Functions that issue a certificate in the named state and return its id. */
const states: Readonly<Record<CertificateState, (storeId: string) => Promise<string>>> = {
  active: (storeId) => issueOne(registry, storeId),
  expired: (storeId) => issueExpired(registry, storeId),
  revoked: async (storeId) => {
    const certificateId = await issueOne(registry, storeId);
    await lifecycleCases.revoke.send(registry, { storeId, certificateId });
    return certificateId;
  },
  "revoked and expired": async (storeId) => {
    const certificateId = await states.revoked(storeId);
    // Set after the revocation, because an expired certificate cannot be revoked.
    await expire(registry, certificateId);
    return certificateId;
  },
};

/** The first state in which an operation is possible. */
const stateFor = ({ effects }: LifecycleCase) =>
  certificateStates.find((state) => typeof effects[state] === "string") ?? "active";

const methodsOf = ({ methods }: typeof LifecycleService | typeof VerificationService) =>
  methods.map(({ localName }) => localName).toSorted();

const casesOf = (service: typeof LifecycleService | typeof VerificationService) =>
  caseEntries.filter(([, { method }]) => method.parent === service);

test("the lifecycle cases have every method of LifecycleService", () => {
  expect(
    casesOf(LifecycleService)
      .map(([, { method }]) => method.localName)
      .toSorted(),
  ).toEqual(methodsOf(LifecycleService));
});

describe("a transition that the state machine refuses writes nothing", () => {
  const refused = caseEntries.flatMap(([name, { effects }]) =>
    certificateStates.flatMap((state) => {
      const effect = effects[state];
      return typeof effect === "string" ? [] : [[name, state, effect.refused] as const];
    }),
  );

  test.each(refused)("%s: %s", async (name, state, message) => {
    const storeId = await createTestStore(registry);
    const certificateId = await states[state](storeId);
    expect((await listOne(registry, storeId)).status).toBe(statusIn(state));
    for (const idempotencyKey of ["", "refused-1"])
      expect(
        await refusedWithoutTrace(() =>
          lifecycleCases[name].send(registry, { storeId, certificateId, idempotencyKey }),
        ),
      ).toEqual({ code: "failed_precondition", field: undefined, message });
  });
});

describe("a call for an unknown store or certificate, or for another store's certificate, is refused with not_found", () => {
  const by = (certificateId: string) => ({ case: "certificateId", value: certificateId }) as const;
  const calls: readonly [string, (target: CaseCall) => Promise<unknown>][] = [
    ...casesOf(LifecycleService).map(([name, one]): [string, (target: CaseCall) => Promise<unknown>] => [
      name,
      (target) => one.send(registry, target),
    ]),
    [
      "getCertificate",
      ({ storeId, certificateId }) => inspection.getCertificate({ by: by(certificateId) }, inStore(storeId)),
    ],
    ["getHistory", ({ storeId, certificateId }) => inspection.getHistory({ certificateId }, inStore(storeId))],
  ];
  const message = "There is no such certificate.";

  test.each(calls)("%s", async (_name, call) => {
    const [storeId, other] = [await createTestStore(registry), await createTestStore(registry)];
    const foreign = await issueOne(registry, other);
    const [sample = ""] = (await issuing.createSamples({ products: [{ title: "A" }] }, inStore(storeId)))
      .certificateIds;
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

  test.each(calls)("%s in an unknown store", async (_name, call) => {
    const certificateId = await issueOne(registry, await createTestStore(registry));
    const refusal = await refusedWithoutTrace(() => call({ storeId: "sto_none", certificateId }));
    expect(refusal.code).toBe("not_found");
  });

  test.each(["0", "2", "12a", "", "99999999999999999999"])("getCertificate by the serial number %j", async (serial) => {
    const storeId = await createTestStore(registry);
    await issueOne(registry, storeId);
    const call = inspection.getCertificate({ by: { case: "serial", value: serial } }, inStore(storeId));
    expect(await refusalOf(call)).toMatchObject({ code: "not_found", message });
  });

  const verificationCalls = {
    // The page of an existing sample can be opened, so this call uses an unknown sample instead.
    getPage: (certificateId: string) =>
      verification.getPage({ linkToken: certificateId.startsWith("smp_") ? "smp_none" : certificateId }),
    ...Object.fromEntries(
      casesOf(VerificationService).map(([, one]) => [
        one.method.localName,
        (certificateId: string) => one.send(registry, { storeId: "", certificateId }),
      ]),
    ),
  };

  test("the tests cover every method of VerificationService", () => {
    // Images are not certificates: store-logo.test.ts and product-images.test.ts test their methods.
    expect([...Object.keys(verificationCalls), "getLogo", "getProductImage"].toSorted()).toEqual(
      methodsOf(VerificationService),
    );
  });

  test.each(Object.entries(verificationCalls))("%s", async (_method, call) => {
    const storeId = await createTestStore(registry);
    const [sample = ""] = (await issuing.createSamples({ products: [{ title: "A" }] }, inStore(storeId)))
      .certificateIds;
    for (const certificateId of ["crt_none", "", sample])
      expect(await refusedWithoutTrace(() => call(certificateId))).toMatchObject({
        code: "not_found",
        message,
      });
  });
});

describe("a request with an invalid field is refused with bad_request and the field's name, and writes nothing", () => {
  const idempotencyKeys = [
    ["", "x".repeat(64), "aZ0-_"],
    ["x".repeat(65), " ", "a b", "a.b", "ä", "a\n"],
  ] as const;
  const limits = caseEntries.flatMap(([name, { limits, hasIdempotencyKey }]) => [
    ...limits.map(([property, good, bad]) => [name, property, good, bad] as const),
    ...(hasIdempotencyKey ? [[name, "idempotencyKey", ...idempotencyKeys] as const] : []),
  ]);

  async function expectRefusal(property: string, value: unknown, call: () => Promise<unknown>) {
    const field = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const refusal = await refusedWithoutTrace(call);
    expect(refusal, JSON.stringify(value)).toMatchObject({ code: "bad_request", field });
    expect(refusal.message).toMatch(new RegExp(`^${field} [a-z]`));
  }

  test.each(limits)("%s: %s", async (name, property, good, bad) => {
    const operation = lifecycleCases[name];
    const state = stateFor(operation);
    const storeId = await createTestStore(registry);
    const certificateId = await states[state](storeId);
    const call = (id: string, value: unknown) =>
      operation.send(registry, { storeId, certificateId: id, fields: { [property]: value } });
    for (const value of bad) await expectRefusal(property, value, () => call(certificateId, value));
    for (const value of good) await call(await states[state](storeId), value);
  });

  test("issueCertificates: idempotencyKey", async () => {
    const storeId = await createTestStore(registry);
    const call = (idempotencyKey: string) =>
      issuing.issueCertificates({ items: [issueItem()], idempotencyKey }, inStore(storeId));
    const [good, bad] = idempotencyKeys;
    for (const value of bad) await expectRefusal("idempotencyKey", value, () => call(value));
    for (const value of good) await call(value);
  });

  test("listReports: limit", async () => {
    const storeId = await createTestStore(registry);
    const refusal = await refusalOf(inspection.listReports({ limit: 101 }, inStore(storeId)));
    expect(refusal).toMatchObject({ code: "bad_request", field: "limit" });
  });

  test("getCertificate: by", async () => {
    const storeId = await createTestStore(registry);
    expect(await refusalOf(inspection.getCertificate({}, inStore(storeId)))).toMatchObject({ field: "by" });
  });
});
