import Prism from "prismjs";
import "prismjs/components/prism-bash.js";
import "prismjs/components/prism-go.js";
import "prismjs/components/prism-http.js";
import "prismjs/components/prism-json.js";
import "prismjs/components/prism-python.js";
// Required by the PHP grammar, because PHP is embedded in other text.
import "prismjs/components/prism-markup-templating.js";
import "prismjs/components/prism-php.js";
import { type Html, html, raw } from "../pages/html.ts";

/** Returns code as HTML with a class for each kind of token, or without classes if the language is unknown. */
export function highlight(code: string, language: string): Html {
  const grammar = Prism.languages[language];
  if (grammar === undefined) return html`${code}`;
  return html`${raw(Prism.highlight(code, grammar, language))}`;
}
