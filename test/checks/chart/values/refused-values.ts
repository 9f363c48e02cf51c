import { base, proxy, registry } from "./base-values.ts";

/**
 * A name, values that the chart must refuse in addition to {@link base}, a part of the message, which names the value
 * to change, and the kinds of objects that the cluster has. Default: unknown, as without a cluster.
 */
type RefusedValues = readonly [name: string, values: object, message: string, kinds?: readonly string[]];

export const refusedValues: readonly RefusedValues[] = [
  ["an egress proxy without peers", proxy("http://proxy:3128", []), "networkPolicy.egressProxy.to is required"],
  ["an egress proxy with another scheme", proxy("https://proxy:3128"), "notifier.config.egressProxy must be"],
  ["an egress proxy without a scheme", proxy("proxy:3128"), "notifier.config.egressProxy must"],
  [
    "a URL of platform keys with another scheme",
    registry({ platformJwksUrl: "http://platform.example/keys" }),
    "registry.config.platformJwksUrl must be",
  ],
  ["a route without a Gateway", { gateway: { enabled: true } }, "gateway.parentRefs is required"],
  ["two copies in JetStream", registry({ streamReplicas: 2 }), "streamReplicas"],
  ["a host with a scheme", { host: "https://c.example.com" }, "'/host'"],
  ["a certificate domain in upper case", { grpcTls: { domain: "Foo.Example" } }, "'/grpcTls/domain'"],
  [
    "a network without a prefix length",
    { notifier: { config: { allowedNetworks: "10.1.0.0/16, 10.1.2.3" } } },
    "allowedNetworks",
  ],
  ["a proxy network without a prefix length", { edge: { config: { trustedProxies: "10.1.2.3" } } }, "trustedProxies"],
  ["a collector without a scheme", { tracing: { endpoint: "foo" } }, "endpoint"],
  [
    "a rollout that fails before a pod counts as available",
    { registry: { progressDeadlineSeconds: 5 } },
    "'/registry/progressDeadlineSeconds'",
  ],
  [
    "more minimum than maximum pods",
    { edge: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
    "edge.autoscaling.minReplicas (5) exceeds edge.autoscaling.maxReplicas (2)",
  ],
  [
    "another schedule of backups without the age from which the alert fires",
    { prometheusRule: { enabled: true }, backup: { enabled: true, schedule: "@daily" } },
    "backup.alertAgeSeconds is required with the schedule",
  ],
  ["values of an earlier chart, which lack the defaults of services", { services: null }, "--reset-then-reuse-values"],
  [
    "an excepted network without a prefix length",
    { networkPolicy: { internet: { exceptIPv4: ["10.0.0.0"] } } },
    "'/networkPolicy/internet/exceptIPv4/0'",
  ],
  [
    "an excepted IPv6 network without a prefix length",
    { networkPolicy: { internet: { exceptIPv6: ["fc00::"] } } },
    "'/networkPolicy/internet/exceptIPv6/0'",
  ],
  [
    "an additional variable that is a number",
    { edge: { extraEnv: [{ name: "LIMIT", value: 1 }] } },
    "'/edge/extraEnv/0/value'",
  ],
  [
    "an additional container with the name of the service's",
    { edge: { extraContainers: [{ name: "edge", image: "proxy:1" }] } },
    "edge.extraContainers: edge is the name of an object of the chart",
  ],
  [
    "an additional volume with the name of one of the chart's",
    { edge: { extraVolumes: [{ name: "keys", emptyDir: {} }] } },
    "edge.extraVolumes: keys is the name of an object of the chart",
  ],
  [
    "an autoscaler without a maximum",
    { registry: { autoscaling: { maxReplicas: null } } },
    "'/registry/autoscaling/maxReplicas'",
  ],
  [
    "Secrets with gRPC certificates for only some services",
    { grpcTls: { existingSecrets: { registry: "a", edge: "b" } } },
    "grpcTls.existingSecrets lacks notifier, operator",
  ],
  ["images without a repository", { image: {} }, "image.repository is required"],
  ["a tag with a space", { edge: { image: { tag: "0.1 0" } } }, "'/edge/image/tag'"],
  ["a digest that is too short", { edge: { image: { digest: "sha256:1234" } } }, "'/edge/image/digest'"],
  ["a pull Secret as a map", { image: { ...base.image, pullSecrets: [{ name: "pull" }] } }, "'/image/pullSecrets/0'"],
  ["a connection string of another database", { mongodb: { uri: "postgres://db/registry" } }, "'/mongodb/uri'"],
  ["NATS servers with another scheme", { nats: { servers: "nats://a:4222, http://b" } }, "'/nats/servers'"],
  [
    "NATS servers with a password",
    { nats: { servers: "nats://user:secret@a:4222" } },
    "use registry.files.natsServersFile",
  ],
  [
    "NATS servers of a service with another scheme",
    { notifier: { config: { natsServers: "http://a" } } },
    "'/notifier/config/natsServers'",
  ],
  ["a base URL without a scheme", registry({ verifyBaseUrl: "foo" }), "'/registry/config/verifyBaseUrl'"],
  ["a port that other objects cannot name", registry({ port: 0 }), "'/registry/config/port'"],
  ["a port that does not exist", { networkPolicy: { mongodb: { port: 99_999 } } }, "'/networkPolicy/mongodb/port'"],
  ["requests under another name", { edge: { resources: { request: { cpu: "1" } } } }, "'/edge/resources'"],
  [
    "a quantity with an unknown unit",
    { edge: { resources: { requests: { memory: "1GB" } } } },
    "'/edge/resources/requests/memory'",
  ],
  ["a schedule that is not a cron expression", { backup: { enabled: true, schedule: "hourly" } }, "'/backup/schedule'"],
  ["a size with an unknown unit", { backup: { enabled: true, size: "10G1" } }, "'/backup/size'"],
  ["a host that begins with a hyphen", { host: "-c.example.com" }, "'/host'"],
  ["a label with a number", { commonLabels: { team: 7 } }, "'/commonLabels/team'"],
  [
    "a label that selectors contain",
    { commonLabels: { "app.kubernetes.io/instance": "a" } },
    "'/commonLabels/app.kubernetes.io~1instance'",
  ],
  [
    "a Secret with a number as its name",
    { edge: { cursorKeys: { existingSecret: 123 } } },
    "'/edge/cursorKeys/existingSecret'",
  ],
  ["a disruption budget of 0 %", { services: { podDisruptionBudget: { maxUnavailable: "0%" } } }, "maxUnavailable"],
  [
    "a variable that another value sets",
    { edge: { extraEnv: [{ name: "EDGE_REGISTRY_ADDRESS", value: "a" }] } },
    "edge.extraEnv: set edge.config.registryAddress instead of EDGE_REGISTRY_ADDRESS",
  ],
  [
    "a login in the registry's own connection string",
    registry({ mongodbUri: "mongodb://user:secret@db/registry" }),
    "registry.config.mongodbUri contains a login",
  ],
  [
    "a login in a service's own NATS servers",
    { notifier: { config: { natsServers: "nats://token@nats:4222" } } },
    "notifier.config.natsServers contains a login",
  ],
  ...(
    [
      ["serviceMonitor.enabled", { serviceMonitor: { enabled: true } }],
      ["prometheusRule.enabled", { prometheusRule: { enabled: true } }],
      ["gateway.enabled", { gateway: { enabled: true, parentRefs: [{ name: "public" }] } }],
      ["certManager.enabled", { certManager: { enabled: true, issuerRef: { name: "a" } } }],
      ["grpcTls.certManager.enabled", { grpcTls: { certManager: { enabled: true, issuerRef: { name: "a" } } } }],
    ] as const
  ).map(
    ([value, values]) =>
      [`${value} in a cluster without the kind`, values, `${value} needs `, ["apps/v1/Deployment"]] as const,
  ),
  [
    "a tag beside a digest",
    { edge: { image: { tag: "old", digest: `sha256:${"0".repeat(64)}` } } },
    'edge.image.digest excludes the tag old: unset the digest ("")',
  ],
  [
    "a tag of all images beside a digest",
    {
      helmTest: { image: { digest: `sha256:${"0".repeat(64)}` } },
      image: { ...base.image, tag: "old" },
    },
    'helmTest.image.digest excludes the tag old: unset the digest ("")',
  ],
];
