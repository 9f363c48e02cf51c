import { BlockList } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAddressGuard } from "./address-guard.ts";
import { allowedNetworkList } from "./network.ts";

const guard = createAddressGuard({ allowedNetworks: [], allowedHosts: [], refusedNetworks: [] });

// IANA's registry of special-purpose IPv4 addresses as of 2025-10, multicast, and Azure's platform endpoint.
const ipv4Prefixes = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24",
  "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32",
].flatMap((line) => line.split(" "));
// The special-purpose networks within 2000::/3. No IPv6 address outside 2000::/3 is public.
const ipv6Prefixes = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20".split(" ");

const special = new BlockList();
for (const prefix of [...ipv4Prefixes, ...ipv6Prefixes]) {
  const [address = "", bits] = prefix.split("/");
  special.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
}

const ipv4Of = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
const groupsOf = (bits: number) => `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`;
const bits32 = fc.integer({ min: 0, max: 0xffffffff });

/** IPv4 addresses, half of them within a special-purpose network or directly next to it. */
const anyIpv4 = fc.oneof(
  bits32,
  fc.constantFrom(...ipv4Prefixes).chain((prefix) => {
    const [address = "", length] = prefix.split("/");
    const first = address.split(".").reduce((bits, octet) => bits * 256 + Number(octet), 0);
    const size = 2 ** (32 - Number(length));
    return fc
      .oneof(fc.constantFrom(-1, 0, size - 1, size), fc.integer({ min: 0, max: size - 1 }))
      .map((offset) => (first + offset) >>> 0);
  }),
);
const nonPublicIpv4 = anyIpv4.filter((bits) => special.check(ipv4Of(bits), "ipv4"));

test("an IPv4 address is public exactly when it is in no special-purpose network", () => {
  fc.assert(
    fc.property(anyIpv4, (bits) => {
      const address = ipv4Of(bits);
      expect(guard.addressProblem(address) !== undefined).toBe(special.check(address, "ipv4"));
    }),
    { numRuns: 5_000 },
  );
});

const groups = (count: number) => fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: count, maxLength: count });
const ipv6Text = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(":");

test("an IPv6 address that embeds no IPv4 address is public exactly when it is in 2000::/3 and in no special-purpose network", () => {
  const starts = [
    "2001 2001:db8 2001:db9 2001:1ff 2001:200 2002 2003",
    "2620:4f:8000 2620:4f:8001 3fff:fff 3fff:1000 0 64",
  ].map((line) => line.split(" ").map((text) => text.split(":").map((group) => Number.parseInt(group, 16))));
  const start = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((first) => [first]),
    ...starts.map((options) => fc.constantFrom(...options)),
  );
  fc.assert(
    fc.property(start, groups(8), (first, rest) => {
      const address = ipv6Text([...first, ...rest.slice(first.length)]);
      const [top = 0] = first;
      const isPublic = top >= 0x2000 && top <= 0x3fff && !special.check(address, "ipv6");
      expect(guard.addressProblem(address) === undefined).toBe(isPublic);
    }),
    { numRuns: 5_000 },
  );
});

test("an IPv6 address with an embedded non-public IPv4 address is refused, even if its IPv6 network is allowed", () => {
  const embeddings = [
    (ipv4: number) => `::${ipv4Of(ipv4)}`,
    (ipv4: number) => `::ffff:${ipv4Of(ipv4)}`,
    (ipv4: number) => `::ffff:0:${groupsOf(ipv4)}`,
    (ipv4: number) => `64:ff9b::${ipv4Of(ipv4)}`,
    (ipv4: number, [a = 0, b = 0]: number[]) => `64:ff9b:1:${ipv6Text([a, b])}:0:${groupsOf(ipv4)}`,
    (ipv4: number, [a = 0]: number[]) =>
      `64:ff9b:1:${(ipv4 >>> 16).toString(16)}:${((ipv4 >>> 8) & 0xff).toString(16)}:${((ipv4 & 0xff) << 8).toString(16)}::${a.toString(16)}`,
    (ipv4: number, rest: number[]) => `2002:${groupsOf(ipv4)}:${ipv6Text(rest.slice(0, 5))}`,
    (ipv4: number, rest: number[]) => `2001:0:${groupsOf(ipv4)}:${ipv6Text(rest.slice(0, 4))}`,
    (ipv4: number, rest: number[]) => `2001:0:${ipv6Text(rest.slice(0, 4))}:${groupsOf(~ipv4)}`,
    (ipv4: number, [a = 0, b = 0, c = 0]: number[]) => `2a00:${ipv6Text([a, b, c])}:0:5efe:${groupsOf(ipv4)}`,
    (ipv4: number, [a = 0, b = 0, c = 0]: number[]) => `fd00:${ipv6Text([a, b, c])}:200:5efe:${groupsOf(ipv4)}`,
  ];
  const all =
    "::/96, ::ffff:0:0/96, ::ffff:0:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48, 2002::/16, 2001::/32, fd00::/8, 2a00::/16";
  const allowing = createAddressGuard({
    allowedNetworks: allowedNetworkList.parse(all),
    allowedHosts: [],
    refusedNetworks: [],
  });
  fc.assert(
    fc.property(fc.constantFrom(...embeddings), nonPublicIpv4, groups(5), (embed, ipv4, rest) => {
      const address = embed(ipv4, rest);
      fc.pre(address !== "::0.0.0.0" && address !== "::0.0.0.1");
      expect(guard.addressProblem(address)?.code).toBe("url_resolves_to_non_public_address");
      expect(allowing.addressProblem(address)?.code).toBe("url_resolves_to_non_public_address");
    }),
    { numRuns: 5_000 },
  );
});
