import type { FieldProblem } from '../wire/alert.ts'
import { type Held, isClosed, taken } from './held.ts'

/** How a press came to its end. `ended`: it is over, whoever ended it. `refused`: the service will never take it. */
export type Over = 'cancelled' | 'resolved' | 'ended' | 'refused'

/**
 * The facts of one press. They only grow: two tabs that learn different things agree as soon as each has heard
 * the other's (`joined`).
 */
export type Facts = {
  /** PUBACK or 2xx: it is on the service's disk. */
  readonly onServer: boolean
  /** When this device learnt of that, epoch ms; 0: it has not. */
  readonly onServerAt: number
  /** How much of its fields has been left out: those refused, then all but device and time, then all but the time. */
  readonly cut: 0 | 1 | 2 | 3
  readonly refused: readonly FieldProblem[]
  /** No hand makes such presses, says the service: nobody is alarmed until then. Epoch ms; 0: it never said so. */
  readonly putOff: number
  readonly incident: Held | null
  /** A contact was reached, or somebody answered, at some time; never reset. */
  readonly alerted: boolean
  readonly answered: boolean
  /** The end of that number left the alarm open: the person, or a tracker, has pressed again since. */
  readonly leftOpen: number
  readonly over: Over | null
}

export const nothingKnown: Facts = {
  onServer: false,
  onServerAt: 0,
  cut: 0,
  refused: [],
  putOff: 0,
  incident: null,
  alerted: false,
  answered: false,
  leftOpen: 0,
  over: null,
}

const hasReached = ({ actuators }: Held): boolean =>
  actuators?.items.some(({ type, outcome }) => type === 'emergency_contacts' && outcome === 'success') ?? false

const isAnswered = ({ status, acknowledgedAt }: Held): boolean => status === 'acknowledged' || acknowledgedAt !== null

/** The facts after news of the incident that this press opened or joined. What late news tells has happened, too. */
export function learned(facts: Facts, news: Held): Facts {
  const incident = taken(facts.incident, news)
  const { status } = incident
  return {
    ...facts,
    incident,
    onServer: true,
    alerted: facts.alerted || hasReached(news),
    answered: facts.answered || isAnswered(news),
    over: isClosed(incident) ? (status as 'cancelled' | 'resolved') : facts.over,
  }
}

const surest: Readonly<Record<Over, number>> = { refused: 0, ended: 1, resolved: 2, cancelled: 2 }

const earlier = (a: number, b: number): number => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b))

/** The facts of two sources about the same press, joined. */
export function joined(a: Facts, b: Facts): Facts {
  const over = a.over === null || (b.over !== null && surest[b.over] > surest[a.over]) ? b.over : a.over
  const both: Facts = {
    onServer: a.onServer || b.onServer,
    onServerAt: earlier(a.onServerAt, b.onServerAt),
    cut: Math.max(a.cut, b.cut) as Facts['cut'],
    refused: a.cut > b.cut ? a.refused : b.refused,
    putOff: Math.max(a.putOff, b.putOff),
    incident: a.incident ?? b.incident,
    alerted: a.alerted || b.alerted,
    answered: a.answered || b.answered,
    leftOpen: Math.max(a.leftOpen, b.leftOpen),
    over,
  }
  return b.incident === null ? both : learned(both, b.incident)
}
