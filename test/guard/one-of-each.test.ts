import { expect, test } from "vitest";
import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { files, tableRows, textOf } from "./repository.ts";

const production = files.filter(
  (file) =>
    /^services\/(shared|registry|edge|notifier|cli)\/.*\.ts$/.test(file) && !/(\.test|-fixture)\.ts$/.test(file),
);

/** Returns the modules that look like an implementation of something that there is one of. */
function modulesWith(looksLike: (text: string) => boolean): string[] {
  return production.filter((file) => looksLike(textOf(file)));
}

/** Returns whether a module repeats work until its own stop signal or flag ends it, or pauses in an endless loop. */
function hasOwnLoop(text: string): boolean {
  const stopSignal = /\b#?(stop|end)\w* = new AbortController\(\)/.test(text);
  const untilStopped = /\b(while|for) \([^\n]*(aborted|#(is)?(stop|clos)(ped|ping|ed|ing)\b)/i.test(text);
  const stopFlag = /#(is)?(stop|clos)(ped|ping|ed|ing) = (true|false)/i.test(text);
  const endless = [...text.matchAll(/^( *)(?:for \(;;\)|while \(true\)) \{\n([\s\S]*?)^\1\}/gm)];
  const untilSignal = endless.some(
    ([, , body = ""]) => /\bsleep\(/.test(body) && /aborted\) (return|break)/.test(body),
  );
  return ((stopSignal || stopFlag) && untilStopped) || untilSignal;
}

test("work that repeats until it is stopped is a Loop", () => {
  expect(modulesWith(hasOwnLoop)).toEqual(["services/shared/lifecycle/loop.ts"]);
});

const plantedLoop = `
export class Watcher {
  readonly #stopped = new AbortController();
  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) await this.#step();
  }
}`;

test.each([
  plantedLoop,
  plantedLoop.replace("new AbortController()", "false").replaceAll("ed.signal.aborted", "ed"),
  "async function watch() {\n  for (;;) {\n    await clock.sleep(1_000, stop);\n    if (stop.aborted) return;\n  }\n}\n",
])("the guard recognizes the planted loop %o", (planted) => {
  expect(hasOwnLoop(planted)).toBe(true);
  expect(hasOwnLoop(planted.replace(/(while|for) \([^\n]*?\) /, "if (this.isDue) "))).toBe(false);
});

/** Returns whether a module has a loop that pauses between attempts. */
function hasOwnRetry(text: string): boolean {
  const loops = [...text.matchAll(/^( *)(?:for|while|do) [^\n]*\{\n([\s\S]*?)^\1\}/gm)];
  return loops.some(([loop]) => /\bsleep\(/.test(loop) && /\bcatch\b|attempt|failures/i.test(loop));
}

test("failed calls are repeated by retryUntil", () => {
  expect(modulesWith(hasOwnRetry)).toEqual([
    // A step follows another one, also without a failure.
    "services/shared/lifecycle/loop.ts",
    "services/shared/retry/retry-until.ts",
  ]);
});

test.each([
  "async function send() {\n  for (let attempt = 1; ; attempt++) {\n    if (await post()) return;\n    await clock.sleep(500);\n  }\n}\n",
  "async function send() {\n  while (true) {\n    try {\n      return await post();\n    } catch {\n      await clock.sleep(500);\n    }\n  }\n}\n",
])("the guard recognizes the planted retry %o", (planted) => {
  expect(hasOwnRetry(planted)).toBe(true);
  expect(hasOwnRetry(planted.replace("sleep(500)", "settled"))).toBe(false);
});

/** Returns whether a module computes when a lease ends, or reads or writes the fields of a stored lease. */
function hasOwnLease(text: string): boolean {
  const life = String.raw`(#?lifeMs|\w*(lease|claim)(life|ttl)?Ms)\b`;
  const end = new RegExp(String.raw`(new Date|addMs|\$add|until:|expiresAt:)\W[^\n]*\b${life}`, "i");
  const field = /["$](lease|claim|worker)\.(until|token|holder)"/;
  return end.test(text) || field.test(text) || /\$(un)?set\b[^\n]*\blease\b/.test(text);
}

test("leases have one implementation", () => {
  expect(modulesWith(hasOwnLease)).toEqual(["services/registry/mongo/leases/mongo-leases.ts"]);
});

test.each([
  "const until = new Date(this.#clock.now() + workLeaseMs);",
  "const until = new Date(now.getTime() + claimLifeMs);",
  "const expiresAt = toDate(addMs(now, leaseTtlMs));",
  "const lease = { token, until: this.#clock.now() + this.#lifeMs };",
  'await things.updateOne({ _id, "lease.token": token }, done);',
  'await things.findOne({ "worker.until": { $lt: now } });',
  "await things.updateMany(due, { $set: { lease: { token, by } } });",
  'const ended = [{ $set: { state } }, { $unset: ["lease"] }];',
])("the guard recognizes the planted lease %o", (planted) => {
  expect(hasOwnLease(planted)).toBe(true);
});

/** Returns whether a module states who may call a method, beside the method's contract. */
function statesCallers(text: string): boolean {
  const method = /("[\w.]+\/[A-Z]\w+"|\.method\.\w+)\W+"(edge|merchant|notifier|operator)"/;
  return method.test(text) || /\b(callers|right):\s*\[?\s*"/.test(text);
}

test("who may call a method stands in its contract; only the methods of libraries are listed", () => {
  expect(modulesWith(statesCallers)).toEqual(["services/registry/rpc/method-access.ts"]);
  const readers = modulesWith((text) => text.includes("getOption("));
  // The settings learn from the contract which calls change something.
  const settings = "services/edge/registry-client/settings-client.ts";
  expect(readers).toEqual([settings, "services/registry/rpc/method-access.ts"]);
});

test.each([
  'const permitted = new Map([["registry.v1.StoreAdminService/CreateStore", ["operator"]]]);',
  'const permitted = [[LifecycleService.method.transfer, "edge", "operator"]];',
  'offer(StoreAdminService, handlers, { callers: ["edge"] });',
  'offer(StoreAdminService, handlers, { callers: [\n  "edge",\n  "operator",\n] });',
  'offer(StoreAdminService, handlers, { right: "stores" });',
])("the guard recognizes the planted list of callers %o", (planted) => {
  expect(statesCallers(planted)).toBe(true);
});

/** Returns whether a module reads from a call's metadata which store it concerns, or sets its scope. */
function resolvesScope(text: string): boolean {
  return /\.get\((?:storeHeader|sessionHeader|"registry-store"|"x-session")\)|\.set\(callScope\b/.test(text);
}

test("the store of a call is resolved in one place, and no request of a method for one store names a store", () => {
  expect(modulesWith(resolvesScope)).toEqual(["services/registry/rpc/resolve-scope.ts"]);
  const methods = registryServices.flatMap((service) => service.methods);
  const ofOneStore = methods.filter((method) => accessOf(method).scope === "one_store");
  expect(ofOneStore.length).toBeGreaterThan(50);
  const naming = ofOneStore.filter(({ input }) =>
    input.fields.some(({ name }) => /^(store|store_id|shop)$/.test(name)),
  );
  expect(naming.map(({ name }) => name)).toEqual([]);
});

test.each(["const store = header.get(storeHeader);", "context.values.set(callScope, { storeId: request.storeId });"])(
  "the guard recognizes the planted resolution %o",
  (planted) => {
    expect(resolvesScope(planted)).toBe(true);
  },
);

/** Returns whether a module decides that a list request is refused, or turns such a decision into the answer. */
function refusesListRequests(text: string): boolean {
  const decides = /(?<!readonly )\badmission(:| =) [^\n]*"(unknown_key|plan_required|rate_limited)"/;
  const answers = /\bAdmission\.(UNKNOWN_KEY|PLAN_REQUIRED|RATE_LIMITED)\b|new ServiceError\(\s*"plan_required"/;
  return decides.test(text) || answers.test(text);
}

test("list requests are refused by one decision in the registry and one in the edge", () => {
  expect(modulesWith(refusesListRequests)).toEqual([
    "services/edge/limits/admission-reply.ts",
    "services/edge/limits/admission.ts",
    "services/registry/mongo/admissions/mongo-admissions.ts",
  ]);
});

test.each([
  'if (isFull(window)) return { admission: "rate_limited", storeId, rateLimit };',
  'const admission = store.plan === "pro" ? "rate_limited" : "plan_required";',
  "if (response.admission === Admission.RATE_LIMITED) throw tooManyRequests(response);",
  'throw new ServiceError("plan_required", "Upgrade the plan.");',
])("the guard recognizes the planted refusal %o", (planted) => {
  expect(refusesListRequests(planted)).toBe(true);
});

const limits = "services/edge/limits";

/** Returns the modules in the edge's folder of limits that a module of it uses, directly or through each other. */
function limitsUsedBy(text: string, found = new Set<string>()): string[] {
  for (const [, name] of text.matchAll(/ from "\.\/([\w-]+\.ts)";/g)) {
    const file = `${limits}/${name}`;
    if (!found.has(file)) limitsUsedBy(textOf(file), found.add(file));
  }
  return [...found].toSorted();
}

test("the layers that refuse list requests are those of ARCHITECTURE's table", () => {
  const layers = tableRows("services/ARCHITECTURE.md", "Layer").map(([, where = ""]) => {
    const [service, name] = where.split(" ");
    return production.filter((file) => file.startsWith(`services/${service}/`) && file.endsWith(`/${name}.ts`));
  });
  expect(layers.map((found) => found.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  const ofEdge = layers.flat().filter((file) => file.startsWith(limits));
  // These count a layer's refusals, or write the answer.
  const others = ["admission-reply", "limit-load", "look-up-key"].map((name) => `${limits}/${name}.ts`);
  const admission = textOf(`${limits}/admission.ts`);
  expect(limitsUsedBy(admission)).toEqual([...ofEdge, ...others].toSorted());
  const planted = 'import { refuseIf } from "./refuse-if.ts";\n';
  expect(limitsUsedBy(planted + admission)).toContain(`${limits}/refuse-if.ts`);
});

test("only the probe of the server decides that reads outside of transactions see one point in time", () => {
  const readers = modulesWith((text) => text.includes("findSnapshotReader("));
  const definition = "services/registry/mongo/driver/read-snapshot.ts";
  expect(readers).toEqual([definition, "services/registry/mongo/opening/page-reads.ts"]);
});

test("every transaction that writes is recorded, so that other replicas end it if its replica is killed", () => {
  const transactions = modulesWith((text) => /\brunTransaction\(/.test(text));
  const unrecorded = transactions.filter((file) => !/\bonSession\b/.test(textOf(file)));
  // One only reads; the other runs before the first heartbeat, and rolls back.
  expect(unrecorded).toEqual([
    "services/registry/mongo/driver/read-snapshot.ts",
    "services/registry/mongo/opening/require-transactions.ts",
  ]);
  expect(transactions.length).toBeGreaterThan(unrecorded.length + 3);
});

/** Returns whether a module makes the active secret a previous one. */
function rotatesSecrets(text: string): boolean {
  return /\brole: "previous", secret: (\w+\.)?active\b|: (\w+\.)?active, until: /.test(text);
}

/** Returns whether a module opens stored secrets to seal them again with the newest key. */
function resealsSecrets(text: string): boolean {
  return /\.isNewest\(/.test(text) || /\bseal\([^\n]*\bopen\(/.test(text);
}

test("secrets are rotated by one model, and sealed with a new key by one loop", () => {
  expect(modulesWith(rotatesSecrets)).toEqual(["services/registry/secrets/rotate-secrets.ts"]);
  expect(modulesWith(resealsSecrets)).toEqual(["services/registry/mongo/stores/mongo-sealed-secrets.ts"]);
});

test("the guard recognizes a planted second rotation and a planted second loop that seals secrets", () => {
  const switched = 'return { active: other.secret, other: { role: "previous", secret: active } };';
  const replaced = "const replaced = { text: secrets.active, until: previousUntil };";
  expect([switched, replaced].map(rotatesSecrets)).toEqual([true, true]);
  const skipped = "if (allTexts(secrets).every((text) => box.isNewest(text))) return false;";
  const sealed = "const live = withTexts(secrets, (text) => this.#box.seal(this.#box.open(text, store), store));";
  expect([skipped, sealed].map(resealsSecrets)).toEqual([true, true]);
});

/** Returns whether a module that knows the collection of orders has an update that sets when something is due. */
function makesOrdersDue(text: string): boolean {
  return /\bstorefrontOrders?\b|StorefrontOrderDocument/i.test(text) && /\$(set|min): \{[^{}]*\bdueAt\b/.test(text);
}

test("what makes an order due is written in one place", () => {
  expect(modulesWith(makesOrdersDue)).toEqual(["services/registry/mongo/due-work/due-orders.ts"]);
});

test.each([
  "await storefrontOrders.updateMany({ store }, { $set: { dueAt: now }, $unset: { failure: 1 } });",
  "await collections.storefrontOrders.updateOne({ _id }, { $inc: { version: 1 }, $min: { dueAt } });",
])("the guard recognizes the planted due write %o", (planted) => {
  expect(makesOrdersDue(planted)).toBe(true);
  expect(makesOrdersDue(planted.replace("storefrontOrders", "storefrontMessages"))).toBe(false);
});

test("tests wait with expect.poll or eventually, which have patience with a busy machine: vi.waitFor has a second", () => {
  const impatient = /\bvi\.wait(For|Until)\(/;
  expect(impatient.test(["await vi", "waitFor(() => expect(received).toEqual([]));"].join("."))).toBe(true);
  expect(files.filter((file) => file.endsWith(".ts") && impatient.test(textOf(file)))).toEqual([]);
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

/** Returns whether a module has texts in another language than English, by letters that English does not have. */
function hasTranslations(text: string): boolean {
  return /(?![\p{ASCII}µ])\p{Letter}/u.test(text);
}

test("texts in other languages are in the files of the languages, which one module reads", () => {
  expect(production.filter((file) => hasTranslations(textOf(file)))).toEqual([]);
  const formats = /\bfrom "intl-messageformat"/;
  expect(production.filter((file) => formats.test(textOf(file)))).toEqual(["services/shared/texts/texts.ts"]);
});

test.each(['de: { saved: "Änderung gespeichert" },', 'if (language === "ja") return "保存しました";'])(
  "the guard recognizes the planted translation %o",
  (planted) => {
    expect(hasTranslations(planted)).toBe(true);
    expect(hasTranslations("270 µs of CPU time…")).toBe(false);
  },
);

/** Returns whether a module logs an id under a name that is not the id's own, such as `store` instead of `storeId`. */
function logsOtherNames(text: string): boolean {
  const fields = [...text.matchAll(/\blogger\.\w+\(\s*\{([^{}]*)\}/g)].map(([, inner = ""]) => inner);
  return fields.some((inner) => /\b(store|certificate|trigger)\s*(:|,|$)/.test(inner));
}

test("log lines name the ids of stores, certificates and triggers storeId, certificateId and triggerId", () => {
  expect(modulesWith(logsOtherNames)).toEqual([]);
});

test.each([
  ['logger.warn({ err, store: storeId }, "x");', true],
  ["logger.info(\n  { eventId, store, problem },", true],
  ["logger.error({ trigger })", true],
  ['logger.warn({ err, storeId, triggerId }, "a store");', false],
])("the guard judges the planted log line %j", (planted, isWrong) => {
  expect(logsOtherNames(planted)).toBe(isWrong);
});
