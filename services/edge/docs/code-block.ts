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

/** A fenced code block: its text, and the options that follow the opening fence. */
export interface CodeBlock {
  readonly text: string;
  /** Such as `sh`; the empty string for plain text. */
  readonly language: string;
  /** Name of the file in which the reader saves the block. */
  readonly file: string | undefined;
  /** Title of the tab. Consecutive blocks with a tab are alternatives: the reader sees one at a time. */
  readonly tab: string | undefined;
}

/** Parses a code block. @param info the words after the opening fence, such as `js tab=Node file=receiver.mjs` */
export function parseCodeBlock(text: string, info = ""): CodeBlock {
  const [language = ""] = info.split(" ");
  const options = new Map(
    [...info.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name = "", quoted, word]) => [name, quoted ?? word]),
  );
  return { text, language, file: options.get("file"), tab: options.get("tab") };
}

const languageNames: Readonly<Record<string, string>> = {
  sh: "Shell",
  js: "JavaScript",
  json: "JSON",
  python: "Python",
  go: "Go",
  php: "PHP",
  http: "HTTP",
};

/** Renders a block with its file or language above it, and a button that copies it. */
export function renderCodeBlock({ text, language, file }: CodeBlock): Html {
  const label = file ?? languageNames[language] ?? "Text";
  // The page's script shows the button. The block is focusable, so that readers can scroll it with the keyboard.
  return html`<figure class="code">
<figcaption>${label}<button type="button" class="copy" data-copied="Copied" data-denied="Text selected" hidden>Copy</button></figcaption>
<pre tabindex="0"><code data-language="${language}">${highlight(text, language)}</code></pre>
</figure>`;
}

/** Renders alternatives as tabs, which work without a script. @param name unique within the page */
export function renderTabs(blocks: readonly CodeBlock[], name: string): Html {
  const tabs = blocks.map((block, index) => {
    const id = `${name}-${index + 1}`;
    return html`<input type="radio" name="${name}" id="${id}" ${index === 0 && html`checked`}>
<label for="${id}">${block.tab}</label>
${renderCodeBlock(block)}`;
  });
  return html`<div class="tabs" role="group" aria-label="Alternatives">${tabs}</div>`;
}

/** Returns code as HTML with a class for each kind of token, or without classes if the language is unknown. */
function highlight(code: string, language: string): Html {
  const grammar = Prism.languages[language];
  if (grammar === undefined) return html`${code}`;
  return html`${raw(Prism.highlight(code, grammar, language))}`;
}
