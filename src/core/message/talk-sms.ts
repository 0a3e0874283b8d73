import { fitsIn, segmentsOf } from '../text/gsm7.ts'
import { neutralName, shortened, withoutLinks } from '../text/person-name.ts'
import { fixedWords, type Language } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

/** Further lines join a text only up to here. */
const MAX_SEGMENTS = 4
/** Of a single line: 500 characters of another script. */
const MAX_LINE_SEGMENTS = 8
const MAX_NAME = 24
const STEP = 10

type Line = { readonly side: string; readonly name: string; readonly text: string }

/**
 * The text that brings lines of one side to a person who alarmed by SMS, each with who wrote it. `lines`: at least one,
 * oldest first. `count`: those in the text. sms.md#talk-by-sms.
 */
export function talkSms(language: Language, lines: readonly Line[]): { readonly text: string; readonly count: number } {
  const { fromDesk } = fixedWords[language].sms
  const written = ({ side, name, text }: Line, said = text): string => {
    const isOperator = side === 'operator'
    const who = shortened(nameInSms(neutralName(name)), MAX_NAME)
    // A helper may be anybody whom the person has chosen; the number that the text comes from is the site's.
    const shown = isOperator ? said : withoutLinks(said)
    return `${who}${isOperator ? ` (${fromDesk})` : ''}: ${nameInSms(shown)}`
  }
  const [first, ...others] = lines
  let text = written(first!)
  for (let length = first!.text.length; segmentsOf(text) > MAX_LINE_SEGMENTS && length > STEP; length -= STEP) {
    text = written(first!, shortened(first!.text, length))
  }
  let count = 1
  for (const line of others) {
    const longer = `${text}\n${written(line)}`
    if (!fitsIn(longer, MAX_SEGMENTS)) break
    text = longer
    count += 1
  }
  return { text, count }
}
