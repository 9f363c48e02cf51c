import { describe, expect, test } from "vitest";
import { type KeyFound, KeyGuard } from "./key-guard.ts";

const limits = { lookUps: { capacity: 3, tokensPerSecond: 1 }, unknownForMs: 60_000, remembered: 100 };
const keyOf = (name: string) => Buffer.from(name.padEnd(32));

function startGuard(remembered = limits.remembered) {
  let nowMs = 1_000_000;
  const guard = new KeyGuard({ now: () => nowMs, sleep: () => Promise.resolve() }, { ...limits, remembered });
  return {
    judge: (key: string, client = "192.0.2.1") => guard.judge(keyOf(key), client),
    whenLookedUp: (key: string) => guard.whenLookedUp(keyOf(key)),
    /** A request whose look-up, if there is one, ends so. @returns what became of it */
    ask: (key: string, found: KeyFound, client = "192.0.2.1") => {
      const verdict = guard.judge(keyOf(key), client);
      if (verdict.kind === "look_up") verdict.settle(found);
      return verdict.kind;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** Unknown keys until the client is limited. */
function flood(ask: ReturnType<typeof startGuard>["ask"], client?: string): void {
  for (let count = 0; count < 3; count++) ask(`flood ${count}`, "unknown", client);
}

describe("a flood of unknown keys", () => {
  test("is looked up a few times at once, then as often as tokens come, and is told when the next one comes", () => {
    const { ask, judge, pass } = startGuard();
    const kinds = Array.from({ length: 6 }, (_, count) => ask(`bad ${count}`, "unknown"));
    expect(kinds).toEqual(["look_up", "look_up", "look_up", "limited", "limited", "limited"]);
    expect(judge("bad 7")).toEqual({ kind: "limited", waitSeconds: 1 });
    pass(1_000);
    expect(ask("bad 8", "unknown")).toBe("look_up");
    expect(ask("bad 9", "unknown")).toBe("limited");
  });

  test("never stops a key that was found before, from the same client", () => {
    const { ask } = startGuard();
    ask("good", "known");
    flood(ask);
    for (let count = 0; count < 20; count++) expect(ask("good", "known")).toBe("look_up");
    expect(ask("never seen", "known")).toBe("limited");
  });

  test("is no matter of requests that come together with one key: the first one is looked up, the others wait for it", async () => {
    const { judge, whenLookedUp } = startGuard();
    const first = judge("good");
    const others = Array.from({ length: 20 }, async () => {
      await whenLookedUp("good");
      return judge("good").kind;
    });
    if (first.kind === "look_up") first.settle("known");
    expect(await Promise.all(others)).toEqual(Array(20).fill("look_up"));
  });

  test("is over for who waits when the registry could not be asked", async () => {
    const { judge, whenLookedUp } = startGuard();
    const first = judge("good");
    const waiting = whenLookedUp("good");
    if (first.kind === "look_up") first.settle("undecided");
    await waiting;
    expect(judge("good").kind).toBe("look_up");
  });

  test("costs no other client anything", () => {
    const { ask } = startGuard();
    flood(ask, "192.0.2.1");
    expect(ask("never seen", "known", "192.0.2.2")).toBe("look_up");
  });

  test("that comes all at once gets no more look-ups than one that comes in a row", () => {
    const { judge } = startGuard();
    const kinds = Array.from({ length: 50 }, (_, count) => judge(`bad ${count}`).kind);
    expect(kinds.filter((kind) => kind === "look_up")).toHaveLength(3);
  });
});

describe("an unknown key", () => {
  test("is looked up once a minute and costs nothing in between", () => {
    const { ask, pass } = startGuard();
    expect(ask("bad", "unknown")).toBe("look_up");
    for (let count = 0; count < 20; count++) expect(ask("bad", "unknown")).toBe("unknown");
    expect(ask("another", "unknown")).toBe("look_up");
    pass(59_999);
    expect(ask("bad", "unknown")).toBe("unknown");
    pass(1);
    expect(ask("bad", "unknown")).toBe("look_up");
  });

  test("that was known, and is revoked, is unknown from then on", () => {
    const { ask } = startGuard();
    ask("key", "known");
    expect(ask("key", "unknown")).toBe("look_up");
    expect(ask("key", "unknown")).toBe("unknown");
  });
});

describe("a look-up", () => {
  test("that finds the key is free: any number of new good keys may come from one client", () => {
    const { ask } = startGuard();
    for (let count = 0; count < 50; count++) expect(ask(`good ${count}`, "known")).toBe("look_up");
  });

  test("that fails costs nothing and decides nothing", () => {
    const { ask } = startGuard();
    for (let count = 0; count < 50; count++) expect(ask("key", "undecided")).toBe("look_up");
    flood(ask);
    expect(ask("key", "known")).toBe("limited");
  });
});

test("what is remembered is bounded: a flood pushes out unknown keys, not the known ones", () => {
  const { ask } = startGuard(2);
  ask("good", "known");
  for (let count = 0; count < 30; count++) ask(`bad ${count}`, "unknown", `192.0.2.${count}`);
  expect(ask("bad 0", "unknown", "198.51.100.1")).toBe("look_up");
  flood(ask);
  expect(ask("good", "known")).toBe("look_up");
});
