import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { certificateFixture, draftFixture } from "./draft-fixture.ts";
import { idempotent } from "./idempotent.ts";
import type { Change } from "./ledger.ts";

const origin = { cause: "in_app", actor: "test" };

/** A change that counts its runs; its result is the count. */
function countingChange({ writes = true } = {}) {
  let count = 0;
  const change: Change<{ count: number; at: string }> = {
    needs: { certificateIds: ["crt_1"], skus: ["AJ-M"] },
    maxTimestamps: 3,
    maxSerials: 2,
    decide: (draft) => {
      count++;
      if (writes) draft.update({ ...certificateFixture, updatedAt: draft.nextTimestamp() }, EventType.REPORTED, origin);
      return { count, at: "2026-01-02" };
    },
  };
  return { change, runs: () => count };
}

const conflict = {
  refused: "conflict",
  field: "idempotency_key",
  message: "idempotency_key was already used for a different request",
};

describe("idempotent", () => {
  test("returns the change itself without an idempotency key", () => {
    const { change } = countingChange();
    expect(idempotent("", ["a"], change)).toBe(change);
  });

  test.each(["a b", "a.b", "ä", "a\n", " ", "x".repeat(65)])("rejects the idempotency key %j", (idempotencyKey) => {
    expect(() => idempotent(idempotencyKey, ["a"], countingChange().change)).toThrow(
      expect.objectContaining({
        code: "bad_request",
        field: "idempotency_key",
        message: "idempotency_key must be 1 to 64 letters, digits, '-' or '_'",
      }),
    );
  });

  test.each(["a", "A-z_09", "x".repeat(64)])("accepts the idempotency key %j", (idempotencyKey) => {
    idempotent(idempotencyKey, ["a"], countingChange().change);
  });

  test("adds the first answer to the change's needs, and keeps its limits", () => {
    const { needs, maxTimestamps, maxSerials } = idempotent("r1", ["a"], countingChange().change);
    expect(needs).toEqual({ certificateIds: ["crt_1"], skus: ["AJ-M"], idempotencyKeys: ["r1"] });
    expect([maxTimestamps, maxSerials]).toEqual([3, 2]);
  });

  test("runs the change and stores its answer when there is none yet", () => {
    const { change, runs } = countingChange();
    const draft = draftFixture();
    expect(idempotent("r1", ["a"], change).decide(draft)).toEqual({ count: 1, at: "2026-01-02" });
    expect(runs()).toBe(1);
    expect([...draft.answers]).toEqual([
      ["r1", { fingerprint: expect.stringMatching(/^[\w-]{43}$/), answer: '{"count":1,"at":"2026-01-02"}' }],
    ]);
  });

  test("returns the stored answer without running the change", () => {
    const first = draftFixture();
    idempotent("r1", ["a"], countingChange().change).decide(first);

    const { change, runs } = countingChange();
    const later = draftFixture({ answers: first.answers });
    expect(idempotent("r1", ["a"], change).decide(later)).toEqual({ count: 1, at: "2026-01-02" });
    expect(runs()).toBe(0);
    expect([later.isEmpty, later.answers.size]).toEqual([true, 0]);
  });

  test("runs the change once when the key occurs twice in one transaction", () => {
    const { change, runs } = countingChange();
    const draft = draftFixture();
    const twice = [idempotent("r1", ["a"], change), idempotent("r1", ["a"], change)].map(({ decide }) => decide(draft));
    expect(twice[1]).toEqual(twice[0]);
    expect(runs()).toBe(1);
    expect(draft.events).toHaveLength(1);
  });

  test("refuses the same key with different content, in the same and in later transactions", () => {
    const { change, runs } = countingChange();
    const draft = draftFixture();
    idempotent("r1", ["revoke", "crt_1", { reason: "" }], change).decide(draft);
    const others = [
      ["revoke", "crt_1", { reason: "x" }],
      ["revoke", "crt_2", { reason: "" }],
      ["revoke", "crt_1"],
    ];
    for (const content of others) {
      expect(idempotent("r1", content, change).decide(draft)).toEqual(conflict);
      expect(idempotent("r1", content, change).decide(draftFixture({ answers: draft.answers }))).toEqual(conflict);
    }
    expect(runs()).toBe(1);
  });

  test("runs the change again for another key", () => {
    const { change, runs } = countingChange();
    const draft = draftFixture();
    idempotent("r1", ["a"], change).decide(draft);
    idempotent("r2", ["a"], change).decide(draft);
    expect(runs()).toBe(2);
  });

  test("stores no answer for a change that writes nothing", () => {
    const { change, runs } = countingChange({ writes: false });
    const draft = draftFixture();
    for (let call = 0; call < 2; call++) idempotent("r1", ["a"], change).decide(draft);
    expect(draft.answers.size).toBe(0);
    expect(runs()).toBe(2);
  });
});
