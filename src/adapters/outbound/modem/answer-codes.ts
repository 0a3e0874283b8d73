import { DAY } from '../../../lib/durations.ts'
import type { SentText, SentTexts } from '../../../ports/sent-texts.ts'
import type { Spool } from './spool.ts'

/**
 * Longer than an incident can last without an alert (rules.md#automatic-close), so that late answers are understood.
 */
export const KEPT_MS = 8 * DAY

/** Codes that people can read and type under stress, and that a forger cannot guess in a few tries. */
const FIRST_CODE = 1000
const ALL_CODES = 9000

export type AnswerCodes = SentTexts & {
  /** A code that no recent text to this number had. Rejects with the fault of the file system. */
  codeFor(to: string): Promise<string>
}

/**
 * The codes for answering texts. They are part of the names of the files that the daemon keeps, so that they survive a
 * restart. `randomBelow`: a whole number from 0 to below the given one.
 */
export function answerCodes(spool: Pick<Spool, 'list'>, randomBelow: (n: number) => number): AnswerCodes {
  // The errors include texts that the daemon sent in part, or too late.
  const all = async () => (await Promise.all((['outbox', 'sent', 'error'] as const).map(spool.list))).flat()
  return {
    async codeFor(to) {
      const used = new Set((await all()).flatMap((one) => (one.to === to && one.code !== null ? [one.code] : [])))
      const start = randomBelow(ALL_CODES)
      // After that many texts in a few days an old code is reused: the newest text counts.
      for (let n = 0; n < ALL_CODES; n++) {
        const code = String(FIRST_CODE + ((start + n) % ALL_CODES))
        if (!used.has(code)) return code
      }
      return String(FIRST_CODE + start)
    },

    async sentTo(sender) {
      const isTo = matching(sender)
      return (await all())
        .filter(({ to, precedence }) => precedence !== 'D' && isTo(to))
        .toSorted((a, b) => b.claimedAt - a.claimedAt)
        .map(({ to, attemptId, code, claimedAt }): SentText => ({ to, attemptId, code, sentAt: claimedAt }))
    },
  }
}

/** The fewest digits by which a number without its country code is matched with one that has it. */
const MIN_NATIONAL_DIGITS = 7

/**
 * Whether a number that we sent to (E.164) is the sender's. Networks show their own numbers with the country code, with
 * 00 before it, or without it; only a plus sign makes the number unambiguous.
 */
function matching(sender: string): (to: string) => boolean {
  const written = sender.replaceAll(/[\s()./-]/g, '')
  if (written.startsWith('+')) return (to) => to === written
  if (!/^\d+$/.test(written)) return () => false
  if (written.startsWith('00')) return (to) => to === `+${written.slice(2)}`
  const national = written.replace(/^0+/, '')
  if (national.length < MIN_NATIONAL_DIGITS) return () => false
  return (to) => to.endsWith(national)
}
