import type { Finding } from "./finding.ts";

/** A recommendation that the chart does not follow, with the reason. */
interface AcceptedFinding {
  /** Identifiers of the linters' checks that make the recommendation. */
  readonly checks: readonly string[];
  /** Matches the kind and name of each object, such as `Deployment/certificates-certificate-registry-edge`. */
  readonly objects: RegExp;
  readonly reason: string;
}

const everyPod = /^(Deployment|StatefulSet|Pod|CronJob)\//;
const trialServers = /^StatefulSet\//;
const testPod = /^Pod\/.*-test$/;

/** The accepted findings. The check fails if one no longer occurs, so that the list contains no obsolete entries. */
export const acceptedFindings: readonly AcceptedFinding[] = [
  {
    checks: ["container-resources", "CKV_K8S_11"],
    objects: everyPod,
    reason: "A CPU limit throttles a pod while cores are idle; under contention, CPU requests determine the shares.",
  },
  {
    checks: ["container-image-pull-policy", "CKV_K8S_15"],
    objects: everyPod,
    reason: "A tag is a version and never changes, so pods can start from the node's copy without the image registry.",
  },
  {
    checks: ["CKV_K8S_43"],
    objects: everyPod,
    reason: "Digests are known only after a build; values such as edge.image.digest set them.",
  },
  {
    checks: ["container-security-context-user-group-id", "CKV_K8S_40"],
    objects: /^StatefulSet\/.*-mongodb$/,
    reason: "The image of MongoDB has its own user, 999; the server is for trials only.",
  },
  {
    checks: ["CKV_K8S_8", "pod-probes"],
    objects: trialServers,
    reason: "A liveness probe on a database causes more outages than it ends; the server is for trials only.",
  },
  {
    checks: ["CKV_K8S_8", "CKV_K8S_9"],
    objects: testPod,
    reason: "The pod of helm test serves nothing and runs for seconds.",
  },
];

/** Returns whether the check and the object of a finding match an accepted finding. */
export function accepts({ checks, objects }: AcceptedFinding, { check, object }: Finding): boolean {
  return checks.includes(check) && objects.test(object);
}
