import { afterEach, expect, test, vi } from "vitest";
import { type NameAnswer, type NameServerFixture, startNameServer } from "./name-server-fixture.ts";
import { areNameServers, createAddressResolver } from "./resolve-addresses.ts";

const servers: NameServerFixture[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.stop();
});

async function nameServer(answer: (type: "A" | "AAAA") => NameAnswer): Promise<NameServerFixture> {
  const server = await startNameServer((_name, type) => answer(type));
  servers.push(server);
  return server;
}

/** Looks a name up at a server that answers so. */
async function lookUp(
  answer: (type: "A" | "AAAA") => NameAnswer,
  timeoutMs = 5_000,
): Promise<readonly string[]> {
  const { address } = await nameServer(answer);
  return createAddressResolver([address])("receiver.example", AbortSignal.timeout(timeoutMs));
}

test("both kinds of addresses are asked for by exactly this name, and come in turn", async () => {
  const server = await nameServer(() => ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"]);
  const addresses = await createAddressResolver([server.address])("receiver", AbortSignal.timeout(5_000));
  expect(addresses).toEqual(["192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3"]);
  expect([...server.questions].sort()).toEqual(["A receiver", "AAAA receiver"]);
});

test("search domains are not appended", async () => {
  // As resolv.conf's: c-ares and the system's resolver read it anew for each look-up.
  vi.stubEnv("LOCALDOMAIN", "svc.cluster.local");
  const server = await nameServer(() => "NXDOMAIN");
  const look = createAddressResolver([server.address])("kubernetes.default", AbortSignal.timeout(5_000));
  await expect(look).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect([...server.questions].sort()).toEqual(["A kubernetes.default", "AAAA kubernetes.default"]);
});

test("nothing is remembered", async () => {
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
  ["no record", []],
  ["no name", "NXDOMAIN"],
])("with %s for one kind the other one counts", async (_name, answer) => {
  expect(await lookUp((type) => (type === "A" ? ["192.0.2.1"] : answer))).toEqual(["192.0.2.1"]);
});

test("what came counts when time is up before the rest came", async () => {
  const time = new AbortController();
  const server = await nameServer((type) => {
    if (type === "A") return "silence";
    // Behind the timers the event loop reads what came: time is up after that, however busy the machine is.
    setTimeout(() => setImmediate(() => time.abort()), 50);
    return ["2001:db8::1"];
  });
  const look = createAddressResolver([server.address])("receiver.example", time.signal);
  expect(await look).toEqual(["2001:db8::1"]);
});

test.each<[NameAnswer, object]>([
  ["NXDOMAIN", { code: "ENOTFOUND" }],
  [[], { code: "ENODATA" }],
  ["SERVFAIL", { message: "The receiver's host name could not be looked up (ESERVFAIL)." }],
])("the answer %j is an error of its own", async (answer, error) => {
  await expect(lookUp(() => answer)).rejects.toMatchObject(error);
});

test("an error of one kind is told rather than that the other one has no record", async () => {
  await expect(lookUp((type) => (type === "A" ? [] : "SERVFAIL"))).rejects.toThrow("(ESERVFAIL)");
});

test("a server that keeps silent is given up when time is up, with the signal's reason", async () => {
  const startedAt = performance.now();
  await expect(lookUp(() => "silence", 150)).rejects.toMatchObject({ name: "TimeoutError" });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test("a look-up that begins too late ends at once", async () => {
  const server = await nameServer(() => "silence");
  const cut = AbortSignal.abort(new Error("cut"));
  await expect(createAddressResolver([server.address])("receiver.example", cut)).rejects.toThrow("cut");
});

test("localhost is the loopback addresses, and no name server is asked", async () => {
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
])("%j can be name servers: %s", (texts, are) => {
  expect(areNameServers(texts)).toBe(are);
});
