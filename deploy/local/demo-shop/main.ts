import { runDemoProgram } from "../stack/run-demo-program.ts";
import { demoShopConfig } from "./config.ts";
import { startDemoShop } from "./run.ts";

runDemoProgram((print) => startDemoShop(demoShopConfig.load(process.env), print));
