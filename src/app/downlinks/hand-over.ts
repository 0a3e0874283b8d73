import type { UplinkProfiles } from '../../core/field/lorawan/profile.ts'
import {
  type Downlink,
  type DownlinkKind,
  type DownlinkRoute,
  type DownlinkStep,
  downlinkRef,
} from '../../core/incident/downlink.ts'
import { SECOND } from '../../lib/durations.ts'
import type { DownlinkSender } from '../../ports/downlink-sender.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Committed } from '../../ports/store.ts'

const TIMEOUT_MS = 5 * SECOND

export type HandOverNeeds = {
  /** By the name of the network server. */
  readonly senders: ReadonlyMap<string, DownlinkSender>
  /** Returns the ones in force now. */
  readonly profiles: () => UplinkProfiles
  /** Through the write door. */
  readonly step: (incidentId: string, kind: DownlinkKind, step: DownlinkStep) => Promise<Committed>
  readonly log: Log
  readonly meter: Meter
}

/** The work at a network server for one incident. Both functions reject if the result could not be recorded. */
export function atNetworkServer({ senders, profiles, step, log, meter }: HandOverNeeds) {
  const aboutOf = (incidentId: string, { server, devEui }: DownlinkRoute) => ({ incidentId, server, devEui })

  return {
    /** Claims the message, hands it over and records the result. Does nothing if another node has it. */
    async handOver(incidentId: string, route: DownlinkRoute, kind: DownlinkKind): Promise<void> {
      const claimed = await step(incidentId, kind, { name: 'claim', ref: downlinkRef(incidentId, kind) })
      const row = claimed.incident?.downlinks?.rows.find((one) => one.kind === kind)
      if (claimed.verdict !== 'changed' || row === undefined || row.ref === null || row.claimedUntil === null) return
      const said = profiles()[route.profile]?.downlinks?.[kind]
      const sender = senders.get(route.server)
      const about = { ...aboutOf(incidentId, route), kind }
      if (said === undefined || sender === undefined) {
        await step(incidentId, kind, { name: 'refused', error: 'not configured', retryable: false })
        log.warn(about, 'a tracker is not told: its profile or its network server no longer has downlinks')
        return
      }
      const { ref, expiresAt } = row
      const message = { route, port: said.port, payload: Buffer.from(said.hex, 'hex'), ref, expiresAt }
      const outcome = await sender.enqueue(message, TIMEOUT_MS)
      if (outcome.kind === 'queued') {
        meter.count('lorawan_downlinks_total', { result: 'queued' })
        await step(incidentId, kind, { name: 'queued', ref: outcome.ref })
        log.info(about, 'a message to a tracker waits at its network server')
        return
      }
      const { error, retryable, mayWait = false } = outcome
      meter.count('lorawan_downlinks_total', { result: 'refused' })
      log.warn({ ...about, error, retryable }, 'the network server did not take a message to a tracker', error)
      await step(incidentId, kind, { name: 'refused', error, retryable, mayWait })
    },

    /**
     * Empties the tracker's queue there, and records that for each of the incident's messages: a restart does not
     * repeat it, and messages that are still true are handed over again. `elsewhere`: another node is about to empty
     * it, or has done so.
     */
    async takeBack(
      incidentId: string,
      route: DownlinkRoute,
      rows: readonly Downlink[],
    ): Promise<'done' | 'failed' | 'elsewhere'> {
      const [first] = rows
      if (first === undefined) return 'done'
      const { verdict } = await step(incidentId, first.kind, { name: 'takeBack' })
      if (verdict !== 'changed') return 'elsewhere'
      const isDone = (await senders.get(route.server)?.flush?.(route, TIMEOUT_MS)) ?? true
      if (!isDone) {
        log.warn(aboutOf(incidentId, route), 'a message that is no longer true could not be taken back')
        await step(incidentId, first.kind, { name: 'notTakenBack' })
        return 'failed'
      }
      for (const { kind } of rows) await step(incidentId, kind, { name: 'takenBack' })
      return 'done'
    },
  }
}
