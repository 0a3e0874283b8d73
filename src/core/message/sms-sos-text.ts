import { firstName } from '../text/person-name.ts'
import { filled, fixedWords, textLanguage } from '../text/phrases.ts'
import { nameInSms } from './sms-text.ts'

/**
 * The answer to an SOS by SMS. `names`: the contacts being alarmed, as stored. `code`: ends the alarm. `later`: the
 * others follow.
 */
export type SmsSosReply =
  | {
      readonly kind: 'arrived'
      readonly names: readonly string[]
      readonly later: boolean
      readonly read: boolean
      readonly code: string
    }
  | { readonly kind: 'ended' | 'goesOn' | 'stopped' | 'started' }

/** Names in an answer; more would cost a third segment. */
const MAX_NAMES = 4

/** `languages`: BCP 47, in order of preference. sms.md#sms-sos. */
export function smsSosText(languages: readonly string[], reply: SmsSosReply): string {
  const words = fixedWords[textLanguage(languages)].sms
  switch (reply.kind) {
    case 'arrived': {
      const { later, read, code } = reply
      const all = reply.names.map((name) => nameInSms(firstName(name))).filter((name) => name !== '')
      const names = all.slice(0, MAX_NAMES).join(', ') + (all.length > MAX_NAMES ? ' ...' : '')
      return [
        all.length === 0 ? words.desk : filled(words.alerted, { names }),
        ...(later ? [words.later] : []),
        ...(read ? [words.read] : []),
        filled(words.notYou, { code }),
      ].join(' ')
    }
    case 'ended':
    case 'goesOn':
    case 'stopped':
    case 'started':
      return words[reply.kind]
    default:
      return reply satisfies never
  }
}
