import { execa } from "execa";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import type { BenchOptions } from "../options.ts";
import { type Finding, figuresOnly } from "./part.ts";

const counts = z.record(z.string(), z.unknown());

/**
 * Runs the overload check with measurements of `overloadSeconds` each. Returns the check's counts under their own
 * names, and `passed` as 1 or 0.
 *
 * @throws Error when the check prints no counts
 */
export async function measureOverload(
  { overloadSeconds, noBuild, keep }: Pick<BenchOptions, "overloadSeconds" | "noBuild" | "keep">,
  signal: AbortSignal,
): Promise<Record<string, Finding>> {
  const flags = [...(noBuild ? ["--no-build"] : []), ...(keep ? ["--keep"] : [])];
  const args = ["test/checks/overload/main.ts", "--seconds", String(overloadSeconds), ...flags];
  const { stdout, exitCode } = await execa(process.execPath, args, {
    cwd: projectFolder,
    stdin: "ignore",
    stderr: "inherit",
    reject: false,
    cancelSignal: signal,
  });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  const report = counts.parse(JSON.parse(last));
  const figures = Object.entries(report).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : []));
  const numbers = { passed: exitCode === 0 ? 1 : 0, ...Object.fromEntries(figures) };
  return { check: figuresOnly(`overload: counts of check:overload, ${overloadSeconds} s each`, numbers) };
}
