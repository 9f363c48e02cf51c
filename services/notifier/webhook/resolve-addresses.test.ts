import { afterEach, expect, test, vi } from "vitest";
import { stopAfterTest } from "./deliver-fixture.ts";
import { type NameAnswer, startNameServer } from "./name-server-fixture.ts";
import { areNameServers, createAddressResolver } from "./resolve-addresses.ts";

afterEach(() => void vi.unstubAllEnvs());

const nameServer = async (answer: (type: "A" | "AAAA") => NameAnswer) =>
  stopAfterTest(await startNameServer((_name, type) => answer(type)));

/** Resolves a name with a name server that answers each query with the result of `answer`. */
async function lookUp(answer: (type: "A" | "AAAA") => NameAnswer, timeoutMs = 5_000): Promise<readonly string[]> {
  const { address } = await nameServer(answer);
  return createAddressResolver([address])("receiver.example", AbortSignal.timeout(timeoutMs));
}

test("queries both record types for exactly the given name, and interleaves the addresses", async () => {
  const server = await nameServer(() => ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"]);
  const addresses = await createAddressResolver([server.address])("receiver", AbortSignal.timeout(5_000));
  expect(addresses).toEqual(["192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3"]);
  expect([...server.questions].sort()).toEqual(["A receiver", "AAAA receiver"]);
});

test("appends no search domain", async () => {
  // LOCALDOMAIN overrides the search list of resolv.conf; each new c-ares resolver reads it.
  vi.stubEnv("LOCALDOMAIN", "svc.cluster.local");
  const server = await nameServer(() => "NXDOMAIN");
  const resolving = createAddressResolver([server.address])("kubernetes.default", AbortSignal.timeout(5_000));
  await expect(resolving).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect([...server.questions].sort()).toEqual(["A kubernetes.default", "AAAA kubernetes.default"]);
});

test("does not cache answers", async () => {
  let address = "192.0.2.1";
  const server = await nameServer(() => [address]);
  const resolve = createAddressResolver([server.address]);
  const signal = AbortSignal.timeout(5_000);
  expect(await resolve("receiver.example", signal)).toEqual(["192.0.2.1"]);
  address = "192.0.2.2";
  expect(await resolve("receiver.example", signal)).toEqual(["192.0.2.2"]);
  expect(server.questions).toHaveLength(4);
});

test.each<[string, NameAnswer]>([
  ["an error", "SERVFAIL"],
  ["an answer without records", []],
  ["the answer NXDOMAIN", "NXDOMAIN"],
])("ignores %s for one record type if the other type has addresses", async (_name, answer) => {
  expect(await lookUp((type) => (type === "A" ? ["192.0.2.1"] : answer))).toEqual(["192.0.2.1"]);
});

test("returns the addresses received before the signal aborts", async () => {
  const timeout = new AbortController();
  const server = await nameServer((type) => {
    if (type === "A") return "silence";
    // The event loop polls for I/O between timers and setImmediate, so the answer is read before the abort.
    setTimeout(() => setImmediate(() => timeout.abort()), 50);
    return ["2001:db8::1"];
  });
  const resolving = createAddressResolver([server.address])("receiver.example", timeout.signal);
  expect(await resolving).toEqual(["2001:db8::1"]);
});

test("reports a server failure for one record type rather than a missing record of the other type", async () => {
  await expect(lookUp((type) => (type === "A" ? [] : "SERVFAIL"))).rejects.toMatchObject({
    reason: { code: "host_not_resolved", params: { error: "ESERVFAIL" } },
  });
});

test("rejects with the signal's reason when the server does not answer", async () => {
  const startedAt = performance.now();
  await expect(lookUp(() => "silence", 150)).rejects.toMatchObject({ name: "TimeoutError" });
  expect(performance.now() - startedAt).toBeLessThan(25_000);
});

test("rejects with the reason of a signal that is already aborted", async () => {
  const server = await nameServer(() => "silence");
  const aborted = AbortSignal.abort(new Error("stopped"));
  await expect(createAddressResolver([server.address])("receiver.example", aborted)).rejects.toThrow("stopped");
});

test("resolves localhost to the loopback addresses without a query", async () => {
  const server = await nameServer(() => ["192.0.2.1"]);
  const resolve = createAddressResolver([server.address]);
  for (const name of ["localhost", "a.localhost"])
    expect(await resolve(name, AbortSignal.timeout(1_000))).toEqual(["127.0.0.1", "::1"]);
  expect(server.questions).toEqual([]);
});

test.each<[readonly string[], boolean]>([
  [["127.0.0.1"], true],
  [["127.0.0.1:5353", "[::1]:53", "2001:db8::53"], true],
  [["dns.example"], false],
  [["127.0.0.1", ""], false],
])("areNameServers(%j) returns %s", (texts, areValid) => {
  expect(areNameServers(texts)).toBe(areValid);
});
