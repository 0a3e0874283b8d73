import type { AccountStore, ApplicationStore, ContactStore, OperatorStore } from '../../ports/store.ts'
import { SIMULATION_ID, SIMULATION_USER } from './simulation.ts'

/** The progress of a new installation. Null: not done yet. */
export type FirstSteps = {
  readonly application: { readonly applicationId: string; readonly name: string } | null
  /** A contact who would be alarmed. `externalUserId`: the contact's user; null for the fallback contact. */
  readonly contact: { readonly name: string; readonly externalUserId: string | null } | null
  /** The last test message that a provider, or the outbox, took. `at`: epoch ms. */
  readonly test: { readonly at: number } | null
  readonly simulated: boolean
  /** False if messages leave this machine, which is the last step. */
  readonly maySimulate: boolean
  /** Whether every step is done. */
  readonly done: boolean
}

/** Derives from stored data which of the first steps are done: nobody ticks anything off. */
export const firstSteps =
  ({
    store,
    isOutboxOnly,
  }: {
    readonly store: Pick<ApplicationStore, 'applications'> &
      Pick<AccountStore, 'userByExternalId'> &
      Pick<ContactStore, 'anyContact'> &
      Pick<OperatorStore, 'lastAudited'>
    /** Whether the outbox is the only provider. */
    readonly isOutboxOnly: () => boolean
  }) =>
  async (): Promise<FirstSteps> => {
    const applications = (await store.applications()).filter(({ id }) => id !== SIMULATION_ID)
    const [known, tested, simulation] = await Promise.all([
      store.anyContact(applications.map(({ id }) => id)),
      store.lastAudited('test.accepted'),
      store.userByExternalId(SIMULATION_ID, SIMULATION_USER),
    ])
    const first = applications.find(({ disabled }) => !disabled) ?? null
    const desk = applications.find(({ fallbackContact }) => fallbackContact !== null)?.fallbackContact ?? null
    const contact = known ?? (desk && { name: desk.name, externalUserId: null })
    const test = tested && { at: tested.at }
    const simulated = simulation !== null
    return {
      application: first && { applicationId: first.id, name: first.name },
      contact,
      test,
      simulated,
      maySimulate: isOutboxOnly(),
      done: first !== null && contact !== null && test !== null && !isOutboxOnly(),
    }
  }
