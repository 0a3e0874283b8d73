import { DAY } from '../../lib/durations.ts'
import { type IsPossible, numberCodesOf } from '../account/number-findings.ts'
import { isNameable } from '../account/profile.ts'
import { LOW_PERCENT } from '../incident/battery.ts'
import type { DeliveryStatus, TextChannel } from '../incident/delivery.ts'

/** Conditions that would keep help away, or might. preparing.md#readiness. */
export const findingCodes = [
  'service_down',
  'messages_stay_here',
  'mail_only',
  'provider_failing',
  'modem_down',
  'modem_slow',
  'disabled',
  'nobody_to_alarm',
  'nobody_reached',
  'contact_declined',
  'contact_stopped',
  'contact_unverified',
  'delivery_failed',
  'delivery_unproven',
  'one_channel',
  'never_seen',
  'silent',
  'battery_low',
  'no_name',
  'number_implausible',
  'number_is_own',
  'number_twice',
  'contacts_changed',
  'account_changed',
  'no_drill',
] as const
export type FindingCode = (typeof findingCodes)[number]

/** Conditions under which an alarm would reach nobody. */
const blocking: ReadonlySet<FindingCode> = new Set([
  'service_down',
  'messages_stay_here',
  'mail_only',
  'disabled',
  'nobody_to_alarm',
  'nobody_reached',
])

/**
 * `contact`: the contact concerned. `days`: age of the condition. `percent`: battery level, if phone or tracker
 * reported it. `on`: the day, `2026-05-01`.
 */
export type Finding = {
  readonly code: FindingCode
  readonly isBlocking: boolean
  readonly contact?: { readonly id: string; readonly name: string }
  readonly days?: number
  readonly percent?: number
  readonly on?: string
}

/** `not_ready`: an alarm would reach nobody. `attention`: it would reach someone, but something should be fixed. */
export type ReadinessStatus = 'ready' | 'attention' | 'not_ready'

/** Times are epoch ms. */
export type ReadinessFacts = {
  readonly now: number
  readonly isDisabled: boolean
  readonly site: SiteFacts
  /** The application's ways to alarm besides the contacts' SMS. `others`: chat or webhook. */
  readonly ways: {
    readonly contacts: boolean
    readonly voice: boolean
    readonly http: boolean
    readonly others: boolean
    readonly fallback: boolean
  }
  readonly contacts: readonly ContactFacts[]
  /** From the person's profile. `phone`: E.164. */
  readonly profile: { readonly name: string | null; readonly phone: string | null }
  readonly isPossible: IsPossible
  /** The last sign of life of the person's phone or tracker, with its battery levels. Null: never. */
  readonly lastSeen: LastSeen | null
  /** Whether one of the user's drills has begun within `DRILL_COUNTS_MS`. */
  readonly isDrilled: boolean
  /** When the person's own session last changed the contacts; `on`: the local day, `2026-05-01`. Null: unknown. */
  readonly contactsChanged: Changed | null
  /** The same of name, number and phones. */
  readonly accountChanged: Changed | null
}

type Changed = { readonly at: number; readonly on: string }

/** `channels`: those that a provider serves. */
export type SiteFacts = {
  readonly isDown: boolean
  /** Whether no provider took any of the last messages. */
  readonly isFailing: boolean
  readonly keepsMessages: boolean
  /** Whether contacts get mails, which wake nobody. Absent: no. */
  readonly sendsMail?: boolean
  /** State of the SMS modem. `slow`: weak signal, or texts pile up. Absent: no modem is used. */
  readonly modem?: 'ok' | 'slow' | 'down'
  readonly channels: readonly TextChannel[]
}

/** `last`: the latest message of the newest incident to this number. */
export type ContactFacts = {
  readonly id: string
  readonly name: string
  /** E.164. */
  readonly phone: string
  readonly email?: string | null
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
  readonly stoppedAt: number | null
  readonly last: { readonly status: DeliveryStatus; readonly at: number } | null
}

export type LastSeen = {
  readonly at: number
  readonly percent: number | null
  readonly device: 'critical' | 'low' | 'medium' | 'ok' | null
}

/** A delivery or an answer older than this proves little: people change their numbers. */
const PROVEN_MS = 180 * DAY
const SILENT_MS = 7 * DAY
/** How long a drill counts: contacts change, and they forget. */
export const DRILL_COUNTS_MS = 90 * DAY
/** Findings that leave a user ready: only the operator can start a drill, and a change may be intended. */
const advice: ReadonlySet<FindingCode> = new Set(['no_drill', 'contacts_changed', 'account_changed'])
/** How long a change of contacts is reported: somebody else may have held the phone. */
const CHANGE_STANDS_MS = 7 * DAY

/** All findings, the worst first. */
export function findingsOf(facts: ReadinessFacts): readonly Finding[] {
  const { site, ways, contacts, isDisabled } = facts
  const isAlarmed = ways.contacts && (contacts.length > 0 || ways.fallback)
  const isMailed = site.sendsMail === true && ways.contacts && contacts.some(({ email }) => email != null)
  const isEveryoneLost = isAlarmed && !ways.fallback && !ways.others && contacts.every(isLost)
  return [
    ...(site.isDown ? [of('service_down')] : []),
    ...(site.keepsMessages && !ways.http && !ways.others ? [of(isMailed ? 'mail_only' : 'messages_stay_here')] : []),
    ...(site.isFailing ? [of('provider_failing')] : []),
    ...(site.modem === 'down' ? [of('modem_down')] : []),
    ...(site.modem === 'slow' ? [of('modem_slow')] : []),
    ...(isDisabled ? [of('disabled')] : []),
    ...(isAlarmed || ways.others ? [] : [of('nobody_to_alarm')]),
    ...(isEveryoneLost ? [of('nobody_reached')] : []),
    ...(ways.contacts ? contacts.flatMap((contact) => ofContact(contact, facts.now)) : []),
    ...(isAlarmed && channelsOf(facts) < 2 ? [of('one_channel')] : []),
    ...ofDevice(facts),
    ...ofProfile(facts),
    ...(ways.contacts ? ofNumbers(facts) : []),
    ...ofChanges(facts),
    ...(isAlarmed && !facts.isDrilled ? [of('no_drill')] : []),
  ]
}

/** The status that follows from the findings. preparing.md#readiness. */
export const readinessOf = (findings: readonly Finding[]): ReadinessStatus =>
  findings.some(({ isBlocking }) => isBlocking)
    ? 'not_ready'
    : findings.some(({ code }) => !advice.has(code))
      ? 'attention'
      : 'ready'

const of = (code: FindingCode, more: Omit<Finding, 'code' | 'isBlocking'> = {}): Finding => ({
  code,
  isBlocking: blocking.has(code),
  ...more,
})

/** The number of channels on which a contact gets an alarm. */
const channelsOf = ({ site, ways }: ReadinessFacts): number =>
  site.channels.filter((channel) => channel === 'sms' || ways.voice).length + (ways.http ? 1 : 0)

const isLost = ({ last, verifiedAt }: ContactFacts): boolean => last?.status === 'failed' && (verifiedAt ?? 0) < last.at

function ofContact(contact: ContactFacts, now: number): readonly Finding[] {
  const { id, name, verifiedAt, declinedAt, stoppedAt, last } = contact
  const about = { contact: { id, name } }
  if (declinedAt !== null) return [of('contact_declined', about)]
  if (stoppedAt !== null) return [of('contact_stopped', about)]
  const isTold = last?.status === 'delivered' || last?.status === 'sent'
  const provenAt = Math.max(verifiedAt ?? 0, isTold ? last.at : 0)
  if (isLost(contact)) return [of('delivery_failed', { ...about, days: daysSince(last!.at, now) })]
  return [
    ...(verifiedAt === null ? [of('contact_unverified', about)] : []),
    ...(now - provenAt > PROVEN_MS && provenAt > 0
      ? [of('delivery_unproven', { ...about, days: daysSince(provenAt, now) })]
      : []),
  ]
}

function ofDevice({ lastSeen, now }: ReadinessFacts): readonly Finding[] {
  if (lastSeen === null) return [of('never_seen')]
  const { at, percent, device } = lastSeen
  const isSilent = now - at > SILENT_MS
  const known = percent !== null && percent <= LOW_PERCENT ? { percent } : null
  const isLow = known !== null || device === 'critical' || device === 'low'
  return [
    ...(isSilent ? [of('silent', { days: daysSince(at, now) })] : []),
    ...(isLow ? [of('battery_low', known ?? {})] : []),
  ]
}

const ofProfile = ({ profile: { name, phone }, isPossible }: ReadinessFacts): readonly Finding[] => [
  ...(isNameable(name) ? [] : [of('no_name')]),
  ...(phone === null || isPossible(phone) ? [] : [of('number_implausible')]),
]

/** Findings about numbers; if two contacts share a number, the later one is named. */
const ofNumbers = ({ contacts, profile: { phone: own }, isPossible }: ReadinessFacts): readonly Finding[] =>
  contacts.flatMap(({ id, name, phone }, place) => {
    const others = contacts.slice(0, place).map((other) => other.phone)
    return numberCodesOf(phone, { own, others }, isPossible).map((code) => of(code, { contact: { id, name } }))
  })

const ofChanges = ({ contactsChanged, accountChanged, now }: ReadinessFacts): readonly Finding[] => [
  ...ofChange('contacts_changed', contactsChanged, now),
  ...ofChange('account_changed', accountChanged, now),
]

function ofChange(code: FindingCode, changed: Changed | null, now: number): readonly Finding[] {
  if (changed === null || now - changed.at >= CHANGE_STANDS_MS) return []
  return [of(code, { days: daysSince(changed.at, now), on: changed.on })]
}

const daysSince = (at: number, now: number): number => Math.max(0, Math.floor((now - at) / DAY))
