import { isIP } from "node:net";
import { describe, expect, test } from "vitest";
import { type Reason, reason } from "../reasons/reason.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { createAddressGuard } from "./address-guard.ts";
import { allowedNetworkList, networkList } from "./network.ts";
import { refusedHosts } from "./refused-hosts-fixture.ts";

const strict = { allowedNetworks: [], allowedHosts: [], refusedNetworks: [] };
const guard = createAddressGuard(strict);
/** The host as the URL parser normalizes it. */
const hostOf = (host: string) => new URL(`https://${host}/`).hostname;
const textOf = (why: Reason | undefined) => why && reasonText(why, "en");
const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1");
const words = (text: string) => text.trim().split(/\s+/);

test("the table of refused hosts has no duplicate rows", () => {
  expect(refusedHosts.length).toBeGreaterThan(200);
  expect(new Set(refusedHosts.map(([host]) => host)).size).toBe(refusedHosts.length);
});

test.each(refusedHosts)("%s is %s", (host, problem) => {
  expect(textOf(guard.hostProblem(hostOf(host)))).toBe(`The URL uses ${problem}.`);
  const address = withoutBrackets(hostOf(host));
  if (isIP(address) !== 0)
    expect(textOf(guard.addressProblem(address))).toBe(`The webhook URL resolves to ${problem}.`);
});

test.each(
  words(`
    1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
    192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
    203.0.114.0 223.255.255.255 0x08.8.8.8 134744072
    [2000::1] [2001:200::1] [2001:4860:4860::8888] [2001:db7::1] [2001:db9::1] [2003::1] [2606:4700::6810:84e5]
    [2620:4f:7fff::1] [2620:4f:8001::1] [2a00::127.0.0.1] [3ffe::1] [3fff:1000::1] [2a00::5eff:7f00:1]
    [2a00:1450:4001:80b:5efe:7f00:0:1]
    example.com example.com. EXAMPLE.com bücher.example 127.0.0.1.nip.io localhost.example.com svc.example.com
    internal.example.com a_b.example.com a-b.example.com xn--bcher-kva.example.com _a.example.com mylocalhost.com notlocal.com`),
)("%s is public", (host) => {
  expect(guard.hostProblem(hostOf(host))).toBeUndefined();
  const address = withoutBrackets(hostOf(host));
  if (isIP(address) !== 0) expect(guard.addressProblem(address)).toBeUndefined();
});

test.each(["", " 8.8.8.8", "8.8.8.8 ", ...words("localhost 127.1 0177.0.0.1 2130706433 fe80::1%eth0 [::1]")])(
  "rejects %j from a resolver or a socket",
  (text) => {
    expect(guard.addressProblem(text)).toEqual(reason("url_resolves_to_invalid_address"));
  },
);

test.each([
  ["::127.0.0.1", "IPv4-compatible"],
  ["::ffff:127.0.0.1", "IPv4-mapped"],
  ["64:ff9b::127.0.0.1", "NAT64"],
  ["::FFFF:7F00:1", "IPv4-mapped"],
])("refuses %s in the form that a resolver may return", (address, kind) => {
  expect(guard.addressProblem(address)).toEqual(reason("url_resolves_to_non_public_address", { kind }));
});

describe("a guard with the operator's exceptions", () => {
  const configured = createAddressGuard({
    allowedNetworks: allowedNetworkList.parse("127.0.0.0/8, ::1/128, 10.1.0.0/16, fd00::/8, 64:ff9b::/96, 2002::/16"),
    allowedHosts: ["localhost", ".corp.internal"],
    refusedNetworks: networkList.parse("10.1.2.0/24, 2a05:d018::/32, 8.8.8.0/24"),
  });

  test.each(
    words(`127.0.0.1 127.1 [::1] 10.1.1.1 [fd00:ec2::254] [64:ff9b::9.9.9.9] [64:ff9b::127.0.0.1]
      localhost localhost. erp.corp.internal erp.corp.internal. 9.9.9.9 example.com`),
  )("allows %s", (host) => {
    expect(configured.hostProblem(hostOf(host))).toBeUndefined();
  });

  test.each([
    ...words("10.2.0.1 [fc00::1] 0.0.0.0 169.254.169.254 [::ffff:127.0.0.1] [::127.0.0.1] [2002:7f00:1::1]"),
    ...words("[2002:909:909::1] [fd00::5efe:7f00:1] [64:ff9b::10.2.0.1] [64:ff9b::169.254.169.254]"),
    ...words("[64:ff9b:1::9.9.9.9] a.localhost corp.internal erp.internal xcorp.internal"),
  ])("still refuses %s", (host) => {
    expect(textOf(configured.hostProblem(hostOf(host)))).toContain("reachable from the internet");
  });

  test.each(words("10.1.2.3 8.8.8.8 [2a05:d018::1] [64:ff9b::8.8.8.8]"))(
    "refuses %s, which the operator blocks",
    (host) => {
      expect(configured.hostProblem(hostOf(host))).toEqual(reason("url_address_blocked"));
    },
  );
});
