import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { logToStderr, runProgram } from "../../harness/program/run-program.ts";
import { callTree } from "./cpu-profile.ts";
import { flameGraph } from "./flame-graph.ts";
import { profileCommand } from "./options.ts";
import { profileText } from "./profile-text.ts";
import { recordPath } from "./record-path.ts";

/** Profiles the chosen paths, prints the text reports, and writes them and the flame graphs to the output folder. */
export const runProfile = () =>
  runProgram(profileCommand, async (options, signal) => {
    const folder = path.resolve(projectFolder, options.output);
    await mkdir(folder, { recursive: true });
    for (const name of options.paths) {
      for (const { service, profile, work } of await recordPath(name, options, signal, logToStderr)) {
        const root = callTree(profile);
        const title = `${name}: CPU time of the ${service}`;
        const text = profileText(title, root, work);
        await writeFile(path.join(folder, `${name}-${service}.txt`), text);
        await writeFile(path.join(folder, `${name}-${service}.svg`), flameGraph(title, root));
        process.stdout.write(`${text}\n`);
      }
    }
    return 0;
  });
