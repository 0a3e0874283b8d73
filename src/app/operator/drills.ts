import type { Application } from '../../core/account/application.ts'
import type { User } from '../../core/account/profile.ts'
import type { DrillRefusal } from '../../core/incident/decision.ts'
import { MAX_DRILLS_A_DAY } from '../../core/incident/drill.ts'
import { type DrillReport, drillReport } from '../../core/incident/drill-report.ts'
import { INVENTED_PLACE } from '../../core/incident/drill-shown.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { alertFrom } from '../../core/ingest/alert.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  AccountStore,
  ApplicationStore,
  ContactStore,
  DrillQuery,
  DrillStore,
  IncidentStore,
  UserAdministration,
} from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { type By, rowBy } from './by.ts'

/** The most users of one start, and the most drills in one report. preparing.md#drills. */
const MAX_DRILLS = 100
/** How soon a user's contacts may be drilled again: people stop answering a drill that comes every few minutes. */
const CONTACTS_REST_MS = HOUR
/**
 * The most drills that may ring at one number in that time. One person can be the contact of a hundred users, and a
 * phone that is called a hundred times is busy when an alarm comes.
 */
const MAX_AT_ONE_NUMBER = 3

type DrillNeeds = {
  readonly store: DrillStore &
    Pick<IncidentStore, 'incident' | 'attempts'> &
    Pick<ApplicationStore, 'application'> &
    Pick<UserAdministration, 'userPage'> &
    Pick<AccountStore, 'userByExternalId'> &
    Pick<ContactStore, 'contacts'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
}

/** The users to drill. `externalUserId`: null for every enabled user of the application. */
type Given = { readonly externalUserId: string | null; readonly toContacts: boolean }

type Who = { readonly userId: string; readonly externalUserId: string }

/**
 * The reason why a user gets no drill. `drilled_lately`: their contacts had one within the hour, or one number had
 * three.
 */
type Passed = Who & { readonly reason: DrillRefusal | 'drilled_lately' }

export type Started = {
  readonly started: readonly (Who & { readonly incidentId: string })[]
  readonly passedOver: readonly Passed[]
}

type Refused = {
  readonly refused: 'application_not_found' | 'user_not_found' | 'no_users' | 'too_many_users' | 'application_disabled'
}

export type Drills = ReturnType<typeof operatorDrills>

/**
 * Drills: an operator starts them, ends them, and reads their reports. Each has an audit row. Rejects only with a
 * StoreError. preparing.md#drills.
 */
export function operatorDrills({ store, door, ids }: DrillNeeds) {
  /** The users of a start; one more than allowed if there are too many. */
  const usersOf = async (appId: string, externalUserId: string | null): Promise<readonly User[]> => {
    if (externalUserId !== null) {
      const user = await store.userByExternalId(appId, externalUserId)
      return user === null || user.disabled ? [] : [user]
    }
    const found: User[] = []
    let after: string | null = null
    do {
      const page = await store.userPage({ appIds: [appId], text: null, after, limit: MAX_DRILLS })
      found.push(...page.items.filter(({ disabled }) => !disabled))
      after = page.after
    } while (after !== null && found.length <= MAX_DRILLS)
    return found
  }

  /**
   * Decides whether the contacts may be drilled. Null if they had a drill within the hour, or one of their numbers had
   * several. A fallback contact that has had several is left out instead: one desk must not keep all users from their
   * drills.
   */
  const contactsToAsk = async (
    user: User,
    { fallbackContact }: Pick<Application, 'fallbackContact'>,
    now: number,
  ): Promise<{ readonly sparesFallback: boolean } | null> => {
    const about = { appId: user.appId, userId: null, since: now - CONTACTS_REST_MS, limit: MAX_DRILLS_A_DAY }
    const lately = (await store.drills(about)).filter(({ drill }) => drill?.toContacts === true)
    if (lately.some(({ userId }) => userId === user.id)) return null
    const isResting = (phone: string): boolean =>
      lately.filter((drill) => phonesOf(drill.contacts).has(phone)).length >= MAX_AT_ONE_NUMBER
    const phones = [...phonesOf(await store.contacts(user.id))]
    const sparesFallback = fallbackContact !== null && isResting(fallbackContact.phone)
    return phones.some(isResting) || (sparesFallback && phones.length === 0) ? null : { sparesFallback }
  }

  /** Starts a drill. Returns the incident, or why none was opened. */
  const startFor = async (
    user: User,
    application: Pick<Application, 'fallbackContact'>,
    toContacts: boolean,
    by: By,
  ): Promise<{ readonly incidentId: string } | { readonly reason: Passed['reason'] }> => {
    const { now } = by
    const asked = toContacts ? await contactsToAsk(user, application, now) : {}
    if (asked === null) return { reason: 'drilled_lately' }
    const alert = alertFrom({ timestamp: isoAt(now), ...INVENTED_PLACE }, now)
    const incidentId = ids.uuid()
    const command = { type: 'drill', now, alert, incidentId, linkSecret: ids.secret(), toContacts, ...asked } as const
    const about = { appId: user.appId, userId: user.id, subject: incidentId, details: { contacts: toContacts } }
    const row = rowBy(by, { action: 'drill.start', ...about })
    const { refused } = await door.change({ openOf: user.id }, command, row)
    return refused === undefined ? { incidentId } : { reason: refused }
  }

  const reportOf = async (incident: Incident): Promise<DrillReport> =>
    drillReport(incident, await store.attempts(incident.id, MAX_ATTEMPTS))

  const reportsOf = async (query: DrillQuery): Promise<readonly DrillReport[]> => {
    const reports: DrillReport[] = []
    for (const incident of await store.drills(query)) reports.push(await reportOf(incident))
    return reports
  }

  return {
    /** Starts one drill for each user in sequence, so that alarms get their turn in between. */
    async start(appId: string, { externalUserId, toContacts }: Given, by: By): Promise<Started | Refused> {
      const application = await store.application(appId)
      if (application === null) return { refused: 'application_not_found' }
      if (application.disabled) return { refused: 'application_disabled' }
      const users = await usersOf(appId, externalUserId)
      if (users.length === 0) return { refused: externalUserId === null ? 'no_users' : 'user_not_found' }
      if (users.length > MAX_DRILLS) return { refused: 'too_many_users' }
      const started: (Who & { readonly incidentId: string })[] = []
      const passedOver: Passed[] = []
      for (const user of users) {
        const who = { userId: user.id, externalUserId: user.externalUserId }
        const done = await startFor(user, application, toContacts, by)
        if ('reason' in done) passedOver.push({ ...who, ...done })
        else started.push({ ...who, ...done })
      }
      return { started, passedOver }
    },

    /** Ends the open drills of an application, or of one user of it. */
    async end(
      appId: string,
      externalUserId: string | null,
      by: By,
    ): Promise<readonly (Who & { incidentId: string })[]> {
      const recent = await store.drills({ appId, userId: null, since: 0, limit: MAX_DRILLS_A_DAY, isOpen: true })
      const ended: (Who & { incidentId: string })[] = []
      for (const { id: incidentId, userId, externalUserId: external } of recent) {
        if (externalUserId !== null && external !== externalUserId) continue
        const row = rowBy(by, { action: 'drill.end', appId, userId, subject: incidentId })
        const command = { type: 'resolve', by: 'operator', now: by.now } as const
        const { verdict } = await door.change({ incidentId }, command, row)
        if (verdict !== 'unchanged') ended.push({ userId, externalUserId: external, incidentId })
      }
      return ended
    },

    /** Null if there is no such drill. */
    async report(incidentId: string): Promise<DrillReport | null> {
      const { incident } = (await store.incident(incidentId)) ?? {}
      return incident?.drill === undefined ? null : reportOf(incident)
    },

    /** The newest drills of an application since `since` (epoch ms), at most 100. */
    reports: (appId: string, since: number, limit: number = MAX_DRILLS): Promise<readonly DrillReport[]> =>
      reportsOf({ appId, userId: null, since, limit }),

    /** The same for one of its users. Null if there is no such user. */
    async userReports(
      appId: string,
      externalUserId: string,
      since: number,
      limit: number = MAX_DRILLS,
    ): Promise<readonly DrillReport[] | null> {
      const user = await store.userByExternalId(appId, externalUserId)
      return user && reportsOf({ appId, userId: user.id, since, limit })
    },
  }
}

const phonesOf = (contacts: readonly { readonly phone: string }[]): ReadonlySet<string> =>
  new Set(contacts.map(({ phone }) => phone))

/** Above the number of attempts that a drill, with its one round, ever plans. */
const MAX_ATTEMPTS = 1_000
