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
