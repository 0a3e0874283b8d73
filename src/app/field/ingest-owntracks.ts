import type { TrackerSession } from '../../core/account/session.ts'
import { readOwnTracks } from '../../core/field/owntracks.ts'
import { ownTracksPublish } from '../../core/field/owntracks-topic.ts'
import type { FieldStore } from '../../ports/field-store.ts'
import type { IngestResult } from '../ingest/ingest-publish.ts'
import type { Origin, takeReport } from './take-report.ts'

export type TrackerPublish = { readonly session: TrackerSession; readonly topic: string; readonly payload: Buffer }

/** The same as over HTTP: many times what the apps send. A longer message is truncated and kept as a dead letter. */
const MAX_BYTES = 16 * 1024

/**
 * Ingests a publish of an OwnTracks app as its tracker's owner. The token is looked up again for each report, so that a
 * revoked one stops working at once. Settles after the commit. Rejects with a StoreError if nothing was stored.
 * devices.md#flags; trackers.md.
 */
export const ingestOwnTracks =
  ({
    store,
    reports,
  }: {
    readonly store: Pick<FieldStore, 'deviceByToken'>
    readonly reports: Pick<ReturnType<typeof takeReport>, 'take' | 'unreadable'>
  }) =>
  async ({ session, topic, payload }: TrackerPublish): Promise<IngestResult> => {
    const kind = ownTracksPublish(topic)
    if (kind === null) return 'refused'
    const { deviceId, tokenHash } = session.tracker
    const device = await store.deviceByToken(tokenHash)
    if (device === null || device.deviceId !== deviceId || device.userId !== session.userId) return 'refused'
    // The apps clear retained messages with an empty payload.
    if (kind === 'ignored' || payload.length === 0) return 'stored'
    const said = payload.length > MAX_BYTES ? null : readOwnTracks(jsonIn(payload))
    if (said === 'ignored') return 'stored'
    const origin: Origin = {
      transport: 'tracker',
      topic: 'trackers/owntracks',
      raw: Buffer.from(payload.subarray(0, MAX_BYTES)),
    }
    const taken =
      said === null
        ? await reports.unreadable(device, origin, 'cannot be read as a report')
        : await reports.take(device, said, origin)
    return taken === 'dead_lettered' ? 'dead_lettered' : 'stored'
  }

function jsonIn(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    return undefined
  }
}
