import { describe, expect, test } from "vitest";
import { base64Of } from "#shared/text/base64.ts";
import { KeyGuard, type LookupResult } from "./key-guard.ts";

const limits = {
  lookups: [
    { capacity: 3, tokensPerSecond: 1 },
    { capacity: 5, tokensPerSecond: 2 },
    { capacity: 7, tokensPerSecond: 4 },
  ],
  unknownTtlMs: 60_000,
  knownTtlMs: 86_400_000,
  knownKeysMax: 100,
  entriesMax: 100,
};
const hashOf = (name: string) => Buffer.from(name.padEnd(32));
const keyOf = (name: string) => base64Of(hashOf(name));

function startGuard(overrides: { readonly knownKeysMax?: number; readonly entriesMax?: number } = {}) {
  let nowMs = 1_000_000;
  const guard = new KeyGuard({ now: () => nowMs, sleep: () => Promise.resolve() }, { ...limits, ...overrides });
  return {
    check: (key: string, client = "192.0.2.1") => guard.check(keyOf(key), client.split(" ")),
    addKnown: (...keys: string[]) => guard.addKnown(keys.map(hashOf)),
    pendingLookup: (key: string) => guard.pendingLookup(keyOf(key)),
    /**
     * Checks a key, settles its lookup (if any) with `result`, and returns the kind of the decision.
     * `client` lists the client's networks, narrowest first, separated by spaces.
     */
    request: (key: string, result: LookupResult, client = "192.0.2.1") => {
      const decision = guard.check(keyOf(key), client.split(" "));
      if (decision.kind === "lookup") decision.settle(result);
      return decision.kind;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

function flood(request: ReturnType<typeof startGuard>["request"], client?: string): void {
  for (let count = 0; count < 3; count++) request(`flood ${count}`, "unknown", client);
}

describe("a flood of unknown keys", () => {
  test("gets a burst of lookups, then one lookup for each refilled token, and is limited in between", () => {
    const { request, check, pass } = startGuard();
    const kinds = Array.from({ length: 6 }, (_, count) => request(`bad ${count}`, "unknown"));
    expect(kinds).toEqual(["lookup", "lookup", "lookup", "limited", "limited", "limited"]);
    expect(check("bad 7")).toEqual({ kind: "limited", waitSeconds: 1 });
    pass(1_000);
    expect(request("bad 8", "unknown")).toBe("lookup");
    expect(request("bad 9", "unknown")).toBe("limited");
  });

  test("does not block a known key of the same client", () => {
    const { request } = startGuard();
    request("good", "known");
    flood(request);
    for (let count = 0; count < 20; count++) expect(request("good", "known")).toBe("lookup");
    expect(request("never seen", "known")).toBe("limited");
  });

  test("does not limit other clients", () => {
    const { request } = startGuard();
    flood(request, "192.0.2.1");
    expect(request("never seen", "known", "192.0.2.2")).toBe("lookup");
  });

  test("gets no additional lookups when its requests are concurrent", () => {
    const { check } = startGuard();
    const kinds = Array.from({ length: 50 }, (_, count) => check(`bad ${count}`).kind);
    expect(kinds.filter((kind) => kind === "lookup")).toHaveLength(3);
  });
});

describe("a flood of new keys from many networks of one client", () => {
  /** Sends one unknown key from each network. @returns the number of lookups */
  const lookupsOf = ({ request }: ReturnType<typeof startGuard>, networks: readonly string[]) =>
    networks.filter((network, index) => request(`${network} ${index}`, "unknown", network) === "lookup").length;
  const networks64 = (of56: string, count = 40) => Array.from({ length: count }, (_, index) => `64.${index} ${of56}`);

  test("is limited by the token buckets of the enclosing wider networks", () => {
    expect(lookupsOf(startGuard(), networks64("56.1 48.1"))).toBe(5);
    const networks56 = Array.from({ length: 40 }, (_, index) => `64.${index} 56.${index} 48.1`);
    expect(lookupsOf(startGuard(), networks56)).toBe(7);
  });

  test("leaves tokens for other networks inside the same wider network", () => {
    const guard = startGuard();
    expect(lookupsOf(guard, Array(40).fill("64.1 56.1 48.1"))).toBe(3);
    expect(lookupsOf(guard, networks64("56.1 48.1"))).toBe(2);
    expect(lookupsOf(guard, networks64("56.2 48.1"))).toBe(2);
    expect(lookupsOf(guard, networks64("56.3 48.2"))).toBe(5);
  });

  test("is limited while the narrowest network has no token, without taking tokens from the wider networks", () => {
    const guard = startGuard();
    expect(lookupsOf(guard, Array(9).fill("64.1 56.1 48.1"))).toBe(3);
    expect(guard.check("bad", "64.1 56.1 48.1")).toEqual({ kind: "limited", waitSeconds: 1 });
    expect(lookupsOf(guard, ["64.2 56.1 48.1", "64.2 56.1 48.1"])).toBe(2);
  });

  test("costs no token of any network if the keys turn out to be valid", () => {
    const { request } = startGuard();
    for (let count = 0; count < 50; count++)
      expect(request(`good ${count}`, "known", `64.${count} 56.1 48.1`)).toBe("lookup");
  });
});

describe("a known key", () => {
  test("that another replica has found valid is exempt from the limits", () => {
    const { request, addKnown } = startGuard();
    flood(request);
    expect(request("good", "known")).toBe("limited");
    addKnown("good");
    expect(request("good", "known")).toBe("lookup");
  });

  test("is forgotten once knownTtlMs has passed since it was last found valid", () => {
    const { request, pass } = startGuard();
    request("good", "known");
    pass(limits.knownTtlMs - 1);
    flood(request);
    expect(request("good", "known")).toBe("lookup");
    pass(limits.knownTtlMs + 1);
    flood(request);
    expect(request("good", "known")).toBe("limited");
  });
});

describe("concurrent requests with the same new key", () => {
  test("need only one token, because all but the first wait for the first lookup", async () => {
    const { check, pendingLookup } = startGuard();
    const first = check("good");
    const others = Array.from({ length: 20 }, async () => {
      await pendingLookup("good");
      return check("good").kind;
    });
    if (first.kind === "lookup") first.settle("known");
    expect(await Promise.all(others)).toEqual(Array(20).fill("lookup"));
  });

  test("stop waiting when the first lookup fails", async () => {
    const { check, pendingLookup } = startGuard();
    const first = check("good");
    const waiting = pendingLookup("good");
    if (first.kind === "lookup") first.settle("undecided");
    await waiting;
    expect(check("good").kind).toBe("lookup");
  });
});

describe("an unknown key", () => {
  test("is looked up at most once a minute and costs no token until its next lookup", () => {
    const { request, pass } = startGuard();
    expect(request("bad", "unknown")).toBe("lookup");
    for (let count = 0; count < 20; count++) expect(request("bad", "unknown")).toBe("unknown");
    expect(request("another", "unknown")).toBe("lookup");
    pass(59_999);
    expect(request("bad", "unknown")).toBe("unknown");
    pass(2);
    expect(request("bad", "unknown")).toBe("lookup");
  });

  test("that was cached as known before its revocation is cached as unknown after the next lookup", () => {
    const { request } = startGuard();
    request("key", "known");
    expect(request("key", "unknown")).toBe("lookup");
    expect(request("key", "unknown")).toBe("unknown");
  });
});

describe("a lookup", () => {
  test("of a valid key costs no token: a client may use any number of new valid keys", () => {
    const { request } = startGuard();
    for (let count = 0; count < 50; count++) expect(request(`good ${count}`, "known")).toBe("lookup");
  });

  test("that fails costs no token and changes no cache", () => {
    const { request } = startGuard();
    for (let count = 0; count < 50; count++) expect(request("key", "undecided")).toBe("lookup");
    flood(request);
    expect(request("key", "known")).toBe("limited");
  });
});

test("a lookup whose client leaves costs a token: such a client could have any number of keys looked up", () => {
  const { request } = startGuard();
  const kinds = Array.from({ length: 4 }, (_, count) => request(`bad ${count}`, "left"));
  expect(kinds).toEqual(["lookup", "lookup", "lookup", "limited"]);
});

test("a flood of unknown keys that fills the cache evicts unknown keys, but no known key", () => {
  const { request } = startGuard({ entriesMax: 2 });
  request("good", "known");
  for (let count = 0; count < 30; count++) request(`bad ${count}`, "unknown", `192.0.2.${count}`);
  expect(request("bad 0", "unknown", "198.51.100.1")).toBe("lookup");
  flood(request);
  expect(request("good", "known")).toBe("lookup");
});

test("when full, the cache of known keys evicts the least recently used key", () => {
  const { request } = startGuard({ knownKeysMax: 2 });
  for (const key of ["a", "b", "a", "c"]) request(key, "known");
  flood(request);
  expect(["a", "c", "b"].map((key) => request(key, "undecided"))).toEqual(["lookup", "lookup", "limited"]);
});
