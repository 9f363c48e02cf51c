import { runDemoProgram } from "../stack/run-demo-program.ts";
import { loadConfig } from "./config.ts";
import { startDemoShop } from "./run.ts";

runDemoProgram((print) => startDemoShop(loadConfig(process.env), print));
