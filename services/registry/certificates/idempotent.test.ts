import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { certificateFixture, draftFixture } from "./draft-fixture.ts";
import { idempotent } from "./idempotent.ts";
import { type Change, PartialResult } from "./ledger.ts";
import type { StoreDraft } from "./store-draft.ts";

const origin = { cause: "in_app", actor: "test" };

/** Creates a change that counts its runs and returns the count; `run` runs the change with an idempotency key. */
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
  const run = (key: string, draft: StoreDraft, content: unknown = ["a"]) =>
    idempotent(key, content, change).decide(draft);
  return { change, run, runs: () => count };
}

const conflict = {
  refused: "conflict",
  field: "idempotency_key",
  reason: reason("idempotency_key_reused"),
};

describe("idempotent", () => {
  test("returns the change itself when the idempotency key is empty", () => {
    const { change } = countingChange();
    expect(idempotent("", ["a"], change)).toBe(change);
  });

  test.each(["a b", "a.b", "ä", "a\n", " ", "x".repeat(65)])("rejects the idempotency key %j", (idempotencyKey) => {
    expect(() => idempotent(idempotencyKey, ["a"], countingChange().change)).toThrow(
      expect.objectContaining({
        code: "bad_request",
        field: "idempotency_key",
        message: "idempotency_key must be 1 to 64 ASCII letters, digits, '-' or '_'",
      }),
    );
  });

  test.each(["a", "A-z_09", "x".repeat(64)])("accepts the idempotency key %j", (idempotencyKey) => {
    idempotent(idempotencyKey, ["a"], countingChange().change);
  });

  test("adds the idempotency key to the change's needs and keeps the change's limits", () => {
    const { needs, maxTimestamps, maxSerials } = idempotent("r1", ["a"], countingChange().change);
    expect(needs).toEqual({ certificateIds: ["crt_1"], skus: ["AJ-M"], idempotencyKeys: ["r1"] });
    expect([maxTimestamps, maxSerials]).toEqual([3, 2]);
  });

  test("runs the change and stores its answer when the key is new", () => {
    const { run, runs } = countingChange();
    const draft = draftFixture();
    expect(run("r1", draft)).toEqual({ count: 1, at: "2026-01-02" });
    expect(runs()).toBe(1);
    expect([...draft.answers]).toEqual([
      ["r1", { fingerprint: expect.stringMatching(/^[\w-]{43}$/), answer: '{"count":1,"at":"2026-01-02"}' }],
    ]);
  });

  test("returns the stored answer without running the change", () => {
    const first = draftFixture();
    countingChange().run("r1", first);

    const { run, runs } = countingChange();
    const later = draftFixture({ answers: first.answers });
    expect(run("r1", later)).toEqual({ count: 1, at: "2026-01-02" });
    expect(runs()).toBe(0);
    expect([later.isEmpty, later.answers.size]).toEqual([true, 0]);
  });

  test("runs the change once for each distinct key in a transaction", () => {
    const { run, runs } = countingChange();
    const draft = draftFixture();
    expect(run("r1", draft)).toEqual(run("r1", draft));
    expect(runs()).toBe(1);
    expect(draft.events).toHaveLength(1);
    run("r2", draft);
    expect(runs()).toBe(2);
  });

  test("refuses the same key with different content, in the same transaction and in a later one", () => {
    const { run, runs } = countingChange();
    const draft = draftFixture();
    run("r1", draft, ["revoke", "crt_1", { reason: "" }]);
    const others = [
      ["revoke", "crt_1", { reason: "x" }],
      ["revoke", "crt_2", { reason: "" }],
      ["revoke", "crt_1"],
    ];
    for (const content of others) {
      expect(run("r1", draft, content)).toEqual(conflict);
      expect(run("r1", draftFixture({ answers: draft.answers }), content)).toEqual(conflict);
    }
    expect(runs()).toBe(1);
  });

  test("stores no answer for a change that writes nothing", () => {
    const { run, runs } = countingChange({ writes: false });
    const draft = draftFixture();
    for (let call = 0; call < 2; call++) run("r1", draft);
    expect(draft.answers.size).toBe(0);
    expect(runs()).toBe(2);
  });
});

describe("idempotent, for a change that is committed in parts,", () => {
  /**
   * Returns a change that writes one event per available timestamp, up to `upTo` events in total. Its result is the
   * number of events written, as a PartialResult if the draft runs out of timestamps.
   */
  const counting = (upTo: number, soFar = 0): Change<number> => ({
    needs: { certificateIds: ["crt_1"] },
    maxTimestamps: upTo - soFar,
    maxSerials: 0,
    decide: (draft) => {
      for (let count = soFar; count < upTo; count++) {
        if (draft.timestampsLeft === 0) return new PartialResult(count);
        draft.update({ ...certificateFixture, updatedAt: draft.nextTimestamp() }, EventType.REPORTED, origin);
      }
      return upTo;
    },
    continueFrom: (done) => counting(upTo, done),
  });
  const three = idempotent("r1", ["a"], counting(3));

  test("stores the progress with the first part, and the answer with the last part", () => {
    const first = draftFixture();
    expect(three.decide(first)).toEqual(new PartialResult(2));
    expect([...first.answers.values()]).toEqual([{ fingerprint: expect.any(String), progress: "2" }]);
    const second = draftFixture({ answers: first.answers });
    expect(three.continueFrom?.(2).decide(second)).toBe(3);
    expect([...second.answers.values()]).toEqual([{ fingerprint: expect.any(String), answer: "3" }]);
    expect([first.entryCount, second.entryCount]).toEqual([2, 1]);
  });

  test("continues from the stored progress on a retry", () => {
    const first = draftFixture();
    three.decide(first);
    for (const retry of [three, three.continueFrom?.(0), three.continueFrom?.(1)]) {
      const draft = draftFixture({ answers: first.answers });
      expect(retry?.decide(draft)).toBe(3);
      expect(draft.entryCount).toBe(1);
    }
  });

  test("reads all documents again for each part, and reserves timestamps only for the rest of the change", () => {
    const rest = three.continueFrom?.(2);
    expect(rest).toMatchObject({ needs: three.needs, maxTimestamps: 1 });
    expect(rest?.continueFrom).toBeDefined();
  });

  test("refuses the same key with different content while the change is unfinished", () => {
    const first = draftFixture();
    three.decide(first);
    const draft = draftFixture({ answers: first.answers });
    expect(idempotent("r1", ["b"], counting(3)).decide(draft)).toEqual(conflict);
    expect(draft.isEmpty).toBe(true);
  });

  test("stores no progress for a part that writes nothing", () => {
    const draft = draftFixture({ timestamps: [] });
    expect(three.decide(draft)).toEqual(new PartialResult(0));
    expect(draft.isEmpty).toBe(true);
  });
});
