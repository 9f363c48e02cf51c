import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { DockerComposeEnvironment, Wait } from "testcontainers";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { createTemporaryFolder } from "../harness/files/temporary-folder.ts";

const deployFolder = fileURLToPath(new URL("../../deploy", import.meta.url));
const storyFile = fileURLToPath(new URL("compose.story.yaml", import.meta.url));
const startLimitMs = 300_000;
const storyLimitMs = 180_000;

/** The options of {@link startSystem}. */
interface SystemOptions {
  /** Whether to build the images first. */
  readonly build: boolean;
  /** Compose files in addition to the project's own. */
  readonly files: readonly string[];
}

/** The running containers; disposing of this object removes them with their volumes. */
export interface System extends AsyncDisposable {
  /** Waits until the `story` container exits, and returns its output. @throws Error with the output if it failed */
  storyLog(): Promise<readonly string[]>;
  /** Runs a script with Node in a service's container. @throws Error unless the script exits with 0 */
  evaluate(service: string, script: string): Promise<void>;
}

/**
 * Starts the containers, and waits until the `story` container logs its first result or an error.
 *
 * @throws Error if a container fails
 */
export async function startSystem({ build, files }: SystemOptions): Promise<System> {
  const folder = await createTemporaryFolder("story");
  await writeReceiverFiles(folder.path);
  const compose = ["compose.yaml", storyFile, ...files.map((file) => path.resolve(file))];
  const environment = new DockerComposeEnvironment(deployFolder, compose)
    .withEnvironment({ STORY_FOLDER: folder.path, EDGE_PORT: String(await freePort()) })
    .withStartupTimeout(startLimitMs);
  for (const once of ["replica-set-1", "certificates-1", "keys-1"])
    environment.withWaitStrategy(once, Wait.forOneShotStartup());
  // Waits for the first line of the story's log, or for an error; storyLog() waits until the container exits.
  environment.withWaitStrategy("story-1", Wait.forLogMessage(/issued|Error/));
  if (build) environment.withBuild();
  try {
    const started = await environment.up();
    return {
      async storyLog() {
        const id = started.getContainer("story-1").getId();
        const { stdout: exitCode } = await execa("docker", ["wait", id], { timeout: storyLimitMs });
        // The library's log stream never ends if the container has already exited.
        const { all } = await execa("docker", ["logs", id], { all: true });
        if (exitCode !== "0") throw new Error(`the story exited with ${exitCode}:\n${all}`);
        return all.split("\n");
      },
      async evaluate(service, script) {
        const { exitCode, output } = await started.getContainer(`${service}-1`).exec(["node", "--eval", script]);
        if (exitCode !== 0)
          throw new Error(`the script in the container of ${service} exited with ${exitCode}:\n${output}`);
      },
      async [Symbol.asyncDispose]() {
        await started.down({ removeVolumes: true });
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** Writes the certificate, key and authority of the story's receiver, where the containers' user can read them. */
async function writeReceiverFiles(folder: string): Promise<void> {
  const { caPem, certPem, keyPem } = await makeServerCertificate({ hostnames: ["story"], addresses: [] });
  await chmod(folder, 0o755);
  for (const [name, content] of Object.entries({ "ca.pem": caPem, "cert.pem": certPem, "key.pem": keyPem }))
    await writeFile(path.join(folder, name), content);
}
