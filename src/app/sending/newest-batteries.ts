import { type Batteries, batteriesOf } from '../../core/incident/battery.ts'
import type { Incident } from '../../core/incident/incident.ts'
import type { TelemetryStore } from '../../ports/store.ts'

/** The number of newest reports that are searched for a battery. */
const REPORTS = 20

/** The newest known levels. A store that does not answer must not keep an alarm from leaving. */
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
