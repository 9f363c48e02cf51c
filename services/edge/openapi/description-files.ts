import { jsonType } from "../http/error-document.ts";
import { docsFiles } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";
import type { StaticFile } from "./static-file.ts";

/** The API's description, by the path under which each part is served: for programs and for people. */
export function descriptionFiles(): ReadonlyMap<string, StaticFile> {
  const document = { bytes: Buffer.from(JSON.stringify(openApiDocument)), contentType: jsonType };
  return new Map([["/v1/openapi.json", document], ...docsFiles()]);
}
