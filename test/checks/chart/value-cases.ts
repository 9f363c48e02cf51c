/** Values that the chart must refuse. */
export interface RefusedValues {
  readonly name: string;
  readonly values: object;
  /** Part of the message, which names the value to change. */
  readonly message: string;
}

/** Values with parts of what the chart must render from them. */
export interface RenderedValues {
  readonly name: string;
  readonly values: object;
  /** `<kind>/<component>`, such as `NetworkPolicy/notifier`, or `notes` for the notes of `helm install`. */
  readonly object: string;
  /** Parts of the object as JSON, or of the notes. */
  readonly contains: readonly string[];
  readonly lacks?: readonly string[];
}

const base = {
  host: "certificates.example.com",
  trial: { mongodb: { enabled: true }, nats: { enabled: true } },
};
const peers = [{ podSelector: { matchLabels: { app: "proxy" } } }];
const proxy = (egressProxy: string, to: readonly object[] = peers) => ({
  ...base,
  notifier: { config: { egressProxy } },
  networkPolicy: { egressProxy: { to } },
});
const registry = (config: object) => ({ ...base, registry: { config } });
const ingress = (tls: boolean) => ({ ...base, ingress: { enabled: true, tls: { enabled: tls } } });
const anyHost = '"cidr":"0.0.0.0/0"';

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
    name: "more minimum than maximum pods",
    values: { ...base, edge: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
    message: "edge.autoscaling.minReplicas (5) exceeds edge.autoscaling.maxReplicas (2)",
  },
  {
    name: "Secrets with gRPC certificates for only some services",
    values: { ...base, grpcTls: { existingSecrets: { registry: "a", edge: "b" } } },
    message: "grpcTls.existingSecrets lacks notifier, operator",
  },
];

export const renderedValues: readonly RenderedValues[] = [
  {
    name: "an egress proxy without a port is reached at port 80",
    values: proxy("http://proxy2"),
    object: "NetworkPolicy/notifier",
    contains: [`{"to":${JSON.stringify(peers)},"ports":[{"protocol":"TCP","port":80}]}`],
    lacks: [anyHost],
  },
  {
    name: "an egress proxy at an IPv6 address is reached at its port",
    values: proxy("http://[2001:db8::1]:3128/"),
    object: "NetworkPolicy/notifier",
    contains: ['"ports":[{"protocol":"TCP","port":3128}]'],
  },
  {
    name: "several networks with blanks are accepted",
    values: { ...base, notifier: { config: { allowedNetworks: "10.1.0.0/16, fd00:1::/64," } } },
    object: "NetworkPolicy/notifier",
    contains: ['{"cidr":"10.1.0.0/16"}', '{"cidr":"fd00:1::/64"}'],
  },
  {
    name: "on and off without quotation marks are booleans in YAML",
    values: registry({ automationEvents: true }),
    object: "Deployment/registry",
    contains: ['{"name":"REGISTRY_AUTOMATION_EVENTS","value":"on"}'],
  },
  {
    name: "the trial database uses the credentials of the image registry",
    values: { ...base, image: { pullSecrets: ["pull"] } },
    object: "StatefulSet/mongodb",
    contains: ['"imagePullSecrets":[{"name":"pull"}]'],
  },
  {
    name: "the trial NATS server uses the credentials of the image registry",
    values: { ...base, image: { pullSecrets: ["pull"] } },
    object: "StatefulSet/nats",
    contains: ['"imagePullSecrets":[{"name":"pull"}]'],
  },
  {
    name: "the start of the runbooks' links may lack its slash",
    values: { ...base, prometheusRule: { enabled: true, runbookBaseUrl: "https://runbooks.example" } },
    object: "PrometheusRule",
    contains: ['"runbook_url":"https://runbooks.example/services.md'],
  },
  {
    name: "the notes create an API key",
    values: base,
    object: "notes",
    contains: ["export API_KEY=$(npm run -s certctl -- key create --store shop.example", "port-forward deployment/"],
    lacks: ["CERTCTL_CERT_DOMAIN"],
  },
  {
    name: "the notes name the domain of the certificates",
    values: { ...base, grpcTls: { domain: "eu.internal" } },
    object: "notes",
    contains: ["export CERTCTL_CERT_DOMAIN=eu.internal"],
  },
  {
    name: "the notes forward the registry's port",
    values: registry({ port: 7090 }),
    object: "notes",
    contains: ["certificate-registry-registry 9090:7090 &", "CERTCTL_REGISTRY=127.0.0.1:9090"],
  },
  {
    name: "the notes use HTTPS",
    values: ingress(true),
    object: "notes",
    contains: ["https://certificates.example.com/v1/certificates"],
  },
  {
    name: "the notes use HTTP if the Ingress has no certificate",
    values: ingress(false),
    object: "notes",
    contains: ["http://certificates.example.com/v1/certificates"],
  },
];
