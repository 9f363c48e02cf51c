import fc from "fast-check";
import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { CertificateModel, type ModelCertificate, type ModelStep } from "../harness/certificate-model.ts";
import { expire, type IssueItemChanges, issueItem } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, type PublicCertificate } from "../harness/public-certificate.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
// Sends separate write commands per collection, as for a server that does not support bulkWrite across collections.
const replica = await openTestRegistry({
  database: registry.database,
  overrides: { writesInOneCommand: false },
});

const emailOf = (name: string) => `${name}@example.test`;

/** Runs the steps of one store and records the ids of its certificates in order of issue. */
class Caller {
  readonly ids: string[] = [];
  readonly #storeId: string;

  constructor(storeId: string) {
    this.#storeId = storeId;
  }

  /** @returns the response, or `{ refused: code }` for an error */
  async do(by: TestRegistry, step: ModelStep): Promise<unknown> {
    try {
      return await this.#call(by, step);
    } catch (error) {
      return { refused: toServiceError(error).code };
    }
  }

  #call(by: TestRegistry, { operation, target, content, idempotencyKey }: ModelStep): Promise<unknown> {
    const certificateId = this.ids[target] ?? "crt_missing";
    const request = { storeId: this.#storeId, certificateId, idempotencyKey };
    switch (operation) {
      case "issue":
        return this.#issue(by, {}, content, idempotencyKey);
      case "issue expired":
        return this.#issueExpired(by, content, idempotencyKey);
      case "revoke":
        return by.lifecycle.revokeCertificate({ ...request, cause: RevocationCause.REFUND, reason: content });
      case "reactivate":
        return by.lifecycle.reactivateCertificate(request);
      case "transfer":
        return by.lifecycle.transferCertificate({
          ...request,
          newOwnerName: content,
          newOwnerEmail: emailOf(content),
        });
      case "verify":
        return by.verification.recordVerification({ certificateId });
      case "report":
        return by.verification.reportProblem({ certificateId, content, idempotencyKey });
    }
  }

  /** Issues a certificate with a future expiry, and then makes it expire. */
  async #issueExpired(by: TestRegistry, name: string, idempotencyKey: string) {
    const results = await this.#issue(by, { expiresAt: { seconds: 4_102_444_800n } }, name, idempotencyKey);
    await expire(registry, results[0]?.certificateId ?? "");
    return results;
  }

  async #issue(by: TestRegistry, changes: IssueItemChanges, name: string, idempotencyKey: string) {
    const items = [issueItem({ ...changes, buyer: { name, email: emailOf(name) } })];
    const { results } = await by.issuing.issueCertificates({ storeId: this.#storeId, items, idempotencyKey });
    const id = results[0]?.certificateId ?? "";
    if (!this.ids.includes(id)) this.ids.push(id);
    return results;
  }
}

const oneOf = <T>(...weighted: [weight: number, value: T][]) =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

// The type makes the compiler require a weight for every operation of the model.
const weightOf: Readonly<Record<ModelStep["operation"], number>> = {
  issue: 2,
  "issue expired": 2,
  revoke: 6,
  reactivate: 6,
  transfer: 4,
  verify: 3,
  report: 3,
};
const operationWeights = Object.entries(weightOf).map(
  ([operation, weight]) => [weight, operation] as [number, ModelStep["operation"]],
);

const anyStep: fc.Arbitrary<ModelStep> = fc
  .record({
    operation: oneOf(...operationWeights),
    target: oneOf([6, 0], [3, 1], [1, 9]),
    content: fc.constantFrom("ada", "grace"),
    idempotencyKey: oneOf([6, ""], [1, "r1"], [1, "r2"], [1, "r3"], [1, "r4"], [1, "r5"]),
  })
  // RecordVerification has no idempotency key, so a counterexample must not show one.
  .map((one) => (one.operation === "verify" ? { ...one, idempotencyKey: "" } : one));

/**
 * Sequences of calls. Each sequence starts with an `issue` call. Some calls repeat the latest call that has an
 * idempotency key.
 */
const steps = fc
  .array(fc.record({ one: anyStep, isRepeated: oneOf([4, false], [1, true]) }), {
    minLength: 8,
    maxLength: 24,
  })
  .map((drawn) => {
    const all: ModelStep[] = [{ operation: "issue", target: 0, content: "ada", idempotencyKey: "r1" }];
    for (const { one, isRepeated } of drawn) {
      const latest = all.findLast(({ idempotencyKey }) => idempotencyKey !== "");
      all.push({ ...((isRepeated && latest) || one) });
    }
    return all;
  });

/** Returns the fields of a certificate that both the model and the registry report. */
function reported({ status, owner, originalBuyer, revokedReason }: ModelCertificate | PublicCertificate) {
  const nameOf = (person: string | { name: string }) => (typeof person === "string" ? person : person.name);
  return { status, owner: nameOf(owner), originalBuyer: nameOf(originalBuyer), revokedReason };
}

async function runSteps(all: readonly ModelStep[]): Promise<void> {
  const storeId = await createTestStore(registry);
  const model = new CertificateModel();
  const caller = new Caller(storeId);
  const answers = new Map<ModelStep, unknown>();
  const changed: unknown[] = [];
  for (const [index, one] of all.entries()) {
    const expected = model.do(one);
    const answer = await caller.do(index % 2 ? replica : registry, one);
    answers.set(one, answer);
    if (expected === "changed") {
      expect(answer).not.toHaveProperty("refused");
      if (one.operation === "verify") expect(answer).toMatchObject({ isFirst: true });
      changed.push(answer);
    } else if (expected === "nothing new")
      expect(answer).toMatchObject(one.operation === "verify" ? { isFirst: false } : { unchanged: true });
    else expect(answer).toEqual("repeats" in expected ? answers.get(expected.repeats) : expected);
  }

  const events = await waitingEvents(registry.database, storeId);
  expect(
    events.map(({ type, certificateId, certificate }) => ({
      type,
      target: caller.ids.indexOf(certificateId),
      after: reported(certificate),
    })),
  ).toEqual(model.events.map((event) => ({ ...event, after: reported(event.after) })));
  const times = events.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual([...new Set(times)].sort());
  // A certificate in the response to a change is the same as in the change's event.
  events.forEach(({ certificate }, index) => {
    const answer = changed[index];
    if (typeof answer === "object" && answer !== null && "certificate" in answer)
      expect(answer.certificate).toEqual(certificate);
  });
  const listed = await listAll(registry, storeId);
  expect(listed.map((one) => ({ id: one.id, ...reported(one) }))).toEqual(
    model.order.map((target) => {
      const certificate = model.certificates[target];
      return { id: caller.ids[target], ...(certificate && reported(certificate)) };
    }),
  );
  for (const name of ["ada", "grace"]) {
    const owned = await listAll(registry, storeId, { email: emailOf(name) });
    expect(owned).toEqual(listed.filter(({ owner }) => owner.name === name));
  }
}

test("the responses, events and list match a reference model for random sequences of calls on two registries", async () => {
  await fc.assert(fc.asyncProperty(steps, runSteps), { numRuns: 50, interruptAfterTimeLimit: 12_000 });
});
