/**
 * Prints the dashboard as an HTML page with data from a Prometheus server:
 * `node deploy/dashboards/preview/main.ts [Prometheus URL] [minutes] [installation] > dashboard.html`.
 */
import { previewPage } from "./preview-page.ts";

const [prometheus = "http://127.0.0.1:9090", minutes = "60", installation = ""] = process.argv.slice(2);
process.stdout.write(await previewPage({ prometheus, minutes: Number(minutes), installation }));
