import { type Answer, errorOf, incidentIn, isObject, type Json } from '../send/answer.ts'
import type { FieldProblem } from '../wire/alert.ts'
import { type Facts, learned } from './facts.ts'
import type { Trouble } from './state.ts'

/** The effect of an answer. `again`: send it again, after that many ms at least. */
export type Outcome = {
  readonly facts: Facts
  readonly again: { readonly afterMs: number; readonly why: Trouble } | null
}

const done = (facts: Facts): Outcome => ({ facts, again: null })

const later = (facts: Facts, why: Trouble, afterMs = 0): Outcome => ({ facts, again: { afterMs, why } })

/** Answers after which a press is not sent again, once no further field can be left out. */
const FOR_GOOD = [400, 404, 405, 415]

/** Reads an answer to `POST /v1/sdk/sos`. Null: there was no answer. */
export function pressAnswered(facts: Facts, answer: Answer | null): Outcome {
  if (answer === null) return later(facts, 'no_network')
  const incident = incidentIn(answer)
  if (incident) return done(learned(facts, incident))
  if (incident === null) return withoutIncident(facts, answer.body as Json)
  const error = errorOf(answer.body)
  const { status, retryAfterMs: afterMs } = answer
  // A proxy may also find it too large, and would do so for ever.
  if (status === 413) return cutDown(facts, answer, error?.fields ?? [])
  if (error === null) return later(facts, status >= 500 || status === 429 ? 'busy' : 'not_the_service', afterMs)
  if (status === 401) return later(facts, 'unauthorized', afterMs)
  if (status === 400) return cutDown(facts, answer, error.fields)
  // A press that the service has acknowledged can no longer be refused.
  if (FOR_GOOD.includes(status) && !facts.onServer) return done({ ...facts, over: 'refused' })
  return later(facts, 'busy', afterMs)
}

/** Asked again no sooner, even by a clock for which the wait is over already. */
const PUT_OFF_LOOK_MS = 15_000

/** `{ incident: null }`: a repeat of an alarm that is over, or a press that is put off. */
function withoutIncident(facts: Facts, { putOff }: Json): Outcome {
  const until = isObject(putOff) ? Date.parse(String(putOff.until)) : Number.NaN
  if (Number.isNaN(until)) return done({ ...facts, onServer: true, over: facts.over ?? 'ended' })
  return later({ ...facts, onServer: true, putOff: Math.max(until, facts.putOff) }, 'busy', PUT_OFF_LOOK_MS)
}

/** A press with bad fields goes out without them, at once: a bad field must not delay an alarm. */
function cutDown(facts: Facts, { status, retryAfterMs }: Answer, fields: readonly FieldProblem[]): Outcome {
  if (facts.onServer) return later(facts, 'busy', retryAfterMs)
  const refused = fields.length > 0 ? fields : facts.refused
  if (status === 413) return later({ ...facts, cut: facts.cut < 2 ? 2 : 3, refused }, 'busy', retryAfterMs)
  if (facts.cut === 3) return done({ ...facts, over: 'refused', refused })
  const cut = facts.cut === 0 && fields.length === 0 ? 2 : ((facts.cut + 1) as 1 | 2 | 3)
  return done({ ...facts, cut, refused })
}

/**
 * Reads an answer to the end of that number. `asks`: an alarm is open, and nobody knows whether the press has
 * joined it, or has never arrived: the press itself is sent now (`endAsked`), since one with an end opens nothing.
 */
export function endAnswered(facts: Facts, number: number, answer: Answer | null): Outcome & { readonly asks?: true } {
  if (answer === null) return later(facts, 'no_network')
  const open = incidentIn(answer)
  const { status, retryAfterMs: afterMs, body } = answer
  if (open === undefined) {
    const error = errorOf(body)
    if (error === null) return later(facts, status >= 500 || status === 429 ? 'busy' : 'not_the_service', afterMs)
    return later(facts, status === 401 ? 'unauthorized' : 'busy', afterMs)
  }
  const known = facts.incident?.incidentId
  // Over, whoever ended it; or nothing is open, and a press that is still under way will open nothing.
  const { ended } = body as Json
  if (ended === true || open === null || (known !== undefined && known !== open.incidentId))
    // An alarm that the service knows to be over has reached it: contacts may have been told.
    return done({ ...facts, onServer: facts.onServer || ended === true, over: facts.over ?? 'ended' })
  if (!facts.onServer) return { ...done(facts), asks: true }
  return done({ ...learned(facts, open), leftOpen: number })
}

/** Reads the answer to a press that has an end: it is part of the open alarm, or will never be of any. */
export function endAsked(facts: Facts, number: number, answer: Answer | null): Outcome {
  const open = answer === null ? undefined : incidentIn(answer)
  if (open === null) return done({ ...facts, onServer: true, over: facts.over ?? 'ended' })
  if (open !== undefined) return done({ ...learned(facts, open), leftOpen: number })
  const { facts: known, again } = pressAnswered(facts, answer)
  return known.over === null ? { facts: known, again: again ?? { afterMs: 0, why: 'busy' } } : done(known)
}
