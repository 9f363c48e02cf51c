import { runDemoProgram } from "../stack/run-demo-program.ts";
import { receiverConfig } from "./config.ts";
import { startReceiver } from "./run.ts";

runDemoProgram((print) => startReceiver(receiverConfig.load(process.env), print));
