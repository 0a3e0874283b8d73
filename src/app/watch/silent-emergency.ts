import type { IncidentStore } from '../../ports/store.ts'

/** Whether the user has an open silent emergency: nothing may ring at them. rules.md#silent-emergency. */
export const isSilentlyOpen = async (store: Pick<IncidentStore, 'openIncident'>, userId: string): Promise<boolean> =>
  (await store.openIncident(userId))?.incident.silent === true
