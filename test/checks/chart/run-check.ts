import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { ProblemReport } from "../runner/problem-report.ts";
import { acceptedFindings, accepts } from "./accepted-findings.ts";
import { wronglyAccepted, wronglyRendered } from "./check-values.ts";
import { allowed } from "./connections.ts";
import { wrongCommands } from "./documented-commands.ts";
import type { Finding } from "./finding.ts";
import { chartFolder, HelmChart, valuesFiles } from "./helm-chart.ts";
import { checkovFindings, invalidObjects, kubeScoreFindings } from "./linters.ts";
import { allowedConnections } from "./network-policies.ts";
import { cyclonus, findGoProgram, kubeScore } from "./tools/go-program.ts";
import { findHelm } from "./tools/helm.ts";
import { findPythonLinters } from "./tools/python-linters.ts";
import { base } from "./values/base-values.ts";
import { missingVariables } from "./variables.ts";

const operators = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "operators" } } }];
const egress = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "egress" } } }];
const trial = {
  ...base,
  backup: { enabled: true },
  networkPolicy: { operators },
};
const withProxy = {
  ...trial,
  notifier: { config: { egressProxy: "http://proxy:3128" } },
  networkPolicy: { operators, egressProxy: { to: egress } },
};

const traced = {
  ...withProxy,
  tracing: { endpoint: "http://collector.tracing.svc:4318" },
  networkPolicy: {
    ...withProxy.networkPolicy,
    collector: { to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "tracing" } } }] },
  },
};

const withPlatform = { ...trial, registry: { config: { platformJwksUrl: "https://platform.example/keys" } } };
const withOwnPlatform = {
  ...trial,
  registry: { config: { platformJwksUrl: "https://platform.platform.svc:8443/keys" } },
  networkPolicy: {
    operators,
    platformKeys: { to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "platform" } } }] },
  },
};

/**
 * Checks the chart without a cluster. Every documented combination of values must pass lint, strict validation,
 * kube-score and checkov, apart from the accepted findings, each of which must still occur. The NetworkPolicies must
 * allow the expected connections and no others, a chart value must exist for every variable of the services, the cases
 * of refused-values.ts and rendered-values.ts must be refused or rendered as expected, the commands in the documents
 * must fit the chart, and two renderings may differ only in Secrets.
 *
 * @returns the exit code: 0 if there is no problem, otherwise 1
 */
export async function runChartCheck(signal = AbortSignal.timeout(45 * 60_000)): Promise<number> {
  const report = new ProblemReport();
  const context = { env: process.env, log: report.print, signal };
  const helm = await findHelm(context);
  const linters = await findPythonLinters(context);
  const score = await findGoProgram(kubeScore, context);
  const policies = await findGoProgram(cyclonus, context);
  const chart = new HelmChart(helm, signal);
  await using closing = new AsyncDisposableStack();
  const { path: folder } = closing.use(await createTemporaryFolder("check-chart"));
  const subfolder = (name: string) => mkdtemp(path.join(folder, `${name}-`));
  const findings: Finding[] = [];
  const manifests = await subfolder("manifests");
  for (const file of await valuesFiles()) {
    const name = path.relative(chartFolder, file);
    const lint = await chart.lint(file);
    report.add(`${name}: helm lint --strict`, lint === "" ? [] : [lint]);
    const manifest = path.join(manifests, path.basename(file));
    await writeFile(manifest, await chart.render(file));
    report.add(`${name}: valid objects`, await invalidObjects(linters, manifest, signal));
    findings.push(...(await kubeScoreFindings(score, manifest, signal)));
  }
  findings.push(...(await checkovFindings(linters, manifests, signal)));
  report.add("kube-score and checkov: every finding is accepted with a reason", unexplained(findings));
  report.add("kube-score and checkov: every accepted finding occurs", outlived(findings));
  for (const [name, values] of [
    ["direct", trial],
    ["throughProxy", withProxy],
    ["traced", traced],
    ["platformKeys", withPlatform],
    ["ownPlatformKeys", withOwnPlatform],
  ] as const) {
    const objects = await chart.renderValues(values, await subfolder(name));
    const found = await allowedConnections(policies, objects, await subfolder(name), signal);
    report.add(`network policies (${name}): ${found.length} connections allowed`, difference(allowed[name], found));
  }
  report.add(
    "every variable has a value that sets it",
    await missingVariables(chart, withProxy, await subfolder("values")),
  );
  report.add("unusable values are refused", await wronglyAccepted(chart, await subfolder("refused")));
  report.add("values have their effect", await wronglyRendered(chart, await subfolder("rendered")));
  report.add("the chart has what documents name", await wrongCommands(chart, await subfolder("documented")));
  report.add("two renderings differ only in generated keys", await unstableObjects(chart, await subfolder("stable")));
  return report.end();
}

function unexplained(findings: readonly Finding[]): readonly string[] {
  const open = findings.filter((finding) => !acceptedFindings.some((accepted) => accepts(accepted, finding)));
  return [...new Set(open.map(({ check, object, message }) => `${check} ${object}: ${message}`))];
}

function outlived(findings: readonly Finding[]): readonly string[] {
  return acceptedFindings
    .filter((accepted) => !findings.some((finding) => accepts(accepted, finding)))
    .map(({ checks, reason }) => `remove ${checks.join(", ")} (${reason})`);
}

function difference(expected: readonly string[], found: readonly string[]): readonly string[] {
  return [
    ...expected.filter((connection) => !found.includes(connection)).map((connection) => `denied: ${connection}`),
    ...found.filter((connection) => !expected.includes(connection)).map((connection) => `allowed: ${connection}`),
  ];
}

async function unstableObjects(chart: HelmChart, folder: string): Promise<readonly string[]> {
  const [first, second] = [await chart.renderValues(trial, folder), await chart.renderValues(trial, folder)];
  return first
    .filter(({ kind }, index) => kind !== "Secret" && JSON.stringify(first[index]) !== JSON.stringify(second[index]))
    .map(({ kind, metadata: { name } }) => `${kind}/${name}`);
}
