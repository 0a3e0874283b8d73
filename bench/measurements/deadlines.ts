import { setTimeout as wait } from 'node:timers/promises'
import type { Tocsin } from '../contenders/tocsin.ts'
import { connectTrackers } from '../load/tracker.ts'
import type { Plan } from '../plan.ts'
import { type Spread, spreadOf } from '../statistics.ts'

export type DeadlineFigures = {
  readonly incidents: number
  readonly graceSeconds: number
  /** Milliseconds between the first and the last opening. */
  readonly openedWithinMs: number
  /** How many milliseconds after its deadline each notification was sent. */
  readonly latenessMs: Spread
}

type IncidentRow = { readonly appId: string; readonly incidentId: string; readonly openedAt: string }
type OutboxRow = { readonly incidentId: string; readonly channel: string; readonly createdAt: string | number }

/** Wait this long after the last deadline before running the command line, which would affect what it measures. */
const QUIET_MS = 3000
const TIMEOUT_MS = 30_000

/**
 * Opens incidents of many users at the same time, each with one contact. Compares when each SMS was sent (its time in
 * the outbox) with when it was due: at the end of the grace window, which starts when the incident opens.
 */
export async function measureDeadlines(
  { tocsin, say }: { readonly tocsin: Tocsin; readonly say: (line: string) => void },
  plan: Plan['deadlines'],
): Promise<DeadlineFigures> {
  const { graceSeconds } = plan
  const application = await tocsin.createApplication('bench deadlines')
  await tocsin.cli(
    'app',
    'actuator',
    'set',
    application.appId,
    'emergency_contacts',
    '--grace-seconds',
    `${graceSeconds}`,
  )
  const users = await tocsin.createUsers(application, 'hiker', plan.incidents, 1)
  const trackers = await connectTrackers(tocsin.port, users)

  say(`deadlines: ${plan.incidents} incidents at once, each due after ${graceSeconds} s`)
  await Promise.all(trackers.map((tracker) => tracker.press()))
  await wait(graceSeconds * 1000 + QUIET_MS)
  for (const tracker of trackers) tracker.close()

  const incidents = ((await tocsin.cli('incident', 'list')) as IncidentRow[]).filter(
    ({ appId }) => appId === application.appId,
  )
  if (incidents.length !== plan.incidents) throw new Error(`${incidents.length} of ${plan.incidents} incidents opened`)
  const openedAt = new Map(incidents.map((incident) => [incident.incidentId, Date.parse(incident.openedAt)]))
  const sent = await untilSent(tocsin, openedAt)
  const opened = [...openedAt.values()]
  return {
    incidents: incidents.length,
    graceSeconds,
    openedWithinMs: Math.max(...opened) - Math.min(...opened),
    latenessMs: spreadOf(
      sent.map((row) => new Date(row.createdAt).getTime() - openedAt.get(row.incidentId)! - graceSeconds * 1000),
    ),
  }
}

async function untilSent(tocsin: Tocsin, openedAt: ReadonlyMap<string, number>): Promise<OutboxRow[]> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const rows = ((await tocsin.cli('outbox', 'list')) as OutboxRow[]).filter(
      (row) => row.channel === 'sms' && openedAt.has(row.incidentId),
    )
    if (rows.length >= openedAt.size) return rows
    if (performance.now() > deadline) throw new Error(`${rows.length} of ${openedAt.size} notifications left`)
    await wait(1000)
  }
}
