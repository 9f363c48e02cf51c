import { base, proxy, registry } from "./base-values.ts";

/** Values that the chart must refuse. */
interface RefusedValues {
  readonly name: string;
  readonly values: object;
  /** Part of the message, which names the value to change. */
  readonly message: string;
  /** Kinds of objects that the cluster has. Default: unknown, as without a cluster. */
  readonly kinds?: readonly string[];
}

export const refusedValues: readonly RefusedValues[] = [
  {
    name: "an egress proxy without peers",
    values: proxy("http://proxy:3128", []),
    message: "networkPolicy.egressProxy.to is required",
  },
  {
    name: "an egress proxy with another scheme",
    values: proxy("https://proxy:3128"),
    message: "notifier.config.egressProxy must be",
  },
  {
    name: "an egress proxy without a scheme",
    values: proxy("proxy:3128"),
    message: "notifier.config.egressProxy must",
  },
  {
    name: "a URL of platform keys with another scheme",
    values: registry({ platformJwksUrl: "http://platform.example/keys" }),
    message: "registry.config.platformJwksUrl must be",
  },
  {
    name: "a route without a Gateway",
    values: { ...base, gateway: { enabled: true } },
    message: "gateway.parentRefs is required",
  },
  { name: "two copies in JetStream", values: registry({ streamReplicas: 2 }), message: "streamReplicas" },
  { name: "a host with a scheme", values: { ...base, host: "https://c.example.com" }, message: "'/host'" },
  {
    name: "a certificate domain in upper case",
    values: { ...base, grpcTls: { domain: "Foo.Example" } },
    message: "'/grpcTls/domain'",
  },
  {
    name: "a network without a prefix length",
    values: { ...base, notifier: { config: { allowedNetworks: "10.1.0.0/16, 10.1.2.3" } } },
    message: "allowedNetworks",
  },
  {
    name: "a proxy network without a prefix length",
    values: { ...base, edge: { config: { trustedProxies: "10.1.2.3" } } },
    message: "trustedProxies",
  },
  { name: "a collector without a scheme", values: { ...base, tracing: { endpoint: "foo" } }, message: "endpoint" },
  {
    name: "a rollout that fails before a pod counts as available",
    values: { ...base, registry: { progressDeadlineSeconds: 5 } },
    message: "'/registry/progressDeadlineSeconds'",
  },
  {
    name: "more minimum than maximum pods",
    values: { ...base, edge: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
    message: "edge.autoscaling.minReplicas (5) exceeds edge.autoscaling.maxReplicas (2)",
  },
  {
    name: "another schedule of backups without the age from which the alert fires",
    values: { ...base, prometheusRule: { enabled: true }, backup: { enabled: true, schedule: "@daily" } },
    message: "backup.alertAgeSeconds is required with the schedule",
  },
  {
    name: "values of an earlier chart, which lack the defaults of services",
    values: { ...base, services: null },
    message: "--reset-then-reuse-values",
  },
  {
    name: "an excepted network without a prefix length",
    values: { ...base, networkPolicy: { internet: { exceptIPv4: ["10.0.0.0"] } } },
    message: "'/networkPolicy/internet/exceptIPv4/0'",
  },
  {
    name: "an excepted IPv6 network without a prefix length",
    values: { ...base, networkPolicy: { internet: { exceptIPv6: ["fc00::"] } } },
    message: "'/networkPolicy/internet/exceptIPv6/0'",
  },
  {
    name: "an additional variable that is a number",
    values: { ...base, edge: { extraEnv: [{ name: "LIMIT", value: 1 }] } },
    message: "'/edge/extraEnv/0/value'",
  },
  {
    name: "an additional container with the name of the service's",
    values: { ...base, edge: { extraContainers: [{ name: "edge", image: "proxy:1" }] } },
    message: "edge.extraContainers: edge is the name of an object of the chart",
  },
  {
    name: "an additional volume with the name of one of the chart's",
    values: { ...base, edge: { extraVolumes: [{ name: "keys", emptyDir: {} }] } },
    message: "edge.extraVolumes: keys is the name of an object of the chart",
  },
  {
    name: "an autoscaler without a maximum",
    values: { ...base, registry: { autoscaling: { maxReplicas: null } } },
    message: "'/registry/autoscaling/maxReplicas'",
  },
  {
    name: "Secrets with gRPC certificates for only some services",
    values: { ...base, grpcTls: { existingSecrets: { registry: "a", edge: "b" } } },
    message: "grpcTls.existingSecrets lacks notifier, operator",
  },
  { name: "images without a repository", values: { ...base, image: {} }, message: "image.repository is required" },
  { name: "a tag with a space", values: { ...base, edge: { image: { tag: "0.1 0" } } }, message: "'/edge/image/tag'" },
  {
    name: "a digest that is too short",
    values: { ...base, edge: { image: { digest: "sha256:1234" } } },
    message: "'/edge/image/digest'",
  },
  {
    name: "a pull Secret as a map",
    values: { ...base, image: { ...base.image, pullSecrets: [{ name: "pull" }] } },
    message: "'/image/pullSecrets/0'",
  },
  {
    name: "a connection string of another database",
    values: { ...base, mongodb: { uri: "postgres://db/registry" } },
    message: "'/mongodb/uri'",
  },
  {
    name: "NATS servers with another scheme",
    values: { ...base, nats: { servers: "nats://a:4222, http://b" } },
    message: "'/nats/servers'",
  },
  {
    name: "NATS servers with a password",
    values: { ...base, nats: { servers: "nats://user:secret@a:4222" } },
    message: "use registry.files.natsServersFile",
  },
  {
    name: "NATS servers of a service with another scheme",
    values: { ...base, notifier: { config: { natsServers: "http://a" } } },
    message: "'/notifier/config/natsServers'",
  },
  {
    name: "a base URL without a scheme",
    values: registry({ verifyBaseUrl: "foo" }),
    message: "'/registry/config/verifyBaseUrl'",
  },
  { name: "a port that other objects cannot name", values: registry({ port: 0 }), message: "'/registry/config/port'" },
  {
    name: "a port that does not exist",
    values: { ...base, networkPolicy: { mongodb: { port: 99_999 } } },
    message: "'/networkPolicy/mongodb/port'",
  },
  {
    name: "requests under another name",
    values: { ...base, edge: { resources: { request: { cpu: "1" } } } },
    message: "'/edge/resources'",
  },
  {
    name: "a quantity with an unknown unit",
    values: { ...base, edge: { resources: { requests: { memory: "1GB" } } } },
    message: "'/edge/resources/requests/memory'",
  },
  {
    name: "a schedule that is not a cron expression",
    values: { ...base, backup: { enabled: true, schedule: "hourly" } },
    message: "'/backup/schedule'",
  },
  {
    name: "a size with an unknown unit",
    values: { ...base, backup: { enabled: true, size: "10G1" } },
    message: "'/backup/size'",
  },
  { name: "a host that begins with a hyphen", values: { ...base, host: "-c.example.com" }, message: "'/host'" },
  { name: "a label with a number", values: { ...base, commonLabels: { team: 7 } }, message: "'/commonLabels/team'" },
  {
    name: "a label that selectors contain",
    values: { ...base, commonLabels: { "app.kubernetes.io/instance": "a" } },
    message: "'/commonLabels/app.kubernetes.io~1instance'",
  },
  {
    name: "a Secret with a number as its name",
    values: { ...base, edge: { cursorKeys: { existingSecret: 123 } } },
    message: "'/edge/cursorKeys/existingSecret'",
  },
  {
    name: "a disruption budget of 0 %",
    values: { ...base, services: { podDisruptionBudget: { maxUnavailable: "0%" } } },
    message: "maxUnavailable",
  },
  {
    name: "a variable that another value sets",
    values: { ...base, edge: { extraEnv: [{ name: "EDGE_REGISTRY_ADDRESS", value: "a" }] } },
    message: "edge.extraEnv: set edge.config.registryAddress instead of EDGE_REGISTRY_ADDRESS",
  },
  {
    name: "a login in the registry's own connection string",
    values: registry({ mongodbUri: "mongodb://user:secret@db/registry" }),
    message: "registry.config.mongodbUri contains a login",
  },
  {
    name: "a login in a service's own NATS servers",
    values: { ...base, notifier: { config: { natsServers: "nats://token@nats:4222" } } },
    message: "notifier.config.natsServers contains a login",
  },
  ...(
    [
      ["serviceMonitor.enabled", { serviceMonitor: { enabled: true } }],
      ["prometheusRule.enabled", { prometheusRule: { enabled: true } }],
      ["gateway.enabled", { gateway: { enabled: true, parentRefs: [{ name: "public" }] } }],
      ["certManager.enabled", { certManager: { enabled: true, issuerRef: { name: "a" } } }],
      ["grpcTls.certManager.enabled", { grpcTls: { certManager: { enabled: true, issuerRef: { name: "a" } } } }],
    ] as const
  ).map(([value, values]) => ({
    name: `${value} in a cluster without the kind`,
    values: { ...base, ...values },
    kinds: ["apps/v1/Deployment"],
    message: `${value} needs `,
  })),
  {
    name: "a tag beside a digest",
    values: { ...base, edge: { image: { tag: "old", digest: `sha256:${"0".repeat(64)}` } } },
    message: 'edge.image.digest excludes the tag old: unset the digest ("")',
  },
  {
    name: "a tag of all images beside a digest",
    values: {
      ...base,
      helmTest: { image: { digest: `sha256:${"0".repeat(64)}` } },
      image: { ...base.image, tag: "old" },
    },
    message: 'helmTest.image.digest excludes the tag old: unset the digest ("")',
  },
];
