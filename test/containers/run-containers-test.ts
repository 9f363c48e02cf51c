import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { z } from "zod";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { withTimeout } from "../harness/with-timeout.ts";
import { type System, startSystem } from "./system.ts";

const dockerWithinMs = 10_000;
const usage = `npm run test:containers -- [--build] [--file <compose file>]…

Starts the system of deploy/compose.yaml in containers, with mutual TLS, and runs a store's operator and webhook
receiver in another container. Needs Docker Engine with Compose and, without --build, the images of deploy/compose.yaml
that are tagged certificate-registry/<name>:0.1.0.
Variables such as MONGODB_IMAGE choose the other images; TESTCONTAINERS_RYUK_DISABLED=true is necessary where the
image of testcontainers' cleanup cannot be pulled. Exit code 2: Docker Engine or Compose cannot be used.

  --build        build the images first, with BUILD_IMAGE and RUNTIME_IMAGE
  --file <file>  a further Compose file, such as test/containers/compose.stand-in.yaml
`;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const services = ["registry", "edge", "notifier"] as const;

/** Runs the test. @returns the exit code: 0 if each step passed, 1 if one failed, 2 without Docker or Compose */
export async function runContainersTest(args: string[]): Promise<number> {
  const options = {
    build: { type: "boolean" },
    file: { type: "string", multiple: true },
    help: { type: "boolean" },
  } as const;
  const { build = false, file: files = [], help } = parseArgs({ args, options }).values;
  if (help) {
    print(usage);
    return 0;
  }
  const problem = await dockerProblem();
  if (problem !== undefined) {
    print(`not run: ${problem}`);
    return 2;
  }
  try {
    const startedAt = performance.now();
    await using system = await startSystem({ build, files });
    const lines = await system.storyLog();
    print(`ok      starts, and the story succeeds (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
    for (const line of lines) print(`        ${line}`);
    for (const [name, check] of checks) {
      try {
        await check(system);
      } catch (cause) {
        throw new Error(`${name}: ${messageOf(cause)}`, { cause });
      }
      print(`ok      ${name}`);
    }
    return 0;
  } catch (error) {
    print(`FAILED  ${messageOf(error)}`);
    return 1;
  }
}

const lockFile = z.object({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) });
const { packages } = lockFile.parse(
  JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")),
);
const testFolders = Object.keys(packages).filter((folder) => packages[folder]?.dev);

/** Restrictions of every service's container. Each script, run there, exits with 0 if the restriction is in force. */
const refusals = {
  "runs as user 65532": "process.exit(process.getuid() === 65532 ? 0 : 1)",
  "cannot write to its file system": "try { fs.writeFileSync('/app/x', '') } catch { process.exit(0) } process.exit(1)",
  "has neither a shell nor npm":
    "process.exit(['/bin/sh', '/bin/bash', '/usr/local/bin/npm', '/usr/bin/npm'].some(fs.existsSync) ? 1 : 0)",
  "has no package that only tests use": `
    const found = ${JSON.stringify(testFolders)}.filter((folder) => fs.existsSync("/app/" + folder));
    console.log(...found);
    process.exit(found.length > 0 ? 1 : 0)`,
};

const withoutCertificate = `
  const socket = tls.connect({ host: "registry", port: 9090, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  socket.on("error", ({ code }) => process.exit(/CERTIFICATE_REQUIRED/.test(code) ? 0 : 1));
  socket.on("close", () => process.exit(1)).resume();
`;

const checks: readonly (readonly [name: string, check: (system: System) => Promise<void>])[] = [
  ...services.flatMap((service) =>
    Object.entries(refusals).map(
      ([name, script]) => [`${service} ${name}`, (system: System) => system.evaluate(service, script)] as const,
    ),
  ),
  ["registry refuses a caller without a certificate", (system) => system.evaluate("edge", withoutCertificate)],
];

/** Returns why containers cannot be started here; undefined if they can. */
async function dockerProblem(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import("testcontainers");
  try {
    await withTimeout("the response from Docker Engine", dockerWithinMs, getContainerRuntimeClient());
  } catch (error) {
    return `Docker Engine does not respond or cannot be used: ${messageOf(error)}`;
  }
  const { failed } = await execa("docker", ["compose", "version"], { reject: false, timeout: dockerWithinMs });
  return failed ? "`docker compose` is not installed" : undefined;
}
