import { Marked, type Token, type Tokens } from "marked";
import { type Html, html, raw } from "../pages/html.ts";
import { type CodeBlock, parseCodeBlock, renderCodeBlock, renderTabs } from "./code-block.ts";

/**
 * Renders the Markdown of a page. The Markdown is trusted: HTML in it is not escaped. Highlights code, joins
 * alternatives into tabs, and gives each heading below the title an anchor.
 *
 * @param hrefOf returns the URL of a link's target
 * @returns the content, and the headings of the second level, each with the id of its anchor
 */
export function renderMarkdown(markdown: string, hrefOf: (target: string) => string) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        const id = anchorOf(text);
        return `<h${depth} id="${id}"><a href="#${id}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return String(html`<a href="${hrefOf(href)}">${raw(this.parser.parseInline(tokens))}</a>`);
      },
      code: (token) => String(renderCodeBlock(blockOf(token))),
    },
  });
  const tokens = marked.lexer(markdown);
  const parts: Html[] = [];
  let tabs: CodeBlock[] = [];
  const endTabs = () => {
    if (tabs.length > 0) parts.push(renderTabs(tabs, `tabs-${parts.length}`));
    tabs = [];
  };
  for (const token of tokens) {
    const block = isCode(token) ? blockOf(token) : undefined;
    if (block?.tab !== undefined) tabs.push(block);
    else if (token.type !== "space") {
      endTabs();
      const rendered = raw(marked.parser([token]));
      // Lets a wide table scroll instead of the page.
      parts.push(token.type === "table" ? html`<div class="table" tabindex="0">${rendered}</div>` : html`${rendered}`);
    }
  }
  endTabs();
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading" && token.depth === 2);
  return { content: html`${parts}`, sections: headings.map(({ text }) => ({ id: anchorOf(text), title: text })) };
}

const isCode = (token: Token): token is Tokens.Code => token.type === "code";
const blockOf = ({ text, lang }: Tokens.Code) => parseCodeBlock(text, lang);

/** Returns the id of a heading, derived as on GitHub, except that underscores are dropped and ids can repeat. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}
