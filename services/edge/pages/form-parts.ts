import { type Html, html } from "./html.ts";

/** Renders the hint of an input. @param id of the input */
export function hint(id: string, text: string): Html {
  return html`<p class="hint" id="${id}-hint">${text}</p>`;
}

/** Renders an error above an input. @param id of the input */
export function mistake(id: string, text: string): Html {
  return html`<p class="mistake" id="${id}-mistake">${text}</p>`;
}

/** Returns the attributes that connect an input with its {@link hint} and its {@link mistake}, if it has them. */
export function described(id: string, hasHint: boolean, isMistaken: boolean): Html {
  const ids = [...(hasHint ? [`${id}-hint`] : []), ...(isMistaken ? [`${id}-mistake`] : [])].join(" ");
  return html`${ids && html` aria-describedby="${ids}"`}${isMistaken && html` aria-invalid="true"`}`;
}

/** Renders a form as it was sent, to send it again. @param submit label of its button */
export function sentAgain(entries: Iterable<readonly [name: string, value: string]>, submit: string): Html {
  return html`<form method="post">
${Array.from(entries, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="submit"><button class="primary" type="submit">${submit}</button></div>
</form>`;
}
