import { SECOND } from '../../../lib/durations.ts'
import { nextTurn } from '../../../lib/waits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CertificateRecords, ChallengeAnswer } from './records.ts'

/** Anyone may ask for tokens: the store is read at most this often. */
const READ_EVERY_MS = SECOND

type Needs = {
  readonly records: Pick<CertificateRecords, 'read'>
  readonly clock: Pick<Clock, 'after'>
  readonly monotonicMs: () => number
}

/**
 * The answer to a challenge of the CA, or null. Whichever node ordered, each answers: for a token that it does not know
 * it reads the store, once a second for all who ask. A read that began before somebody asked does not count for them:
 * strangers must not be able to hide a token that was just stored.
 */
export function challengeAnswers({ records, clock, monotonicMs }: Needs): (token: string) => Promise<string | null> {
  let known: readonly ChallengeAnswer[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let next: Promise<void> | null = null

  const read = async (): Promise<void> => {
    // `next` is this one until the store is asked.
    await nextTurn()
    const waitMs = readAt + READ_EVERY_MS - monotonicMs()
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
    readAt = monotonicMs()
    next = null
    known = (await records.read()).challenges
  }
  const answerTo = (token: string): string | null => known.find((one) => one.token === token)?.answer ?? null

  return async (token) => {
    const answer = answerTo(token)
    if (answer !== null) return answer
    next ??= read()
    await next
    return answerTo(token)
  }
}
