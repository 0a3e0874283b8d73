import { isCanary } from '../core/account/canary.ts'
import type { Incident } from '../core/incident/incident.ts'
import { table } from './answer.ts'

/** The canary's incident needs no resume: its next run ends it. */
const shown = (held: readonly Incident[]): readonly Incident[] => held.filter(({ appId }) => !isCanary(appId))

/** The open incidents of a restored store, for `--json`. */
export const heldView = (held: readonly Incident[]) =>
  shown(held).map(({ id, externalUserId, state, openedAt }) => ({
    incidentId: id,
    externalUserId,
    status: state.status,
    openedAt: new Date(openedAt).toISOString(),
  }))

/** The same as text, with what to do about them. */
export const heldText = (held: readonly Incident[]): string =>
  table(heldView(held), 'No incidents are open.') +
  (shown(held).length === 0
    ? ''
    : '\n\nNothing is sent for these until you run tocsin incident resume ID. If one is over, run tocsin incident resolve ID: everyone who was notified is told.')
