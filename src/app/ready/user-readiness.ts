import type { Application } from '../../core/account/application.ts'
import type { Contact } from '../../core/account/contact.ts'
import type { IsPossible } from '../../core/account/number-findings.ts'
import type { User } from '../../core/account/profile.ts'
import type { Settings } from '../../core/account/settings.ts'
import type { FieldState } from '../../core/field/field-state.ts'
import type { Delivery, DeliveryStatus } from '../../core/incident/delivery.ts'
import type { Incident } from '../../core/incident/incident.ts'
import {
  type ContactFacts,
  DRILL_COUNTS_MS,
  type Finding,
  type FindingCode,
  findingsOf,
  type LastSeen,
  type ReadinessFacts,
  type ReadinessStatus,
  readinessOf,
  type SiteFacts,
} from '../../core/readiness/findings.ts'
import { DAY } from '../../lib/durations.ts'
import { nextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Page, ScopedQuery, Store, TelemetryRow } from '../../ports/store.ts'
import { SIMULATION_ID } from '../operator/simulation.ts'

type UserReadinessNeeds = {
  readonly store: Pick<
    Store,
    | 'application'
    | 'user'
    | 'userPage'
    | 'contacts'
    | 'latestIncident'
    | 'telemetryHistory'
    | 'fieldStates'
    | 'drills'
    | 'contactsChangedAt'
    | 'accountChangedAt'
  >
  readonly clock: Pick<Clock, 'now'>
  readonly defaults: Settings
  readonly site: () => SiteFacts
  readonly isPossible: IsPossible
}

/** The drills kept per user. preparing.md#drills. */
const MAX_DRILLS = 40

/** Whether help would reach a user, and the obstacles. preparing.md#readiness. */
export type UserReadiness = {
  readonly user: User
  readonly status: ReadinessStatus
  readonly findings: readonly Finding[]
}

/**
 * Whether users are ready for an emergency. A user takes eight small reads; between two users the process does its
 * other work, so that a page delays no alarm.
 */
export function userReadiness({ store, clock, defaults, site, isPossible }: UserReadinessNeeds) {
  const of = async (user: User, application: Application | null): Promise<UserReadiness> => {
    const now = clock.now()
    const drilled = { appId: user.appId, userId: user.id, since: now - DRILL_COUNTS_MS, limit: MAX_DRILLS }
    const [contacts, incident, seen, trackers, drills, contactsAt, accountAt] = await Promise.all([
      store.contacts(user.id),
      store.latestIncident(user.id, 0),
      store.telemetryHistory(user.id, { after: null, limit: 1, from: null, to: null }),
      store.fieldStates(user.id),
      store.drills(drilled),
      store.contactsChangedAt(user.id),
      store.accountChangedAt(user.id),
    ])
    const newest = 'items' in seen ? seen.items[0] : undefined
    const findings = findingsOf({
      now,
      isDisabled: user.disabled || application === null || application.disabled,
      site: site(),
      ways: waysOf(application, defaults),
      contacts: contacts.map((contact) => contactFacts(contact, incident)),
      profile: { name: user.name, phone: user.phone },
      isPossible,
      lastSeen: lastSeenOf(newest, incident, trackers),
      // One that the user started asked nobody.
      isDrilled: drills.some(({ drill }) => drill?.isOwn !== true),
      contactsChanged: changedOn(contactsAt, application),
      accountChanged: changedOn(accountAt, application),
    })
    return { user, status: readinessOf(findings), findings }
  }

  return {
    async ofUser(userId: string): Promise<(UserReadiness & { readonly application: Application }) | null> {
      const user = await store.user(userId)
      const application = user && (await store.application(user.appId))
      return user === null || application === null ? null : { ...(await of(user, application)), application }
    },

    /**
     * A page of users by application and external id, without simulated users. `notReadyOnly`: only users who are not
     * ready. `finding`: only users with this finding.
     */
    async page(
      query: ScopedQuery,
      notReadyOnly: boolean,
      finding: FindingCode | null = null,
    ): Promise<Page<UserReadiness>> {
      const { items: users, ...rest } = await store.userPage(query)
      const applications = new Map<string, Application | null>()
      const items: UserReadiness[] = []
      for (const user of users) {
        const { appId } = user
        if (appId === SIMULATION_ID) continue
        if (!applications.has(appId)) applications.set(appId, await store.application(appId))
        const one = await of(user, applications.get(appId) ?? null)
        const isFound = finding === null || one.findings.some(({ code }) => code === finding)
        if (isFound && (!notReadyOnly || one.status === 'not_ready')) items.push(one)
        await nextTurn()
      }
      return { items, ...rest }
    },
  }
}

const changedOn = (at: number | null, application: Application | null) =>
  at === null ? null : { at, on: dayOf(at, application) }

/** The day in the application's time zone, `2026-05-01`. */
const dayOf = (at: number, application: Application | null): string =>
  new Intl.DateTimeFormat('en-CA', { ...(application?.timeZone && { timeZone: application.timeZone }) }).format(at)

/** A tracker unheard for this long while another one of the user was heard is no longer in use. */
const IN_USE_MS = 7 * DAY

function waysOf(application: Application | null, defaults: Settings): ReadinessFacts['ways'] {
  const { actuators = {}, settings = {}, fallbackContact = null } = application ?? {}
  const { emergency_contacts: contacts, chat, webhook } = actuators
  return {
    contacts: contacts !== undefined,
    voice: { ...defaults, ...settings }.voice,
    http: contacts?.httpUrl !== undefined,
    others: chat !== undefined || webhook !== undefined,
    fallback: fallbackContact !== null,
  }
}

/** The facts about a contact. Messages to an earlier number of the contact prove nothing. */
function contactFacts(contact: Contact, incident: Incident | null): ContactFacts {
  const { id, name, phone, email, verifiedAt, declinedAt, stoppedAt } = contact
  const isOwnNumber = incident?.contacts.some((entry) => entry.contactId === id && entry.phone === phone) ?? false
  return {
    id,
    name,
    phone,
    email,
    verifiedAt,
    declinedAt,
    stoppedAt,
    last: isOwnNumber && incident !== null ? lastOf(incident, id) : null,
  }
}

function lastOf({ deliveries, folded }: Incident, contactId: string): ContactFacts['last'] {
  const ran = (status: DeliveryStatus): boolean => status !== 'scheduled' && status !== 'skipped'
  // A mail says nothing about the number.
  const isOfNumber = (row: Pick<Delivery, 'contactId' | 'channel'>): boolean =>
    row.contactId === contactId && row.channel !== 'email'
  const found = [
    ...deliveries
      .filter((row) => isOfNumber(row) && ran(row.status))
      .map(({ status, updatedAt }) => ({ status, at: updatedAt })),
    ...folded
      .filter(isOfNumber)
      .flatMap(({ lastAt }) => Object.entries(lastAt) as [DeliveryStatus, number][])
      .filter(([status]) => ran(status))
      .map(([status, at]) => ({ status, at })),
  ]
  // If a text arrived and a call was not taken, the text counts: the number is right.
  const told = found.filter(({ status }) => status !== 'failed')
  return (told.length > 0 ? told : found).reduce<ContactFacts['last']>(
    (newest, one) => (newest === null || one.at > newest.at ? one : newest),
    null,
  )
}

/**
 * The user's last sign of life. A tracker that reports for itself may be heard without telemetry, when it joins or
 * reports its battery. Of several, the newest moment counts, and the emptiest battery of those in use.
 */
function lastSeenOf(
  newest: TelemetryRow | undefined,
  incident: Incident | null,
  trackers: readonly FieldState[],
): LastSeen | null {
  const seen = lastRowOf(newest, incident)
  if (trackers.length === 0) return seen
  const at = Math.max(seen?.at ?? 0, ...trackers.map(({ heardAt }) => heardAt))
  const inUse = trackers.filter(({ heardAt }) => heardAt >= at - IN_USE_MS)
  const percents = [seen?.percent ?? null, ...inUse.map(({ battery }) => battery)].filter((one) => one !== null)
  const percent = percents.length === 0 ? null : Math.min(...percents)
  return { at, percent, device: seen?.device ?? null }
}

function lastRowOf(newest: TelemetryRow | undefined, incident: Incident | null): LastSeen | null {
  const rows = [
    ...(newest === undefined ? [] : [{ at: newest.at.ms, payload: newest.payload }]),
    ...(incident === null ? [] : [{ at: incident.lastAlertAt, payload: incident.creation.payload }]),
  ].toSorted((a, b) => b.at - a.at)
  const [last] = rows
  if (last === undefined) return null
  const { mobileBattery = null, deviceBattery } = last.payload
  return { at: last.at, percent: mobileBattery, device: deviceBattery?.range ?? null }
}
