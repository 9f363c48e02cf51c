import { execa } from "execa";
import { chartFolder } from "../checks/chart/helm-chart.ts";

/** Name of the release that the test installs, and of its namespace. */
export const release = "cluster-test";
const names = `${release}-certificate-registry`;

/** Returns the label selector of a component's pods. */
export function selectorOf(component: string): string {
  return `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`;
}

/** Runs helm and kubectl against the cluster that KUBECONFIG selects, in the test's own namespace. */
export class Cluster {
  readonly #helm: string;
  readonly #valuesFiles: readonly string[];
  readonly #namespace: string;

  /** @param valuesFiles values files for every installation and upgrade; later files take precedence */
  constructor(helm: string, valuesFiles: readonly string[], namespace: string = release) {
    this.#helm = helm;
    this.#valuesFiles = valuesFiles;
    this.#namespace = namespace;
  }

  /** Returns the name that the chart gives the objects of a component. */
  static nameOf(component: string): string {
    return `${names}-${component}`;
  }

  /** Installs or upgrades the release and waits until it is ready. @throws Error when it does not become ready */
  async upgrade(...args: readonly string[]): Promise<void> {
    await this.upgradeObjects("--create-namespace", "--wait", "--timeout", "3m", ...args);
  }

  /** Installs or upgrades the release without waiting for pods. @throws Error when the API server refuses an object */
  async upgradeObjects(...args: readonly string[]): Promise<void> {
    const files = this.#valuesFiles.flatMap((file) => ["--values", file]);
    await this.helm("upgrade", "--install", release, chartFolder, ...files, ...args);
  }

  /** Creates the namespace before the installation, for objects that the chart refers to. */
  async createNamespace(): Promise<void> {
    await this.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: this.#namespace } });
  }

  /** Deletes the namespace with everything in it. @param args further arguments, such as `--wait=false` */
  async remove(...args: readonly string[]): Promise<void> {
    const command = ["delete", "namespace", this.#namespace, "--ignore-not-found", ...args];
    await execa("kubectl", command, { timeout: 300_000 });
  }

  async helm(...args: readonly string[]): Promise<string> {
    const { stdout } = await execa(this.#helm, ["--namespace", this.#namespace, ...args], { timeout: 300_000 });
    return stdout;
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout } = await execa("kubectl", ["--namespace", this.#namespace, ...args], { timeout: 300_000 });
    return stdout;
  }

  /** Creates or updates an object. */
  async apply(object: unknown): Promise<void> {
    const args = ["--namespace", this.#namespace, "apply", "--filename", "-"];
    await execa("kubectl", args, { input: JSON.stringify(object), timeout: 60_000 });
  }

  /** Returns the names of a component's ready pods. */
  async readyPods(component: string): Promise<readonly string[]> {
    const selector = selectorOf(component);
    const ready = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    const lines = (await this.kubectl("get", "pods", "--selector", selector, "--output", `jsonpath=${ready}`)).split(
      "\n",
    );
    return lines.filter((line) => line.endsWith(" True")).map((line) => line.slice(0, line.indexOf(" ")));
  }

  /** Reads the metrics of a pod through the API server. */
  metrics(pod: string, operationsPort: number): Promise<string> {
    return this.kubectl(
      "get",
      "--raw",
      `/api/v1/namespaces/${this.#namespace}/pods/${pod}:${operationsPort}/proxy/metrics`,
    );
  }

  /** Asks the API server to evict a pod. @returns whether the disruption budget allowed it */
  async evict(pod: string): Promise<boolean> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace: this.#namespace } };
    const path = `/api/v1/namespaces/${this.#namespace}/pods/${pod}/eviction`;
    const options = { input: JSON.stringify(eviction), reject: false, timeout: 60_000 } as const;
    const { exitCode, stderr } = await execa("kubectl", ["create", "--raw", path, "--filename", "-"], options);
    if (exitCode !== 0 && !stderr.includes("disruption budget")) throw new Error(stderr);
    return exitCode === 0;
  }
}
