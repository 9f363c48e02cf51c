import { readdir, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

export const chartFolder = fileURLToPath(new URL("../../../charts/certificate-registry", import.meta.url));

/** The release name and namespace of all rendered objects. */
export const release = { name: "certificates", namespace: "certificates" } as const;

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

export type KubernetesObject = z.output<typeof object>;

/** Runs Helm on the chart. */
export class HelmChart {
  readonly #helm: string;
  readonly #signal: AbortSignal;

  constructor(helm: string, signal: AbortSignal) {
    this.#helm = helm;
    this.#signal = signal;
  }

  /** Runs `helm lint --strict`. @returns the problems; the empty string if there are none */
  async lint(valuesFile: string): Promise<string> {
    const result = await this.#run(["lint", "--strict", chartFolder, "--values", valuesFile]);
    return result.failed ? `${result.stdout}\n${result.stderr}` : "";
  }

  /**
   * Renders the chart's manifests.
   *
   * @param kinds kinds of objects that the cluster has, such as `apps/v1/Deployment`. Default: unknown
   * @param settings further values, as arguments of `--set`
   * @throws Error with Helm's message when the chart refuses the values
   */
  async render(valuesFile: string, kinds: readonly string[] = [], settings: readonly string[] = []): Promise<string> {
    const { failed, stdout, stderr } = await this.#run([
      ...["template", release.name, chartFolder, "--namespace", release.namespace, "--values", valuesFile],
      ...kinds.flatMap((kind) => ["--api-versions", kind]),
      ...settings.flatMap((setting) => ["--set", setting]),
    ]);
    if (failed) throw new Error(stderr);
    return stdout;
  }

  /**
   * Renders the chart with the given values.
   *
   * @param folder folder to which the values file is written
   * @param kinds as for {@link render}
   * @param settings as for {@link render}
   */
  async renderValues(
    values: unknown,
    folder: string,
    kinds: readonly string[] = [],
    settings: readonly string[] = [],
  ): Promise<readonly KubernetesObject[]> {
    return parseObjects(await this.render(await writeValues(values, folder), kinds, settings));
  }

  /** Returns the notes that `helm install` prints. @param folder folder to which the values file is written */
  async notes(values: unknown, folder: string): Promise<string> {
    const file = await writeValues(values, folder);
    const { failed, stdout, stderr } = await this.#run([
      ...["install", release.name, chartFolder, "--namespace", release.namespace, "--values", file, "--dry-run=client"],
    ]);
    if (failed) throw new Error(stderr);
    return stdout.slice(stdout.indexOf("\nNOTES:\n"));
  }

  // Without a kubeconfig, no command can reach a cluster.
  #run(args: readonly string[]) {
    const env = { KUBECONFIG: devNull };
    return execa(this.#helm, args, { env, reject: false, cancelSignal: this.#signal, timeout: 60_000 });
  }
}

async function writeValues(values: unknown, folder: string): Promise<string> {
  const file = path.join(folder, "values.json");
  await writeFile(file, JSON.stringify(values));
  return file;
}

/** Parses rendered manifests. @throws Error for an object without apiVersion, kind or name */
function parseObjects(manifests: string): readonly KubernetesObject[] {
  const documents = parseAllDocuments(manifests).map((document): unknown => document.toJS());
  return documents.filter((document) => document !== null).map((document) => object.parse(document));
}

/** Returns the paths of the values files in the chart's `ci` folder: the documented combinations of values. */
export async function valuesFiles(): Promise<readonly string[]> {
  const folder = path.join(chartFolder, "ci");
  return (await readdir(folder)).filter((name) => name.endsWith("-values.yaml")).map((name) => path.join(folder, name));
}
