import fc from "fast-check";
import { expect, test } from "vitest";
import { ClaimModel, type ModelAttempt } from "./claim-model-fixture.ts";

// Durations of steps, from a short pause of a process to a database stall that outlasts a claim.
const stepsMs = fc.array(fc.constantFrom(0, 1, 2_000, 29_000, 31_000, 61_000), { maxLength: 60 });
const hasWebhook = fc.array(fc.boolean(), { maxLength: 8 });
const lostAfter = fc.array(fc.nat(6), { maxLength: 3 });
const behaviours = fc.array(fc.record({ lostAfter, crashes: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
});

/**
 * Runs concurrent attempts to deliver one event, and checks their POSTs and the outcome.
 *
 * @param webhooks whether each of the first calls finds a webhook; all later calls find one
 * @param tokenOf returns the token of the attempt with the given index
 */
async function checkAttempts(
  scheduler: fc.Scheduler,
  steps: readonly number[],
  webhooks: readonly boolean[],
  attempts: readonly Omit<ModelAttempt, "token">[],
  tokenOf: (index: number) => string,
): Promise<void> {
  const model = new ClaimModel(scheduler, steps, webhooks);
  const running = attempts.map((attempt, index) => model.attempt({ ...attempt, token: tokenOf(index) }));
  await scheduler.waitFor(Promise.all(running));
  // Calls whose responses were lost may still be running, and each may renew the claim once.
  for (let retry = 0; retry < 20 && model.outcome === null; retry++) {
    model.expireClaims();
    await scheduler.waitFor(model.attempt({ token: `last-${retry}`, lostAfter: [], crashes: false }));
  }
  await scheduler.waitIdle();
  expect(model.outcome).not.toBeNull();
  expect(model.posts.length).toBeLessThanOrEqual(1);
  // No POST may begin after an outcome is stored, because the certificate's next event may then be sent.
  for (const post of model.posts) expect(post.outcomeBefore).toBeNull();
  if (model.posts.length > 0) expect(model.outcome).not.toBe("skipped");
}

test("sends an event at most once, never after its outcome is stored, and settles it despite delays, crashes and lost responses", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), stepsMs, hasWebhook, behaviours, (scheduler, steps, webhooks, attempts) =>
      checkAttempts(scheduler, steps, webhooks, attempts, (index) => `token-${index}`),
    ),
    { numRuns: 2_000 },
  );
});

test("does not record an event as skipped if it is sent because a retried call found a webhook", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), stepsMs, lostAfter, (scheduler, steps, lostAfter) =>
      checkAttempts(scheduler, steps, [false, true], [{ lostAfter, crashes: false }], () => "token-1"),
    ),
    { numRuns: 2_000 },
  );
});

test("checkAttempts fails if attempts share a token", async () => {
  const result = await fc.check(
    fc.asyncProperty(fc.scheduler(), stepsMs, hasWebhook, behaviours, (scheduler, steps, webhooks, attempts) =>
      checkAttempts(scheduler, steps, webhooks, attempts, () => "process-1"),
    ),
    { numRuns: 2_000, seed: 1 },
  );
  expect(result.failed).toBe(true);
});

test("sends an event exactly once even if the responses to its first claims are lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), lostAfter, async (scheduler, lostAfter) => {
      const model = new ClaimModel(scheduler, []);
      await scheduler.waitFor(model.attempt({ token: "token-1", lostAfter, crashes: false }));
      await scheduler.waitIdle();
      expect([model.posts.length, model.outcome]).toEqual([1, "delivered"]);
    }),
  );
});
