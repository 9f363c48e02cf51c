import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GateOutcome, LoadGate } from "./load-gate.ts";

const bounds = { totalMax: 100, perKeyMin: 4 };

function startGate() {
  let nowMs = 1_000;
  const gate = new LoadGate({ now: () => nowMs, sleep: () => Promise.resolve() }, bounds);
  return {
    enter: (key: string) => gate.enter(key),
    leave: (key: string, outcome: GateOutcome, count = 1) => {
      for (let index = 0; index < count; index++) gate.leave(key, outcome);
    },
    /** @returns how many of the requests were admitted */
    enterMany: (key: string, count: number) =>
      Array.from({ length: count }, () => gate.enter(key)).filter((refusal) => refusal === undefined).length,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("while the registry answers every request with a decision, the gate", () => {
  test("lets a flood with one key take half of the places, and a flood with another key half of the rest", () => {
    const { enter, enterMany } = startGate();
    expect(enterMany("flood", 300)).toBe(50);
    expect(enter("flood")).toBe("total");
    expect(enterMany("other", 300)).toBe(25);
    expect(enter("third")).toBeUndefined();
  });

  test("admits repeated bursts of requests with one key", () => {
    const { enterMany, leave } = startGate();
    for (let burst = 0; burst < 10; burst++) {
      expect(enterMany("burst", 50)).toBe(50);
      leave("burst", "decided", 50);
    }
  });
});

describe("when a key's requests end with unavailable, the gate", () => {
  test("bounds only that key, to half of its requests in progress, and raises the bound after each decision", () => {
    const { enter, enterMany, leave } = startGate();
    enterMany("flood", 40);
    leave("flood", "unavailable");
    expect(enter("flood")).toBe("key");
    leave("flood", "left", 39);
    expect(enterMany("flood", 300)).toBe(20);
    leave("flood", "decided", 5);
    expect(enterMany("flood", 300)).toBe(10);
    expect(enterMany("other", 30)).toBe(30);
  });

  test("does not lower the bound below the minimum", () => {
    const { enterMany, leave } = startGate();
    for (let round = 0; round < 10; round++) leave("flood", "unavailable", enterMany("flood", 300));
    expect(enterMany("flood", 300)).toBe(bounds.perKeyMin);
  });

  test("forgets the bound one second after the last refusal, but not earlier", () => {
    const { enter, enterMany, leave, pass } = startGate();
    leave("flood", "unavailable", enterMany("flood", 40));
    pass(999);
    expect(enterMany("flood", 300)).toBe(bounds.perKeyMin);
    pass(999);
    expect(enter("flood")).toBe("key");
    pass(1_000);
    expect(enterMany("flood", 300)).toBe(50 - bounds.perKeyMin);
  });

  test("starts all other keys at the minimum bound if requests with a second key also end with unavailable", () => {
    const { enterMany, leave, pass } = startGate();
    for (const key of ["a", "b"]) leave(key, "unavailable", enterMany(key, 1));
    expect(enterMany("new", 300)).toBe(bounds.perKeyMin);
    leave("new", "decided", 2);
    expect(enterMany("new", 300)).toBe(4);
    pass(1_000);
    expect(enterMany("later", 300)).toBeGreaterThan(40);
  });

  test("ignores requests that ended because their clients disconnected", () => {
    const { enterMany, leave } = startGate();
    leave("key", "left", enterMany("key", 40));
    expect(enterMany("key", 50)).toBe(50);
  });
});

const outcome = fc.constantFrom<GateOutcome>("decided", "unavailable", "left");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("enter" as const), key: fc.nat(3), count: fc.nat(60) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("leave" as const), key: fc.nat(3), count: fc.nat(30), outcome }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(1_500) }) },
);

/** Compares the decisions of a gate with the numbers of requests in progress. */
class GateModel {
  readonly gate = startGate();
  readonly #own = new Map<number, number>();

  enter(key: number): void {
    const own = this.#ownOf(key);
    const free = bounds.totalMax - Array.from(this.#own.values()).reduce((sum, count) => sum + count, 0);
    const refusal = this.gate.enter(String(key));
    expect(refusal === "total").toBe(own >= free);
    if (refusal === "key") expect(own).toBeGreaterThanOrEqual(bounds.perKeyMin);
    if (refusal === undefined) this.#own.set(key, own + 1);
  }

  leave(key: number, countMax: number, outcome: GateOutcome): void {
    const count = Math.min(countMax, this.#ownOf(key));
    this.gate.leave(String(key), outcome, count);
    this.#own.set(key, this.#ownOf(key) - count);
  }

  #ownOf(key: number): number {
    return this.#own.get(key) ?? 0;
  }
}

test("for any sequence of steps, the gate never leaks a place or lowers a key's bound below the minimum", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const model = new GateModel();
      for (const current of steps)
        if (current.kind === "pass") model.gate.pass(current.ms);
        else if (current.kind === "leave") model.leave(current.key, current.count, current.outcome);
        else for (let index = 0; index < current.count; index++) model.enter(current.key);
      for (let key = 0; key <= 3; key++) model.leave(key, bounds.totalMax, "decided");
      model.gate.pass(1_000);
      expect(model.gate.enterMany("new", 300)).toBe(bounds.totalMax / 2);
    }),
  );
});
