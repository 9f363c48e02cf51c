import { execa } from "execa";
import { z } from "zod";
import type { InstalledPython } from "../../../deploy/local/servers/python-packages.ts";
import type { Finding } from "./finding.ts";

const limitMs = 120_000;

const scores = z.array(
  z.object({
    object_meta: z.object({ name: z.string() }),
    type_meta: z.object({ kind: z.string() }),
    checks: z.array(
      z.object({
        check: z.object({ id: z.string() }),
        grade: z.number(),
        skipped: z.boolean(),
        comments: z.array(z.object({ path: z.string(), summary: z.string() })).nullable(),
      }),
    ),
  }),
);
// Grades of kube-score: 1 critical, 5 warning, 7 almost good, 10 good.
const goodGrade = 10;

/** Runs kube-score on a rendered manifest. @returns every check graded below good, except skipped ones */
export async function kubeScoreFindings(program: string, file: string, signal: AbortSignal): Promise<Finding[]> {
  const args = ["score", "--output-format", "json", file];
  const { stdout } = await execa(program, args, { reject: false, timeout: limitMs, cancelSignal: signal });
  return scores.parse(JSON.parse(stdout)).flatMap(({ object_meta: { name }, type_meta: { kind }, checks }) =>
    checks
      .filter(({ grade, skipped }) => grade < goodGrade && !skipped)
      .map(({ check, comments }) => ({
        check: check.id,
        object: `${kind}/${name}`,
        message: (comments ?? []).map(({ summary }) => summary).join("; "),
      })),
  );
}

const checkovReport = z.object({
  results: z.object({
    failed_checks: z.array(z.object({ check_id: z.string(), check_name: z.string(), resource: z.string() })),
  }),
  summary: z.object({ parsing_errors: z.int() }),
});

/** Returns checkov's findings for a folder of rendered manifests. @throws Error if checkov cannot parse a manifest */
export async function checkovFindings(
  linters: InstalledPython,
  folder: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const args = ["--framework", "kubernetes", "--skip-download", "--quiet", "--compact", "--output", "json"];
  const { stdout } = await execa(linters.command, ["-m", "checkov.main", ...args, "--directory", folder], {
    env: linters.env,
    reject: false,
    timeout: limitMs,
    cancelSignal: signal,
  });
  const { results, summary } = checkovReport.parse(JSON.parse(stdout));
  if (summary.parsing_errors > 0) throw new Error(`checkov could not parse ${summary.parsing_errors} manifests`);
  return results.failed_checks.map(({ check_id: check, check_name: message, resource }) => {
    // Format: <kind>.<namespace>.<name>. A graph check appends a space and the owner.
    const [kind = "", , ...name] = resource.split(" ")[0]?.split(".") ?? [];
    return { check, object: `${kind}/${name.join(".")}`, message };
  });
}

/** The Kubernetes version whose schemas the manifests must match. */
const kubernetesVersion = "1.35";
const missingSchema = "Couldn't find schema for kind ";
// Custom resources, whose schemas are not part of Kubernetes.
const customKinds = ["ServiceMonitor", "PrometheusRule", "Certificate", "HTTPRoute"];

/**
 * Validates a rendered manifest strictly. A kind without a schema is a problem unless it is one of `customKinds`.
 *
 * @returns the problems
 */
export async function invalidObjects(linters: InstalledPython, file: string, signal: AbortSignal): Promise<string[]> {
  const args = ["-m", "kubernetes_validate", "--kubernetes-version", kubernetesVersion, "--strict", file];
  const options = { env: linters.env, reject: false, all: true, timeout: limitMs, cancelSignal: signal } as const;
  const { all = "", exitCode } = await execa(linters.command, args, options);
  const lines = all.split("\n").filter((line) => line !== "" && !line.startsWith("INFO"));
  const known = (line: string) => customKinds.some((kind) => line.includes(`${missingSchema}${kind} `));
  const problems = lines.filter((line) => !known(line));
  return exitCode === 0 || problems.length > 0 ? problems : [`kubernetes-validate exited with ${exitCode}`];
}
