/** `npm run check:chart`: renders the chart and checks the objects; run-check.ts lists what is checked. */
import { runChartCheck } from "./run-check.ts";

process.exitCode = await runChartCheck();
