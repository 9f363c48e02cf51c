import { release } from "./helm-chart.ts";

/** A party to a connection: a pod with its labels, or an address outside the cluster. */
export interface Endpoint {
  readonly name: string;
  readonly ip: string;
  readonly pod?: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
}

interface Port {
  readonly number: number;
  /** Name of the container's port; the empty string if the port has no name. */
  readonly name: string;
  readonly protocol?: "TCP" | "UDP";
}

let lastAddress = 0;
const pod = (name: string, namespace: string, labels: Readonly<Record<string, string>> = {}): Endpoint => ({
  name,
  ip: `10.244.0.${++lastAddress}`,
  pod: { namespace, labels },
});
const component = (name: string) =>
  pod(name, release.namespace, {
    "app.kubernetes.io/name": "certificate-registry",
    "app.kubernetes.io/instance": release.name,
    "app.kubernetes.io/component": name,
  });
const port = (number: number, name = "", protocol: "TCP" | "UDP" = "TCP"): Port => ({ number, name, protocol });

/**
 * The pods of the chart, and the other parties to connections. The namespaces are the release's own, those in the
 * chart's values.yaml and in run-check.ts, and `default`, which no policy admits.
 */
export const endpoints: readonly Endpoint[] = [
  ...["edge", "registry", "notifier", "mongodb", "nats", "backup"].map(component),
  pod("ingress controller", "ingress-nginx"),
  pod("prometheus", "monitoring"),
  pod("operator", "operators"),
  pod("proxy", "egress", { app: "proxy" }),
  pod("collector", "tracing"),
  pod("platform", "platform"),
  pod("dns", "kube-system", { "k8s-app": "kube-dns" }),
  pod("pod in the same namespace", release.namespace),
  pod("pod in another namespace", "default"),
  { name: "internet", ip: "93.184.215.14" },
  { name: "internet (IPv6)", ip: "2606:2800:21f::1" },
  { name: "private network", ip: "10.99.0.1" },
  { name: "cloud metadata", ip: "169.254.169.254" },
];

/** The ports to try, by the name of the destination. */
export const portsOf: Readonly<Record<string, readonly Port[]>> = {
  edge: [port(8080, "http"), port(9080, "operations")],
  registry: [port(9090, "grpc"), port(9083, "api"), port(9082, "operations")],
  notifier: [port(9081, "operations")],
  mongodb: [port(27017, "mongodb")],
  nats: [port(4222, "nats"), port(8222, "monitoring")],
  dns: [port(53, "dns", "UDP"), port(53, "dns-tcp")],
  proxy: [port(3128)],
  collector: [port(4318)],
  platform: [port(8443)],
};

/** The ports to try on all other destinations. */
export const otherPorts: readonly Port[] = [port(443), port(8443)];

const dns = ["edge", "registry", "notifier", "mongodb", "nats", "backup"].flatMap((name) => [
  `${name} → dns:53/UDP`,
  `${name} → dns:53/TCP`,
]);
const traces = ["edge", "registry", "notifier"].map((name) => `${name} → collector:4318/TCP`);
const inside = [
  "ingress controller → edge:8080/TCP",
  "prometheus → edge:9080/TCP",
  "prometheus → registry:9082/TCP",
  "prometheus → notifier:9081/TCP",
  "edge → registry:9090/TCP",
  "notifier → registry:9090/TCP",
  "operator → registry:9090/TCP",
  "operator → registry:9083/TCP",
  "registry → mongodb:27017/TCP",
  "backup → mongodb:27017/TCP",
  "registry → nats:4222/TCP",
  "notifier → nats:4222/TCP",
  ...dns,
];
const toInternet = ["internet", "internet (IPv6)"].flatMap((name) => [
  `notifier → ${name}:443/TCP`,
  `notifier → ${name}:8443/TCP`,
]);

/** The connections that the policies must allow with each set of values in run-check.ts; they must deny all others. */
export const allowed = {
  direct: [...inside, ...toInternet],
  throughProxy: [...inside, "notifier → proxy:3128/TCP"],
  platformKeys: [
    ...inside,
    ...toInternet,
    ...["internet", "internet (IPv6)"].map((name) => `registry → ${name}:443/TCP`),
  ],
  ownPlatformKeys: [...inside, ...toInternet, "registry → platform:8443/TCP"],
  traced: [...inside, ...traces, "notifier → proxy:3128/TCP"],
} as const;
