import type { Command } from '../../../../core/incident/command.ts'
import {
  type EndFacts,
  isLaterPress,
  type NamedIncident,
  type PressName,
  type SentBy,
  type StoredPress,
} from '../../../../core/incident/end.ts'
import type { Alert } from '../../../../core/ingest/alert.ts'
import { type SentAlert, sentBefore, sentOf } from '../../shared/sent-alerts.ts'
import { isWithdrawn } from '../../shared/withdrawal.ts'
import { type DoorCall, endMomentOf, type Found, SKEW_MS } from './ask.ts'
import type { Row } from './incident-row.ts'

type Pressed = StoredPress & { readonly ownerId: string; readonly sent: SentAlert | null }

const isSame = (one: SentAlert | null, other: SentAlert): boolean =>
  one !== null && one.ms === other.ms && one.nanos === other.nanos && one.key === other.key

/** The alerts of a batch, and the ends that came before theirs: each command sees those before it. rules.md#ends. */
export class EndsInBatch {
  readonly #pressed: Pressed[] = []
  readonly #awaited = new Map<string, Row>()
  /** Alerts that came after their end. */
  readonly #come = new Map<string, Row>()

  /** To be written, each once. */
  get rows(): { readonly awaitedEnds: readonly Row[]; readonly comeEnds: readonly Row[] } {
    return { awaitedEnds: [...this.#awaited.values()], comeEnds: [...this.#come.values()] }
  }

  /** An alert opened or joined this incident. */
  add(
    ownerId: string,
    incidentId: string,
    { alert, sentBy }: { readonly alert: Alert; readonly sentBy: SentBy },
  ): void {
    const { at, receivedAt } = alert
    this.#pressed.push({ ownerId, incidentId, at, receivedAt, sentBy, sent: sentOf(alert) })
  }

  /** `isOwn`: whether an incident that this batch holds is the user's. */
  factsOf(call: DoorCall, found: Found, isOwn: (incidentId: string) => boolean): EndFacts {
    const isGone = isWithdrawn(call.withdrawal)
    return {
      at: endMomentOf(call, found),
      skewMs: SKEW_MS,
      isWithdrawn: isGone,
      named: this.#named(call, found, isOwn),
      hasCome: this.#hasCome(call, found),
    }
  }

  #hasCome({ command }: DoorCall, { ownerId, hasCome }: Found): boolean {
    const end = 'end' in command ? command.end : undefined
    const sent = end?.kind === 'press' ? sentBefore(end) : null
    return sent !== null && (hasCome || this.#come.has(keyOf(ownerId, sent)))
  }

  isAwaited(alert: Alert, { ownerId, isAwaited }: Found): boolean {
    const sent = sentOf(alert)
    return isAwaited || (sent !== null && this.#awaited.has(keyOf(ownerId, sent)))
  }

  /** The alert that this end names is still on its way. */
  keep({ command }: DoorCall, { ownerId, ownerNumber }: Found): void {
    const end = 'end' in command ? command.end : undefined
    const sent = end?.kind === 'press' ? sentBefore(end) : null
    if (sent === null || ownerNumber === null) return
    const { ms, nanos, key: device } = sent
    this.#awaited.set(keyOf(ownerId, sent), { owner: ownerNumber, ms, nanos, device, at: command.now })
  }

  /** An alert has come that was ended before. */
  noteCome({ alert, now }: Extract<Command, { type: 'raise' }>, { ownerId, ownerNumber }: Found): void {
    const sent = sentOf(alert)
    if (sent === null || ownerNumber === null) return
    const { ms, nanos, key: device } = sent
    this.#come.set(keyOf(ownerId, sent), { owner: ownerNumber, ms, nanos, device, at: now })
  }

  #named({ command }: DoorCall, found: Found, isOwn: (incidentId: string) => boolean): NamedIncident | null {
    const end = 'end' in command ? command.end : undefined
    switch (end?.kind) {
      case undefined:
      case 'unnamed':
        return null
      case 'incident': {
        const { incidentId } = end
        const isKnown = found.named !== null || isOwn(incidentId)
        return isKnown ? { incidentId, isPressedAgain: false, isSent: true } : null
      }
      case 'press':
        return this.#pressNamed(end, found)
      default:
        return end satisfies never
    }
  }

  #pressNamed(end: PressName, { ownerId, named }: Found): NamedIncident | null {
    const sent = sentBefore(end)
    if (sent === null) return null
    const matches = this.#pressed.filter((press) => press.ownerId === ownerId && isSame(press.sent, sent))
    const stored = named === null ? null : { ...named, at: { ms: named.ms, nanos: named.nanos } }
    const newest = matches.at(-1) ?? stored
    if (newest === null) return null
    const isAgain = this.#pressed.some(
      (press) => press.incidentId === newest.incidentId && !isSame(press.sent, sent) && isLaterPress(press, newest),
    )
    return {
      incidentId: newest.incidentId,
      isPressedAgain: isAgain || (newest === stored && stored.isPressedAgain),
      isSent: named?.isSent === true || matches.some(({ sentBy }) => sentBy === 'session'),
    }
  }
}

const keyOf = (ownerId: string | null, { ms, nanos, key }: SentAlert): string =>
  JSON.stringify([ownerId, ms, nanos, key])
