import { runDemoProgram } from "../stack/run-demo-program.ts";
import { loadConfig } from "./config.ts";
import { startReceiver } from "./run.ts";

runDemoProgram((print) => startReceiver(loadConfig(process.env), print));
