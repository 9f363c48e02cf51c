/** `npm run check:workflows`: checks the workflow files in .github/workflows with actionlint. */
import { runWorkflowCheck } from "./run-check.ts";

process.exitCode = await runWorkflowCheck();
