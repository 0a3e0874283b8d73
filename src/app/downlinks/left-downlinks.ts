import { isStaleDownlink } from '../../core/incident/downlinks.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { DAY } from '../../lib/durations.ts'
import type { DownlinkSender } from '../../ports/downlink-sender.ts'
import type { IncidentStore } from '../../ports/store.ts'

/** Messages of an incident that ended longer ago than this are no longer withdrawn. */
const TAKEN_BACK_MS = DAY

type Senders = ReadonlyMap<string, DownlinkSender>

/** Whether the network server holds an outdated message of this incident and can withdraw it. */
export function canWithdraw({ senders }: { readonly senders: Senders }, incident: Incident): boolean {
  if (incident.downlinks === undefined) return false
  const { route, rows } = incident.downlinks
  return senders.get(route.server)?.flush !== undefined && rows.some((row) => isStaleDownlink(incident, row))
}

/** The incidents that the last process left with messages to send or withdraw. `now`: epoch ms. */
export async function leftDownlinks(
  { store, senders }: { readonly store: Pick<IncidentStore, 'incidents'>; readonly senders: Senders },
  now: number,
): Promise<readonly string[]> {
  const open = (await store.incidents({ openOnly: true })).filter(({ incident }) => incident.downlinks !== undefined)
  const canTakeBack = [...senders.values()].some(({ flush }) => flush !== undefined)
  const ended = (canTakeBack ? await store.incidents({ openOnly: false }) : []).filter(({ incident }) => {
    const { closedAt } = incident.state
    return closedAt !== null && now - closedAt < TAKEN_BACK_MS && canWithdraw({ senders }, incident)
  })
  // Open ones first: their queued messages must be known before a queue is emptied.
  return [...open, ...ended].map(({ incident }) => incident.id)
}
