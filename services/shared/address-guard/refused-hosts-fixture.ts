type Row = readonly [host: string, problem: string];

const rows = (problem: string, hosts: string) => hosts.split(/\s+/).map((host): Row => [host, problem]);
const remedy = "use a host that is reachable from the internet";
const address = (kind: string, hosts: string) => rows(`a non-public address (${kind}); ${remedy}`, hosts);
const internal = (domain: string, hosts: string) => rows(`a host in an internal domain (${domain}); ${remedy}`, hosts);

/** IPv4 addresses in notations that URL parsers accept, such as octal, short, percent-encoded and non-ASCII ones. */
const ipv4: readonly Row[] = [
  ...address("loopback", "127.0.0.1 127.0.0.1. 127.0.1.1 127.255.255.254 127.1 127.0.1 127.1. 2130706433"),
  ...address("loopback", "2130706433. 017700000001 0x7f000001 0X7F000001 0x7f.1 0x7F.0.0.1 0177.0.0.1"),
  ...address("loopback", "0177.0.0.01 00000177.0.0.1 127.0x0.0.1 0x7f.0.1 0x7f.0000.0x0.01 １２７.0.0.1"),
  ...address("loopback", "１２７．０．０．１ ①②⑦.⓪.⓪.① 127。0。0。1 127｡0｡0｡1 %31%32%37.0.0.1 127%2e0%2e0%2e1"),
  ...address("unspecified", "0.0.0.0 0 00 0x0 0x 0.0 0.0.0 0.0.0.0. 0.1.2.3 0.255.255.255"),
  ...address("private", "10.0.0.1 10.255.255.255 10.1 0xa000001 012.0.0.1 167772161 172.16.0.1"),
  ...address("private", "172.31.255.255 0xac.0x10.0.1 192.168.0.1 192.168.255.255 192.168.1 3232235777"),
  ...address("link-local", "169.254.169.254 169.254.170.2 169.254.0.1 2852039166 0xa9fea9fe"),
  ...address("link-local", "0251.0376.0251.0376 169.16689662"),
  ...address("carrier-grade NAT", "100.64.0.1 100.100.100.200 100.127.255.255"),
  ...address("multicast", "224.0.0.1 239.255.255.255"),
  ...address("broadcast", "255.255.255.255 4294967295 0xffffffff"),
  ...address("reserved", "240.0.0.1 255.255.255.254 192.0.0.1 192.0.0.9 192.0.0.170 192.0.0.192"),
  ...address("reserved", "192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1"),
  ...address("reserved", "198.19.255.255 198.51.100.1 203.0.113.1 203.0.113.255"),
  ...address("cloud platform", "168.63.129.16 0xa83f8110"),
];

const ipv6: readonly Row[] = [
  ...address("unspecified", "[::] [0:0:0:0:0:0:0:0] [::0.0.0.0]"),
  ...address("loopback", "[::1] [0:0:0:0:0:0:0:1] [::0:1] [::0.0.0.1] [0000::0001]"),
  ...address("IPv4-mapped", "[::ffff:127.0.0.1] [::FFFF:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0.0.0.0]"),
  ...address("IPv4-mapped", "[::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:8.8.8.8]"),
  ...address("IPv4-compatible", "[::127.0.0.1] [::7f00:1] [::10.0.0.1] [::a9fe:a9fe] [::8.8.8.8] [::2]"),
  ...address("IPv4-translated", "[::ffff:0:127.0.0.1] [::ffff:0:7f00:1]"),
  ...address("NAT64", "[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b::8.8.8.8]"),
  ...address("NAT64", "[64:ff9b:1::127.0.0.1] [64:ff9b:1:7f00:0:100::] [64:ff9b:1:ffff:ffff:ffff:ffff:ffff]"),
  ...address("6to4", "[2002:7f00:1::] [2002:7f00:1::1] [2002:a00:1::] [2002:a9fe:a9fe::] [2002:808:808::1]"),
  ...address("Teredo", "[2001::1] [2001:0:7f00:1::80ff:fffe] [2001:0:808:808::80ff:fffe]"),
  ...address("Teredo", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]"),
  ...address("ISATAP", "[2a00:1450:4001:80b:0:5efe:7f00:1] [2a00:1450:4001:80b:200:5efe:10.0.0.1]"),
  ...address("ISATAP", "[2a00:1450:4001:80b:0:5efe:8.8.8.8] [2a00:1450:4001:80b:300:5efe:a9fe:a9fe]"),
  ...address("link-local", "[fe80::1] [febf:ffff::1] [fe80::5efe:127.0.0.1]"),
  ...address("private", "[fc00::1] [fd00:ec2::254] [fd20:ce::254] [fdff:ffff::1] [fd00::5efe:7f00:1]"),
  ...address("multicast", "[ff02::1] [ff0e::1] [ff02::fb]"),
  ...address("reserved", "[fec0::1] [100::1] [100:0:0:1::1] [200::1] [400::1] [1000::1] [1fff:ffff::1]"),
  ...address("reserved", "[4000::1] [5f00::1] [6000::1] [8000::1] [a000::1] [c000::1] [e000::1] [f000::1]"),
  ...address("reserved", "[fe00::1] [2001:1::1] [2001:1::2] [2001:1::3] [2001:2::1] [2001:3::1]"),
  ...address("reserved", "[2001:4:112::1] [2001:10::1] [2001:20::1] [2001:30::1] [2001:1ff::1]"),
  ...address("reserved", "[2001:db8::1] [2620:4f:8000::1] [3fff::1] [3fff:fff::1]"),
];

const names: readonly Row[] = [
  ...internal("localhost", "localhost LOCALHOST localhost. a.localhost ｌocalhost loc%61lhost ⓛocalhost"),
  ...internal("localdomain", "localhost.localdomain"),
  ...internal("local", "printer.local kubernetes.default.svc.cluster.local shop.svc.cluster.local. cluster.local"),
  ...internal("svc", "kubernetes.default.svc registry.shop.svc KUBERNETES.DEFAULT.SVC."),
  ...internal("internal", "metadata.google.internal host.docker.internal ip-10-0-0-1.ec2.internal"),
  ...internal("internal", "instance-data.ec2.internal metadata.google.internal. metadata。google。internal"),
  ...internal("home.arpa", "router.home.arpa"),
  ...internal("lan", "router.lan"),
  ...internal("home", "router.home"),
  ...internal("corp", "erp.corp"),
  ...internal("intranet", "erp.intranet"),
  ...internal("private", "erp.private"),
  ...rows(
    `a host name without a domain; ${remedy}`,
    "metadata instance-data kubernetes registry ip6-localhost com erp.",
  ),
  ...rows(
    "a host name with a label that begins or ends with a hyphen",
    "-a.example.com a-.example.com a.-b.example.com example.com- example.-com - -a ＡＢ-.example.com",
  ),
  ...rows(
    "an invalid host name",
    `localhost.. a..b .example.com a$b.example.com a*.example.com ${"a".repeat(64)}.example.com`,
  ),
];

/** Hosts, as written in URLs, that a guard without exceptions refuses, each with the reported problem. */
export const refusedHosts: readonly Row[] = [...ipv4, ...ipv6, ...names];
