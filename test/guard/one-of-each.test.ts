import { expect, test } from "vitest";
import { files, textOf } from "./repository.ts";

const production = files.filter(
  (file) => /^services\/(shared|registry|edge|notifier)\/.*\.ts$/.test(file) && !/(\.test|-fixture)\.ts$/.test(file),
);

/** Returns whether a module has a stop signal of its own and repeats work until that signal aborts. */
function hasOwnLoop(text: string): boolean {
  const stopSignals = [...text.matchAll(/\b#?stop\w* = new AbortController\(\)/g)];
  return stopSignals.length > 0 && /\b(while|for) \([^\n]*aborted/.test(text);
}

const loopModules = [
  "services/shared/lifecycle/loop.ts",
  // Retries what it was given until nothing is left, also while it stops.
  "services/shared/retry/retry-queue.ts",
];

test("work that repeats until it is stopped is a Loop", () => {
  expect(production.filter((file) => hasOwnLoop(textOf(file)))).toEqual(loopModules);
});

test("the guard recognizes a class with its own stop flag and loop", () => {
  const planted = `
export class Watcher {
  readonly #stopped = new AbortController();
  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) await this.#step();
  }
}`;
  expect(hasOwnLoop(planted)).toBe(true);
  expect(hasOwnLoop(planted.replace("while (!this.#stopped.signal.aborted)", "if (this.isDue)"))).toBe(false);
});

/** Returns whether a module computes when a lease ends: the start of every lease implementation. */
function computesLeaseEnd(text: string): boolean {
  const end = /\b(until|expiresAt|return)\b[^\n]*(new Date|addMs)\([^\n]*(#lifeMs|(lease|claim)(Life|Ttl)?Ms)/i;
  return end.test(text);
}

const leaseModules = [
  "services/registry/mongo/leases/lease-times.ts",
  // Events of triggers are leased in their queue, by the database's time that the claim reads.
  "services/registry/triggers/claim-trigger-deliveries.ts",
];

test("the end of a lease is computed in one place", () => {
  expect(production.filter((file) => computesLeaseEnd(textOf(file)))).toEqual(leaseModules);
});

test.each([
  "const until = new Date(this.#clock.now() + workLeaseMs);",
  "const until = new Date(now.getTime() + claimLifeMs);",
  "const expiresAt = toDate(addMs(now, leaseTtlMs));",
])("the guard recognizes the planted lease %o", (planted) => {
  expect(computesLeaseEnd(planted)).toBe(true);
});

const checkMains = files.filter((file) => /^test\/checks\/[^/]+\/main\.ts$/.test(file));

/** Checks that judge the output of other programs, and start no stack. */
const withoutStack = ["alerts", "audit", "chart", "newcomer", "workflows"].map((name) => `test/checks/${name}/main.ts`);

/** Returns whether the main file of a check only passes a definition to the runner. */
function isRunByRunner(file: string, text: string): boolean {
  const name = file.split("/").at(-2);
  const imports = `import { runCheck } from "../runner/check.ts";\nimport { ${name}Check } from "./check.ts";\n`;
  return text.endsWith(`*/\n${imports}\nawait runCheck(${name}Check);\n`);
}

/** Returns whether a module does the work of the runner: reads the command line, starts the stack or exits. */
function doesRunnersWork(text: string): boolean {
  return /\b(runProgram|commandLine)\(|process\.exit|from "[^"]*\bstart-stack\.ts";/.test(
    text.replaceAll(/import (?:type )?\{(?![^}]*\bstartStack\b)[^}]*\} from "[^"]*start-stack\.ts";/g, ""),
  );
}

test("every check with a stack is run by the one runner", () => {
  expect(checkMains.length).toBeGreaterThan(12);
  expect(checkMains.filter((file) => !isRunByRunner(file, textOf(file)))).toEqual(withoutStack);
  const modules = files.filter((file) => /^test\/checks\/[^/]+\/[^/]+(?<!\.test)\.ts$/.test(file));
  const others = modules.filter((file) => !withoutStack.some((main) => file.startsWith(main.replace("main.ts", ""))));
  expect(others.filter((file) => doesRunnersWork(textOf(file)))).toEqual(["test/checks/runner/check.ts"]);
});

test("the guard recognizes a second runner", () => {
  const main = textOf("test/checks/feed/main.ts");
  expect(isRunByRunner("test/checks/feed/main.ts", main.replace("await runCheck", "await runFeedCheck"))).toBe(false);
  expect(doesRunnersWork('import { type Stack, startStack } from "../../harness/stack/start-stack.ts";')).toBe(true);
  expect(doesRunnersWork("process.exit(await examine(stack));")).toBe(true);
  expect(doesRunnersWork('import { partOf, type Stack } from "../../harness/stack/start-stack.ts";')).toBe(false);
});
