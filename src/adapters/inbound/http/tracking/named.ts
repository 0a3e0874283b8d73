import { asWritten } from '../../../../core/text/grammar.ts'
import { isolated } from '../../../../core/text/person-name.ts'
import { type Html, html } from './html.ts'

/** Text around names: plain for the window title, and HTML with each name isolated in its own direction. */
export type Named = { readonly text: string; readonly html: Html }

/** Private-use characters, which our texts do not contain, mark the names while a sentence is built. */
const PLACES = ['\ue000', '\ue001'] as const
const IS_PLACE = /([\ue000\ue001])/

/** Builds `sentence` with `names`. A right-to-left name must not reorder the words, numbers and signs around it. */
export function named(names: readonly string[], sentence: (...names: string[]) => string): Named {
  const parts = sentence(...PLACES.slice(0, names.length)).split(IS_PLACE)
  const nameAt = (part: string, index: number) => {
    const name = names[PLACES.indexOf(part as (typeof PLACES)[number])]
    return name === undefined ? undefined : asWritten(name, parts.slice(0, index).join(''))
  }
  return {
    text: parts.map((part, index) => isolated(nameAt(part, index) ?? '') || part).join(''),
    html: html`${parts.map((part, index) => {
      const name = nameAt(part, index)
      return name === undefined ? html`${part}` : html`<bdi>${name}</bdi>`
    })}`,
  }
}

export const unnamed = (text: string): Named => ({ text, html: html`${text}` })
