/** Markup that is safe to insert into a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | readonly Html[] | null

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

function markup(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(markup).join('') : escaped(String(part))
}

/** A template that escapes its values, unless they are markup themselves; null renders nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, at) => (at === 0 ? text : markup(parts[at - 1] ?? null) + text)).join(''))
