/**
 * `npm run pack:client-python`: builds the wheel and the source archive of the Python client library into the folder
 * that the edge serves. `--release` builds those of a release, to be committed.
 */
import { parseArgs } from "node:util";
import { packPythonClient } from "./pack-python-client.ts";

const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
const log = (line: string) => void process.stderr.write(`${line}\n`);
const context = { env: process.env, log, signal: undefined };
const { wheel, source } = await packPythonClient({ isRelease: values.release }, context);
process.stdout.write(`${wheel}\n${source}\n`);
