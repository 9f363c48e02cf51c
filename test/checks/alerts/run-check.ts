import { copyFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { stringify } from "yaml";
import { z } from "zod";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { HelmChart } from "../chart/helm-chart.ts";
import { findGoProgram, promtool } from "../chart/tools/go-program.ts";
import { findHelm } from "../chart/tools/helm.ts";
import { base } from "../chart/values/base-values.ts";
import { ProblemReport } from "../runner/problem-report.ts";

const alertsFolder = fileURLToPath(new URL("../../../deploy/alerts", import.meta.url));
const installationsTest = fileURLToPath(new URL("two-installations.test.yaml", import.meta.url));
const prometheusRule = z.object({ spec: z.looseObject({ groups: z.array(z.unknown()) }) });

/**
 * Checks the rules of deploy/alerts with promtool: validates their syntax, runs their unit tests, and checks that, with
 * two installations of the chart in one cluster, the rules of each evaluate only its own metrics.
 *
 * @returns the exit code: 0 if there is no problem, otherwise 1
 */
export async function runAlertCheck(signal = AbortSignal.timeout(30 * 60_000)): Promise<number> {
  const report = new ProblemReport();
  const context = { env: process.env, log: report.print, signal };
  const program = await findGoProgram(promtool, context);
  const chart = new HelmChart(await findHelm(context), signal);
  await using closing = new AsyncDisposableStack();
  const { path: folder } = closing.use(await createTemporaryFolder("check-alerts"));
  const run = async (what: string, args: readonly string[]) => {
    const { failed, all } = await execa(program, args, { reject: false, all: true, cancelSignal: signal });
    report.add(what, failed ? [all] : []);
  };
  const filesIn = async (subfolder: string, end: string) =>
    (await readdir(path.join(alertsFolder, subfolder)))
      .filter((name) => name.endsWith(end))
      .map((name) => path.join(alertsFolder, subfolder, name));
  await run("syntax", ["check", "rules", "--lint-fatal", ...(await filesIn("", ".rules.yaml"))]);
  for (const file of await filesIn("tests", ".test.yaml")) await run(path.basename(file), ["test", "rules", file]);
  for (const name of ["first", "second"]) {
    const rules = await renderRules(chart, name, folder);
    await writeFile(path.join(folder, `${name}.rules.yaml`), rules);
  }
  const test = path.join(folder, path.basename(installationsTest));
  await copyFile(installationsTest, test);
  await run("rules of two installations in one cluster", ["test", "rules", test]);
  return report.end();
}

/** Returns the rules that the chart renders for the installation `name`, as the content of a Prometheus rules file. */
async function renderRules(chart: HelmChart, name: string, folder: string): Promise<string> {
  const values = {
    ...base,
    fullnameOverride: name,
    backup: { enabled: true },
    prometheusRule: { enabled: true, runbookBaseUrl: "https://runbooks.example.com/" },
  };
  const objects = await chart.renderValues(values, folder);
  const { groups } = prometheusRule.parse(objects.find(({ kind }) => kind === "PrometheusRule")).spec;
  return stringify({ groups }, { lineWidth: 0 });
}
