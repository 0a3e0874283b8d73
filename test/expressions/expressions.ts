import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A regular expression in a source file. */
export type Expression = { readonly place: string; readonly source: string; readonly flags: string }

/** What may precede an expression, so that the slash is not a division. */
const BEFORE_EXPRESSION = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))$/

/**
 * Every regular expression literal in TypeScript `text`, and every call of `RegExp`. Skips comments, strings and the
 * texts of templates, but looks into their `${…}`.
 */
export function expressionsIn(text: string): {
  readonly literals: readonly Found[]
  readonly calls: readonly number[]
} {
  const literals: Found[] = []
  const calls: number[] = []
  /** For each open template, the number of open braces in its `${…}`. */
  const templates: number[] = []
  let at = 0
  let before = ''
  const skipTemplate = (): void => {
    while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1
    if (text[at] === '`') {
      at++
      before = ')'
    } else {
      at += 2
      templates.push(0)
      before = '{'
    }
  }
  while (at < text.length) {
    const sign = text[at]!
    if (text.startsWith('//', at)) at = indexOrEnd(text, '\n', at)
    else if (text.startsWith('/*', at)) at = indexOrEnd(text, '*/', at + 2) + 2
    else if (sign === '"' || sign === "'") {
      at++
      while (at < text.length && text[at] !== sign) at += text[at] === '\\' ? 2 : 1
      at++
      before = ')'
    } else if (sign === '`') {
      at++
      skipTemplate()
    } else if (sign === '}' && templates.at(-1) === 0) {
      templates.pop()
      at++
      skipTemplate()
    } else if (sign === '/' && BEFORE_EXPRESSION.test(before)) {
      const found = literalAt(text, at)
      literals.push(found)
      at = found.end
      before = ')'
    } else {
      if (sign === '{' && templates.length > 0) templates[templates.length - 1]!++
      if (sign === '}' && templates.length > 0) templates[templates.length - 1]!--
      if (/^RegExp\s*\(/.test(text.slice(at, at + 10)) && !/[\w.]/.test(text[at - 1] ?? '')) calls.push(at)
      if (!/\s/.test(sign))
        before = /\w/.test(sign) && /\w$/.test(before) && !/\s/.test(text[at - 1]!) ? before + sign : sign
      at++
    }
  }
  return { literals, calls }
}

type Found = { readonly at: number; readonly end: number; readonly source: string; readonly flags: string }

function literalAt(text: string, start: number): Found {
  let at = start + 1
  let inClass = false
  while (text[at] !== '/' || inClass) {
    if (at >= text.length || text[at] === '\n') throw new Error(`no end: ${text.slice(start, start + 60)}`)
    if (text[at] === '[') inClass = true
    if (text[at] === ']') inClass = false
    at += text[at] === '\\' ? 2 : 1
  }
  const source = text.slice(start + 1, at)
  const [flags] = /^[a-z]*/.exec(text.slice(at + 1, at + 10))!
  return { at: start, end: at + 1 + flags.length, source, flags }
}

const indexOrEnd = (text: string, sought: string, from: number): number => {
  const at = text.indexOf(sought, from)
  return at < 0 ? text.length : at
}

/** Every expression of the sources, and every place that builds one from a text. */
export function expressionsOfTheSources(): {
  readonly literals: readonly Expression[]
  readonly calls: readonly string[]
} {
  const literals: Expression[] = []
  const calls: string[] = []
  for (const file of globSync(`${ROOT}src/**/*.ts`).sort()) {
    const text = readFileSync(file, 'utf8')
    const placeOf = (at: number) => `${relative(ROOT, file)}:${text.slice(0, at).split('\n').length}`
    const found = expressionsIn(text)
    for (const { at, source, flags } of found.literals) literals.push({ place: placeOf(at), source, flags })
    for (const at of found.calls) calls.push(placeOf(at))
  }
  return { literals, calls }
}
