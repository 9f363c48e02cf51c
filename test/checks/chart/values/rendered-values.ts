import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { releaseValues } from "../../../../deploy/chart/release-values.ts";
import { chartFolder } from "../helm-chart.ts";
import { base, ingress, peers, proxy, registry } from "./base-values.ts";

/** Values with parts of what the chart must render from them. */
export interface RenderedValues {
  readonly name: string;
  /** In addition to {@link base}. */
  readonly values: object;
  /** `<kind>/<component>`, such as `NetworkPolicy/notifier`, or `notes` for the notes of `helm install`. */
  readonly object: string;
  /** Parts of the object as JSON, or of the notes. */
  readonly contains: readonly string[];
  readonly lacks?: readonly string[];
}

const anyHost = '"cidr":"0.0.0.0/0"';

const digest = `sha256:${"0".repeat(64)}`;
const digests = new Map(["edge", "registry", "notifier", "certctl"].map((image) => [image, digest]));
const valuesFile = readFileSync(path.join(chartFolder, "values.yaml"), "utf8");
const release = { repository: "registry.example.com/released", digests, filesUrl: "https://git.example.com/v1" };
const released = z.looseObject({}).parse(parse(releaseValues(valuesFile, release)));

const withPassword = { mongodb: { uri: "mongodb://registry:pass-word@db/registry" }, backup: { enabled: true } };

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
    values: { notifier: { config: { allowedNetworks: "10.1.0.0/16, fd00:1::/64," } } },
    object: "NetworkPolicy/notifier",
    contains: ['{"cidr":"10.1.0.0/16"}', '{"cidr":"fd00:1::/64"}'],
  },
  {
    name: "the services listen on IPv6 addresses, whose colons remain text",
    values: registry({ host: "::" }),
    object: "Deployment/registry",
    contains: ['{"name":"REGISTRY_HOST","value":"::"}'],
  },
  {
    name: "on and off without quotation marks are booleans in YAML",
    values: registry({ automationEvents: true }),
    object: "Deployment/registry",
    contains: ['{"name":"REGISTRY_AUTOMATION_EVENTS","value":"on"}'],
  },
  {
    name: "the trial database uses the credentials of the image registry",
    values: { image: { ...base.image, pullSecrets: ["pull"] } },
    object: "StatefulSet/mongodb",
    contains: ['"imagePullSecrets":[{"name":"pull"}]'],
  },
  {
    name: "the trial NATS server uses the credentials of the image registry",
    values: { image: { ...base.image, pullSecrets: ["pull"] } },
    object: "StatefulSet/nats",
    contains: ['"imagePullSecrets":[{"name":"pull"}]'],
  },
  {
    name: "the start of the runbooks' links may lack its slash",
    values: { prometheusRule: { enabled: true, runbookBaseUrl: "https://runbooks.example" } },
    object: "PrometheusRule",
    contains: ['"runbook_url":"https://runbooks.example/services.md'],
  },
  {
    name: "the notes create an API key",
    values: {},
    object: "notes",
    contains: ["export API_KEY=$(npm run -s certctl -- key create --store shop.example", "port-forward deployment/"],
    lacks: ["CERTCTL_CERT_DOMAIN"],
  },
  {
    name: "the notes name the domain of the certificates",
    values: { grpcTls: { domain: "eu.internal" } },
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
  {
    name: "a service has the defaults of services and pods, under its own values",
    values: {
      pods: { nodeSelector: { pool: "all", disk: "ssd" }, podAnnotations: { team: "a" }, priorityClassName: "high" },
      services: { replicas: 3, podDisruptionBudget: { maxUnavailable: "25%" }, resources: { limits: { cpu: "2" } } },
      edge: { replicas: 0, nodeSelector: { pool: "edge" }, podLabels: { tier: "1" } },
    },
    object: "Deployment/edge",
    contains: [
      '"replicas":0',
      '"nodeSelector":{"disk":"ssd","pool":"edge"}',
      '"annotations":{"team":"a"}',
      '"tier":"1"',
      '"priorityClassName":"high"',
      '"limits":{"cpu":"2","ephemeral-storage":"256Mi","memory":"768Mi"}',
    ],
  },
  {
    name: "null removes a default of services and pods, and the number of pods",
    values: {
      pods: { nodeSelector: { pool: "all", disk: "ssd" }, affinity: { nodeAffinity: {} }, priorityClassName: "high" },
      edge: {
        replicas: null,
        resources: { limits: { memory: null }, requests: null },
        nodeSelector: { disk: null },
        affinity: null,
        podLabels: null,
        podAnnotations: null,
        priorityClassName: null,
        topologySpreadConstraints: null,
        nodeOptions: null,
        extraEnv: null,
        extraVolumes: null,
        extraVolumeMounts: null,
        extraContainers: null,
      },
    },
    object: "Deployment/edge",
    contains: ['"nodeSelector":{"pool":"all"}', '"resources":{"limits":{"ephemeral-storage":"256Mi"}}'],
    lacks: ["nodeAffinity", "priorityClassName", "requests", '"replicas"'],
  },
  {
    name: "pods spread over nodes, also of clusters without zones",
    values: {},
    object: "Deployment/edge",
    contains: ['"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway"', '"podAntiAffinity"'],
    // As a spread constraint, zones would end the spread over nodes that lack their label.
    lacks: ['"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable"'],
  },
  {
    name: "spread constraints of the values replace those over nodes and zones",
    values: { edge: { topologySpreadConstraints: [{ topologyKey: "rack" }], affinity: { nodeAffinity: {} } } },
    object: "Deployment/edge",
    contains: ['"topologySpreadConstraints":[{"topologyKey":"rack"}]', '"affinity":{"nodeAffinity":{}}'],
    lacks: ["podAntiAffinity", "kubernetes.io/hostname"],
  },
  {
    name: "null removes the NATS servers of another values file",
    values: { nats: { servers: null } },
    object: "Deployment/notifier",
    contains: ['"value":"nats://'],
  },
  {
    name: "null removes the registry's own limits too, in place of lowering them to those of services",
    values: { registry: { resources: { limits: null } } },
    object: "Deployment/registry",
    contains: ['"resources":{"requests":{"cpu":"250m","ephemeral-storage":"64Mi","memory":"256Mi"}}'],
  },
  {
    name: "a rollout of the registry may take longer than one of the other services",
    values: { registry: { progressDeadlineSeconds: 7200 } },
    object: "Deployment/registry",
    contains: ['"progressDeadlineSeconds":7200'],
  },
  {
    name: "the registry has more memory than the other services",
    values: {},
    object: "Deployment/registry",
    contains: ['"limits":{"ephemeral-storage":"256Mi","memory":"1Gi"}'],
  },
  {
    name: "the registry has fewer pods at most",
    values: { registry: { autoscaling: { enabled: true } } },
    object: "HorizontalPodAutoscaler/registry",
    contains: ['"maxReplicas":6'],
  },
  {
    name: "a service may switch a default off",
    values: { edge: { podDisruptionBudget: { enabled: false } } },
    object: "PodDisruptionBudget/edge",
    contains: ["{}"],
  },
  {
    name: "a disruption budget may be a percentage",
    values: { services: { podDisruptionBudget: { maxUnavailable: "25%" } } },
    object: "PodDisruptionBudget/registry",
    contains: ['"maxUnavailable":"25%"'],
  },
  ...(["CronJob/backup", "Pod/test", "StatefulSet/mongodb", "StatefulSet/nats"] as const).map((object) => ({
    name: `${object} runs on the nodes of all pods`,
    values: {
      backup: { enabled: true },
      pods: { nodeSelector: { pool: "all" }, tolerations: [{ operator: "Exists" }], priorityClassName: "high" },
    },
    object,
    contains: ['"nodeSelector":{"pool":"all"}', '"tolerations":[{"operator":"Exists"}]', '"priorityClassName":"high"'],
  })),
  {
    name: "a quantity may have an exponent",
    values: { edge: { resources: { limits: { memory: "1e9" } } } },
    object: "Deployment/edge",
    contains: ['"memory":"1e9"'],
  },
  {
    name: "a backup may run on other nodes",
    values: { backup: { enabled: true, nodeSelector: { pool: "backup" } } },
    object: "CronJob/backup",
    contains: ['"nodeSelector":{"pool":"backup"}'],
  },
  {
    name: "a pod has additional variables, volumes and containers",
    values: {
      edge: {
        extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/extra/ca.pem" }],
        extraVolumes: [{ name: "extra", emptyDir: {} }],
        extraVolumeMounts: [{ name: "extra", mountPath: "/extra" }],
        extraContainers: [{ name: "proxy", image: "proxy:1" }],
        extraInitContainers: [{ name: "agent", image: "agent:1", restartPolicy: "Always" }],
      },
    },
    object: "Deployment/edge",
    contains: [
      '{"name":"NODE_EXTRA_CA_CERTS","value":"/extra/ca.pem"}',
      '{"emptyDir":{},"name":"extra"}',
      '{"mountPath":"/extra","name":"extra"}',
      '{"image":"proxy:1","name":"proxy"}',
      '"initContainers":[{"image":"agent:1","name":"agent","restartPolicy":"Always"}]',
    ],
  },
  {
    name: "ServiceAccounts have annotations",
    values: { registry: { serviceAccount: { annotations: { role: "registry" } } } },
    object: "ServiceAccount/registry",
    contains: ['"annotations":{"role":"registry"}'],
  },
  {
    name: "Services have annotations",
    values: { edge: { service: { annotations: { scheme: "internal" } } } },
    object: "Service/edge",
    contains: ['"annotations":{"scheme":"internal"}'],
  },
  {
    name: "an autoscaler has a behaviour",
    values: { edge: { autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } } } },
    object: "HorizontalPodAutoscaler/edge",
    contains: ['"behavior":{"scaleDown":{"stabilizationWindowSeconds":600}}'],
  },
  {
    name: "an image may have a repository of its own",
    values: { registry: { image: { repository: "mirror.example.com:5000/registry", tag: "1" } } },
    object: "Deployment/registry",
    contains: ['"image":"mirror.example.com:5000/registry:1"'],
  },
  {
    name: "the chart of a release runs its images by their digests, helm test included",
    values: { ...released, host: base.host, trial: base.trial },
    object: "Pod/test",
    contains: [`"image":"registry.example.com/released/certctl@${digest}"`],
  },
  {
    name: "names that consist of digits remain texts",
    values: { edge: { cursorKeys: { existingSecret: "123" } }, commonLabels: { team: "7" } },
    object: "Deployment/edge",
    contains: ['"secretName":"123"', '"team":"7"'],
  },
  {
    name: "the volume of a trial server ends with the server if it is not to be kept",
    values: { trial: { ...base.trial, keepVolumes: false } },
    object: "StatefulSet/mongodb",
    contains: ['"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete","whenScaled":"Retain"}'],
  },
  {
    name: "the registry reads a connection string with a password from a file",
    values: withPassword,
    object: "Deployment/registry",
    contains: ['"name":"REGISTRY_MONGODB_URI_FILE"', '"name":"certificates-certificate-registry-mongodb-uri"'],
    // A hash would let everyone who may read pods test passwords.
    lacks: ["pass-word", '"name":"REGISTRY_MONGODB_URI"', "annotations"],
  },
  {
    name: "the backup reads a connection string with a password from a file",
    values: withPassword,
    object: "CronJob/backup",
    contains: ['"name":"REGISTRY_MONGODB_URI_FILE"', '"name":"certificates-certificate-registry-mongodb-uri"'],
    lacks: ["pass-word"],
  },
  {
    name: "a connection string with a password is in a Secret",
    values: withPassword,
    object: "Secret/mongodb-uri",
    contains: [Buffer.from(withPassword.mongodb.uri).toString("base64")],
  },
  {
    name: "a Secret of one's own takes the place of the connection string",
    values: { ...withPassword, mongodb: { ...withPassword.mongodb, uriSecret: { name: "own" } } },
    object: "Secret/mongodb-uri",
    contains: ["{}"],
  },
  {
    name: "the gRPC port with TLS is not announced as plaintext HTTP/2",
    values: {},
    object: "Service/registry",
    contains: ['"appProtocol":"https"'],
    lacks: ["h2c"],
  },
  {
    name: "the gRPC port without TLS is announced as plaintext HTTP/2",
    values: { grpcTls: { enabled: false } },
    object: "Service/registry",
    contains: ['"appProtocol":"kubernetes.io/h2c"'],
  },
  {
    name: "cert-manager writes to other Secrets than the generated ones, which are immutable",
    values: { grpcTls: { certManager: { enabled: true, issuerRef: { name: "a" } } } },
    object: "Deployment/edge",
    contains: ['"name":"certificates-certificate-registry-grpc-edge-issued"'],
  },
  {
    name: "the notes number their steps without a gap",
    values: { helmTest: { enabled: false } },
    object: "notes",
    contains: ["\n1. Wait", "\n2. Administer", "\n3. Create"],
  },
  {
    name: "the notes say how to delete the data of the trial servers",
    values: {},
    object: "notes",
    contains: ["\n4. Create", "delete pvc -l 'app.kubernetes.io/instance=certificates,"],
  },
  {
    name: "a backup that hangs is ended",
    values: { backup: { enabled: true, activeDeadlineSeconds: 900 } },
    object: "CronJob/backup",
    contains: ['"activeDeadlineSeconds":900'],
  },
  {
    name: "an alert watches the age of the newest backup of this installation",
    values: {
      prometheusRule: { enabled: true },
      backup: { enabled: true, schedule: "@daily", alertAgeSeconds: 90_000 },
    },
    object: "PrometheusRule",
    contains: [
      String.raw`absent(kube_cronjob_created{namespace=\"certificates\",`,
      String.raw`namespace=\"certificates\",cronjob=\"certificates-certificate-registry-backup\"`,
      ') > 90000"',
    ],
  },
  {
    name: "an alert fires when no hourly backup has succeeded for three hours",
    values: { prometheusRule: { enabled: true }, backup: { enabled: true } },
    object: "PrometheusRule",
    contains: [') > 10800"'],
  },
  {
    name: "without a CronJob, no alert watches backups",
    values: { prometheusRule: { enabled: true } },
    object: "PrometheusRule",
    contains: ["ServiceNotScraped"],
    lacks: ["BackupTooOld", "BackupNotWatched"],
  },
  {
    name: "without a cluster, the number of pods is left to the autoscaler",
    values: { edge: { autoscaling: { enabled: true } } },
    object: "Deployment/edge",
    contains: ['"revisionHistoryLimit"'],
    lacks: ['"replicas"'],
  },
];
