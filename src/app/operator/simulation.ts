import type { Application } from '../../core/account/application.ts'
import { newApplication } from '../../core/account/new-application.ts'
import type { Settings } from '../../core/account/settings.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  AccountStore,
  ApplicationStore,
  AuditStore,
  Committed,
  ContactStore,
  OperatorStore,
} from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'

/** A separate application: a simulation never reaches a real one's chat or contacts. */
export const SIMULATION_ID = '00000000-0000-7000-8000-000000000999'
export const SIMULATION_USER = 'simulation'
/** +999 is assigned to no country: if a provider is configured before the simulation ends, it reaches nobody. */
const CONTACT = { name: 'SIMULATION', phone: '+99900000000', email: null, language: 'en' }
/** Unless the site's own place is given: in the middle of the Atlantic, where no team would start. */
const POSITION = { latitude: 30, longitude: -40 }
/** Short: one message, one round, and over within an hour if nobody resolves it. */
const SETTINGS: Partial<Settings> = {
  graceSeconds: 0,
  rounds: 1,
  persistHours: 0,
  watchMinutes: 0,
  autoResolveHours: 1,
}

type SimulationNeeds = {
  readonly store: AuditStore &
    Pick<OperatorStore, 'addAuditRow'> &
    Pick<ApplicationStore, 'application'> &
    Pick<AccountStore, 'ensureUser' | 'updateProfile'> &
    Pick<ContactStore, 'contacts' | 'addContact'>
  readonly ids: Ids
  readonly clock: Pick<Clock, 'now'>
  /** Whether the outbox is the only provider. */
  readonly isOutboxOnly: () => boolean
  readonly raise: (
    user: { readonly appId: string; readonly userId: string },
    payload: { readonly timestamp: string; readonly latitude: number; readonly longitude: number },
  ) => Promise<Pick<Committed, 'incidentId'>>
}

/** In degrees. Everything that shows it says that it is invented. */
type Place = { readonly latitude: number; readonly longitude: number }

type Refused = { readonly refused: 'messages_leave' | 'simulation_changed' }

/**
 * Raises an SOS of an invented user, all the way to the outbox, to show one on a new installation. Refused if SMS or
 * calls leave this machine, or if the simulation's application could notify someone: a simulation never reaches a
 * person.
 */
export const simulating =
  ({ store, ids, clock, isOutboxOnly, raise }: SimulationNeeds) =>
  async (by: By, place: Place = POSITION): Promise<{ readonly incidentId: string } | Refused> => {
    if (!isOutboxOnly()) return { refused: 'messages_leave' }
    const known = await store.application(SIMULATION_ID)
    if (known !== null && !tellsNobody(known)) return { refused: 'simulation_changed' }
    if (known === null) await createApplication(by)
    const { now } = by
    const appId = SIMULATION_ID
    const user = await store.ensureUser({ appId, externalUserId: SIMULATION_USER, id: ids.uuid(), now })
    const contacts = await store.contacts(user.id)
    if (contacts.some(({ phone }) => phone !== CONTACT.phone)) return { refused: 'simulation_changed' }
    if (user.name === null) await store.updateProfile(user.id, { name: 'SIMULATION' }, now)
    if (contacts.length === 0) {
      const added = await store.addContact(user.id, { id: ids.uuid(), fields: CONTACT, now, limit: 1 })
      if ('refused' in added) return { refused: 'simulation_changed' }
    }
    await store.addAuditRow(rowBy(by, { action: 'incident.simulate', appId }))
    const { incidentId } = await raise({ appId, userId: user.id }, { timestamp: isoAt(clock.now()), ...place })
    if (incidentId === null) throw new Error('a simulated alarm has no incident')
    return { incidentId }

    async function createApplication(who: By): Promise<void> {
      const application = newApplication({
        id: SIMULATION_ID,
        name: 'Simulation',
        language: 'en',
        disabled: true,
        settings: SETTINGS,
        createdAt: who.now,
      })
      // Nobody ever sees the secret, and the application is disabled: only a simulation raises an alarm here.
      const row = rowBy(who, { action: 'application.create', appId: SIMULATION_ID })
      await store.audited(row).createApplication(application, ids.secret())
    }
  }

const tellsNobody = ({ actuators, fallbackContact }: Application): boolean =>
  fallbackContact === null &&
  Object.keys(actuators).join() === 'emergency_contacts' &&
  !actuators.emergency_contacts?.httpUrl
