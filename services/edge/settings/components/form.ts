import { randomBytes } from "node:crypto";
import { described, hint, mistake } from "../../pages/form-parts.ts";
import { type Html, html } from "../../pages/html.ts";
import type { Visit } from "../model/settings-page.ts";
import { shownPrefix } from "./changed-entries.ts";
import { disclosure } from "./content.ts";
import { confirmationOf, confirmedName, fieldId } from "./form-entries.ts";

/** Returns an idempotency key for a form, so that a form that is sent twice takes effect once. */
function newFormNonce(): string {
  return randomBytes(16).toString("base64url");
}

interface TextInput {
  readonly name: string;
  readonly label: string;
  /** Labels of which the page shows the one for the chosen kind, by the kind; `label` then only stands in messages. */
  readonly kinds?: Readonly<Record<string, Html | string>>;
  readonly hint?: string | undefined;
  /** The initial value; a refused form shows the submitted entry instead. Default: empty. */
  readonly value?: string;
  readonly type?: "text" | "email" | "url" | "date" | "search";
  readonly charactersMax?: number;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
  /** Whether the text is code or an address, whose direction is left to right in every language. */
  readonly isCode?: boolean;
  /** Further attributes, such as `data-` attributes for the script. */
  readonly attributes?: Html;
}

interface Choice<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    /** Shown beside the label, such as an example. */
    readonly detail?: string | Html | undefined;
  }[];
}

/** Check boxes. Initially none is checked; a refused form is shown with those that the merchant checked. */
interface Checkboxes {
  /** Name of the group, for the ids of its elements. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly options: readonly { readonly name: string; readonly label: string }[];
}

/** An input for a file. It must be the last field of its form: the handler runs before later fields arrive. */
interface FileInput {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The file types that the browser offers, as in the attribute `accept`. */
  readonly accept: string;
}

interface FormFrame {
  /** Whether the form has a file input. Default: false. */
  readonly hasFile?: boolean;
  readonly submit: string;
  readonly kind?: "primary" | "danger" | "quiet";
  /** Text of the button below a question, if the form asks one. Default: `submit`. */
  readonly confirm?: string;
}

/** Renders one form of a page and its fields; a refused form is shown with its entries and their errors. */
export class SettingsForm {
  readonly #visit: Visit;
  readonly #action: string;
  readonly #scope: string;

  /**
   * @param action the key in the page's `actions` or `uploads`
   * @param scope distinguishes several forms of one action on the same page, such as one for each list entry
   */
  constructor(visit: Visit, action: string, scope = "") {
    this.#visit = visit;
    this.#action = action;
    this.#scope = scope;
  }

  /** Whether the form was refused and is shown again. */
  get isRefused(): boolean {
    return this.#refused() !== undefined;
  }

  /** Returns the entry of a field in a refused form. @param otherwise returned if the form was not refused */
  entry(name: string, otherwise: string): string {
    return this.#refused()?.entries.get(name)?.toWellFormed() ?? otherwise;
  }

  frame(fields: Html | string, { submit, kind = "primary", confirm, hasFile = false }: FormFrame): Html {
    const isAsking = confirm !== undefined && this.#refused()?.question !== undefined;
    return html`<form method="post" novalidate${hasFile ? html` enctype="multipart/form-data"` : ""}>
<input type="hidden" name="token" value="${this.#visit.formToken}">
<input type="hidden" name="shop" value="${this.#visit.session.shop}">
<input type="hidden" name="action" value="${this.#action}">
<input type="hidden" name="nonce" value="${newFormNonce()}">
${this.#scope === "" ? "" : this.hidden("scope", this.#scope)}
${fields}
${this.#question()}
<div class="submit"><button class="${isAsking && kind === "quiet" ? "primary" : kind}" type="submit">${isAsking ? confirm : submit}</button></div>
</form>`;
  }

  /**
   * Renders the form so that it is hidden until the merchant opens it, or if it was refused.
   *
   * @param summary shown in place of the hidden form. Default: the text of its button
   */
  disclosed(fields: Html | string, frame: FormFrame, summary = frame.submit): Html {
    return disclosure(summary, this.frame(fields, frame), this.isRefused);
  }

  /** Renders the consequence that the merchant confirms by sending the form again. */
  #question(): Html | undefined {
    const refused = this.#refused();
    return refused?.question === undefined
      ? undefined
      : html`${this.hidden(confirmedName, confirmationOf(refused.entries))}<p class="banner warn" role="alert" tabindex="-1" data-mistakes>${refused.question}</p>`;
  }

  hidden(name: string, value: string): Html {
    return html`<input type="hidden" name="${name}" value="${value}">`;
  }

  /**
   * Renders the value that a field was first shown with, in a hidden field. A refused form keeps it, except for the
   * fields with an error, so that a form that was refused because of a conflict can be sent again.
   */
  shown(name: string, value: string): Html {
    return this.#hiddenUnlessMistaken(shownPrefix + name, name, value);
  }

  /**
   * Renders the version of what the form changes, in a hidden field. A refused form keeps the version to which its
   * entries belong, unless it was refused because that version is no longer the current one.
   */
  version(name: string, current: number): Html {
    return this.#hiddenUnlessMistaken(name, name, String(current));
  }

  #hiddenUnlessMistaken(hiddenName: string, name: string, value: string): Html {
    return this.hidden(hiddenName, this.#mistakesOf(name).length > 0 ? value : this.entry(hiddenName, value));
  }

  text(input: TextInput): Html {
    const { name, label, kinds, hint, type = "text", charactersMax, isRequired, autocomplete = "off", isCode } = input;
    const id = this.#id(name);
    const labels =
      kinds && Object.entries(kinds).map(([kind, text]) => html`<span data-kinds="${kind}">${text}</span>`);
    return html`<div class="field"${kinds && html` data-kinds="${Object.keys(kinds).join(" ")}"`}>
<label for="${id}">${labels ?? label}</label>
${this.#hint(name, hint)}
${this.#mistakes(name, label)}
<input type="${type}" id="${id}" name="${name}" value="${this.entry(name, input.value ?? "")}" autocomplete="${autocomplete}"${
      charactersMax === undefined ? "" : html` maxlength="${charactersMax}"`
    }${isRequired ? html` required` : ""}${isCode ? html` class="code" dir="ltr" spellcheck="false"` : ""}${this.#described(
      name,
      hint,
    )}${type === "date" && html` data-mistake="${this.#visit.text("settings.words.dateInvalid")}"`}${input.attributes}>
</div>`;
  }

  file({ name, label, hint, accept }: FileInput): Html {
    const id = this.#id(name);
    return html`<div class="field">
<label for="${id}">${label}</label>
${this.#hint(name, hint)}
${this.#mistakes(name, label)}
<input type="file" id="${id}" name="${name}" accept="${accept}" required${this.#described(name, hint)}>
</div>`;
  }

  choice<Value extends string>({ name, label, hint, value, options }: Choice<Value>): Html {
    const chosen = this.entry(name, value);
    return html`<fieldset id="${this.#id(name)}"${this.#described(name, hint)}>
<legend>${label}</legend>
${this.#hint(name, hint)}
${this.#mistakes(name, label)}
<div class="choices">
${options.map(
  (option) => html`<label class="choice"><input type="radio" name="${name}" value="${option.value}"${
    option.value === chosen ? html` checked` : ""
  }><span>${option.label}</span>${option.detail && html`<span class="detail">${option.detail}</span>`}</label>
`,
)}</div>
</fieldset>`;
  }

  checkboxes({ name, label, hint, options }: Checkboxes): Html {
    const refused = this.#refused();
    return html`<fieldset id="${this.#id(name)}"${this.#described(name, hint)}>
<legend>${label}</legend>
${this.#hint(name, hint)}
<div class="choices">
${options.map(
  (option) => html`<label class="choice"><input type="checkbox" name="${option.name}" value="on"${
    refused?.entries.has(option.name) ? html` checked` : ""
  }><span>${option.label}</span></label>
`,
)}</div>
</fieldset>`;
  }

  select<Value extends string>({ name, label, hint, value, options }: Choice<Value>): Html {
    const id = this.#id(name);
    const chosen = this.entry(name, value);
    return html`<div class="field">
<label for="${id}">${label}</label>
${this.#hint(name, hint)}
${this.#mistakes(name, label)}
<select id="${id}" name="${name}"${this.#described(name, hint)}>
${options.map(
  (option) =>
    html`<option value="${option.value}"${option.value === chosen ? html` selected` : ""}>${option.label}</option>
`,
)}</select>
</div>`;
  }

  #id(name: string): string {
    return fieldId(this.#action, this.#scope, name);
  }

  #refused() {
    const { refused } = this.#visit;
    return refused?.action === this.#action && refused.scope === this.#scope ? refused : undefined;
  }

  #mistakesOf(name: string) {
    return this.#refused()?.mistakes.filter(({ field }) => field === name) ?? [];
  }

  #mistakes(name: string, label: string): Html[] {
    const mistakes = this.#mistakesOf(name);
    if (mistakes.length > 0) this.#refused()?.labels.set(name, label);
    return mistakes.map(({ text }) => mistake(this.#id(name), text));
  }

  #hint(name: string, text: string | undefined): Html | undefined {
    return text === undefined ? undefined : hint(this.#id(name), text);
  }

  #described(name: string, text: string | undefined): Html {
    return described(this.#id(name), text !== undefined, this.#mistakesOf(name).length > 0);
  }
}
