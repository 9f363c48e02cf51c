import { html as render } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** Escaped HTML: {@link html} inserts it unchanged. */
export type Html = HtmlEscapedString;

export { raw } from "hono/html";

/**
 * Renders a template. Interpolated strings and numbers are escaped, even in quoted attributes; `null`, `undefined`
 * and booleans render nothing; arrays render their elements.
 *
 * @throws TypeError for an interpolated promise: pages must await their data before they render
 */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  const rendered = render(strings, ...values);
  if (rendered instanceof Promise) throw new TypeError("a template contains a promise; await it before rendering");
  return rendered;
}

/** Renders text of unknown direction so that it cannot reorder the text around it; nothing for an empty string. */
export function isolated(text: string): Html {
  return text === "" ? html`` : html`<bdi>${text}</bdi>`;
}
