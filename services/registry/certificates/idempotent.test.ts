import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { certificateFixture, draftFixture } from "./draft-fixture.ts";
import { idempotent } from "./idempotent.ts";
import type { Change } from "./ledger.ts";

const origin = { cause: "in_app", actor: "test" };

/** A change that counts how often it is made; its answer tells the count. */
function countingChange({ writes = true } = {}) {
  let count = 0;
  const change: Change<{ count: number; at: string }> = {
    needs: { certificateIds: ["crt_1"], skus: ["AJ-M"] },
    maxTimestamps: 3,
    serialsMax: 2,
    decide: (draft) => {
      count++;
      if (writes)
        draft.update({ ...certificateFixture, updatedAt: draft.nextTimestamp() }, EventType.REPORTED, origin);
      return { count, at: "2026-01-02" };
    },
  };
  return { change, made: () => count };
}

const conflict = {
  refused: "conflict",
  field: "idempotency_key",
  message: "idempotency_key was used before for another request",
};

describe("a change that is made once", () => {
  test("without a request id is the change itself", () => {
    const { change } = countingChange();
    expect(idempotent("", ["a"], change)).toBe(change);
  });

  test.each(["a b", "a.b", "ä", "a\n", " ", "x".repeat(65)])(
    "refuses %j as a request id",
    (idempotencyKey) => {
      expect(() => idempotent(idempotencyKey, ["a"], countingChange().change)).toThrow(
        expect.objectContaining({
          code: "bad_request",
          field: "idempotency_key",
          message: "idempotency_key is not 1 to 64 letters, digits, '-' or '_'",
        }),
      );
    },
  );

  test.each(["a", "A-z_09", "x".repeat(64)])("accepts %j as a request id", (idempotencyKey) => {
    idempotent(idempotencyKey, ["a"], countingChange().change);
  });

  test("asks for the first answer beside what the change asks for, and takes no more than it", () => {
    const { needs, maxTimestamps, serialsMax } = idempotent("r1", ["a"], countingChange().change);
    expect(needs).toEqual({ certificateIds: ["crt_1"], skus: ["AJ-M"], idempotencyKeys: ["r1"] });
    expect([maxTimestamps, serialsMax]).toEqual([3, 2]);
  });

  test("is made and its answer remembered when there is none yet", () => {
    const { change, made } = countingChange();
    const draft = draftFixture();
    expect(idempotent("r1", ["a"], change).decide(draft)).toEqual({ count: 1, at: "2026-01-02" });
    expect(made()).toBe(1);
    expect([...draft.answers]).toEqual([
      ["r1", { fingerprint: expect.stringMatching(/^[\w-]{43}$/), answer: '{"count":1,"at":"2026-01-02"}' }],
    ]);
  });

  test("answers as it did the first time, and is not made again", () => {
    const first = draftFixture();
    idempotent("r1", ["a"], countingChange().change).decide(first);

    const { change, made } = countingChange();
    const later = draftFixture({ answers: first.answers });
    expect(idempotent("r1", ["a"], change).decide(later)).toEqual({ count: 1, at: "2026-01-02" });
    expect(made()).toBe(0);
    expect([later.isEmpty, later.answers.size]).toEqual([true, 0]);
  });

  test("is made once when it comes twice in one transaction", () => {
    const { change, made } = countingChange();
    const draft = draftFixture();
    const twice = [idempotent("r1", ["a"], change), idempotent("r1", ["a"], change)].map(({ decide }) =>
      decide(draft),
    );
    expect(twice[1]).toEqual(twice[0]);
    expect(made()).toBe(1);
    expect(draft.events).toHaveLength(1);
  });

  test("is refused for another content, whether that was asked for long ago or in this transaction", () => {
    const { change, made } = countingChange();
    const draft = draftFixture();
    idempotent("r1", ["revoke", "crt_1", { reason: "" }], change).decide(draft);
    const others = [
      ["revoke", "crt_1", { reason: "x" }],
      ["revoke", "crt_2", { reason: "" }],
      ["revoke", "crt_1"],
    ];
    for (const content of others) {
      expect(idempotent("r1", content, change).decide(draft)).toEqual(conflict);
      expect(idempotent("r1", content, change).decide(draftFixture({ answers: draft.answers }))).toEqual(
        conflict,
      );
    }
    expect(made()).toBe(1);
  });

  test("with another request id is made again", () => {
    const { change, made } = countingChange();
    const draft = draftFixture();
    idempotent("r1", ["a"], change).decide(draft);
    idempotent("r2", ["a"], change).decide(draft);
    expect(made()).toBe(2);
  });

  test("that writes nothing is not remembered, and is decided anew the next time", () => {
    const { change, made } = countingChange({ writes: false });
    const draft = draftFixture();
    for (let call = 0; call < 2; call++) idempotent("r1", ["a"], change).decide(draft);
    expect(draft.answers.size).toBe(0);
    expect(made()).toBe(2);
  });
});
