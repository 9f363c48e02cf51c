import fc from "fast-check";
import { expect, test } from "vitest";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { CertificateModel, type ModelStep, modelBuyers, modelled } from "../harness/certificate-model.ts";
import { inStore } from "../harness/in-store.ts";
import { expire, type IssueItemChanges, issueItem } from "../harness/issue-items.ts";
import type { CaseResponse } from "../harness/lifecycle-case.ts";
import { caseEntries, lifecycleCases } from "../harness/lifecycle-cases.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
// Sends separate write commands per collection, as for a server that does not support bulkWrite across collections.
const replica = await openTestRegistry({
  database: registry.database,
  overrides: { writesInOneCommand: false },
});

/** Runs the steps of one store and records the ids of its certificates in order of issue. */
class Caller {
  readonly ids: string[] = [];
  readonly #storeId: string;

  constructor(storeId: string) {
    this.#storeId = storeId;
  }

  /** @returns the response, or `{ refused: code }` for an error */
  async do(by: TestRegistry, step: ModelStep) {
    try {
      return await this.#call(by, step);
    } catch (error) {
      return { refused: toServiceError(error).code };
    }
  }

  #call(by: TestRegistry, { operation, target, content, idempotencyKey }: ModelStep) {
    if (operation === "issue") return this.#issue(by, {}, content, idempotencyKey);
    if (operation === "issue expired") return this.#issueExpired(by, content, idempotencyKey);
    const certificateId = this.ids[target] ?? "crt_missing";
    return lifecycleCases[operation].send(by, { storeId: this.#storeId, certificateId, content, idempotencyKey });
  }

  /** Issues a certificate with a future expiry, and then makes it expire. */
  async #issueExpired(by: TestRegistry, buyer: number, idempotencyKey: string) {
    const results = await this.#issue(by, { expiresAt: { seconds: 4_102_444_800n } }, buyer, idempotencyKey);
    await expire(registry, results[0]?.certificateId ?? "");
    return results;
  }

  async #issue(by: TestRegistry, changes: IssueItemChanges, buyer: number, idempotencyKey: string) {
    const items = [issueItem({ ...changes, buyer: modelBuyers[buyer] ?? modelBuyers[0] })];
    const { results } = await by.issuing.issueCertificates({ items, idempotencyKey }, inStore(this.#storeId));
    const id = results[0]?.certificateId ?? "";
    if (!this.ids.includes(id)) this.ids.push(id);
    return results;
  }
}

const oneOf = <T>(...weighted: [weight: number, value: T][]) =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const operationWeights: [number, ModelStep["operation"]][] = [
  [2, "issue"],
  [2, "issue expired"],
  ...caseEntries.map(([name, { weights }]): [number, ModelStep["operation"]] => [weights.model, name]),
];

const anyStep: fc.Arbitrary<ModelStep> = fc
  .record({
    operation: oneOf(...operationWeights),
    target: oneOf([6, 0], [3, 1], [1, 9]),
    content: fc.constantFrom(0, 1),
    idempotencyKey: oneOf([6, ""], [1, "r1"], [1, "r2"], [1, "r3"], [1, "r4"], [1, "r5"]),
  })
  // A counterexample must not show an idempotency key that the request does not have.
  .map((one) => (hasKey(one) ? one : { ...one, idempotencyKey: "" }));

function hasKey({ operation }: ModelStep): boolean {
  return operation === "issue" || operation === "issue expired" || lifecycleCases[operation].hasIdempotencyKey;
}

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
    const all: ModelStep[] = [{ operation: "issue", target: 0, content: 0, idempotencyKey: "r1" }];
    for (const { one, isRepeated } of drawn) {
      const latest = all.findLast(({ idempotencyKey }) => idempotencyKey !== "");
      all.push({ ...((isRepeated && latest) || one) });
    }
    return all;
  });

async function runSteps(all: readonly ModelStep[]): Promise<void> {
  const storeId = await createTestStore(registry);
  const model = new CertificateModel();
  const caller = new Caller(storeId);
  const answers = new Map<ModelStep, unknown>();
  const changed: (CaseResponse | undefined)[] = [];
  for (const [index, one] of all.entries()) {
    const expected = model.do(one);
    const answer = await caller.do(index % 2 ? replica : registry, one);
    answers.set(one, answer);
    if (expected === "changed") {
      expect(answer).not.toHaveProperty("refused");
      if ("isChange" in answer) expect(answer.isChange).toBe(true);
      changed.push("message" in answer ? answer : undefined);
    } else if (expected === "nothing new") expect(answer).toMatchObject({ isChange: false });
    else expect(answer).toEqual("repeats" in expected ? answers.get(expected.repeats) : expected);
  }

  const events = await waitingEvents(registry.database, storeId);
  expect(
    events.map(({ type, certificateId, certificate }) => ({
      type,
      target: caller.ids.indexOf(certificateId),
      after: modelled(certificate),
    })),
  ).toEqual(model.events.map((event) => ({ ...event, after: modelled(event.after) })));
  const times = events.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual([...new Set(times)].sort());
  // A certificate in the response to a change is the same as in the change's event.
  events.forEach(({ certificate }, index) => {
    const answer = changed[index];
    if (answer?.message.certificate !== undefined) expect(answer.message.certificate).toEqual(certificate);
  });
  const listed = await listAll(registry, storeId);
  expect(listed.map((one) => ({ id: one.id, ...modelled(one) }))).toEqual(
    model.order.map((target) => {
      const certificate = model.certificates[target];
      return { id: caller.ids[target], ...(certificate && modelled(certificate)) };
    }),
  );
  const owners = new Set([...modelBuyers, ...listed.map(({ owner }) => owner)].map(({ email }) => email));
  for (const email of owners) {
    const owned = await listAll(registry, storeId, { email });
    expect(owned).toEqual(listed.filter(({ owner }) => owner.email === email));
  }
}

test("the responses, events and list match a reference model for random sequences of calls on two registries", async () => {
  await fc.assert(fc.asyncProperty(steps, runSteps), { numRuns: 50, interruptAfterTimeLimit: 12_000 });
});
