import { type Batteries, batteriesOf } from '../../core/incident/battery.ts'
import type { Incident } from '../../core/incident/incident.ts'
import type { TelemetryStore } from '../../ports/store.ts'

/** Among so many of the newest reports one that names a battery is looked for. */
const REPORTS = 20

/** As far as is known: a store that does not answer must not keep an alarm from leaving. */
export async function newestBatteries(
  store: Pick<TelemetryStore, 'telemetryHistory'>,
  incident: Incident,
): Promise<Batteries> {
  try {
    const query = { after: null, limit: REPORTS, from: null, to: null, isOwn: true } as const
    const page = await store.telemetryHistory(incident.userId, query)
    return batteriesOf(incident, 'items' in page ? page.items : [])
  } catch {
    return batteriesOf(incident)
  }
}
