import { mayBecome } from '../../core/incident/delivery.ts'
import {
  type Downlink,
  type DownlinkKind,
  type DownlinkStep,
  downlinkKinds,
  downlinkRef,
} from '../../core/incident/downlink.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Committed, IncidentStore } from '../../ports/store.ts'

/** A network server's report on messages: `refs` are the ids that it gives, ours or not. */
export type DownlinkReceipt = {
  readonly server: string
  readonly devEui: string
  readonly refs: readonly string[]
  readonly status: 'sent' | 'delivered' | 'failed'
}

/** An incident whose tracker is being messaged. `rows`: as of the last check. */
type Told = { rows: readonly Downlink[] }

type DownlinkReceiptNeeds = {
  readonly store: Pick<IncidentStore, 'incident'>
  /** The incident that this tracker is told about. */
  readonly toldTo: (receipt: DownlinkReceipt) => readonly [incidentId: string, told: Told] | null
  /** Through the write door. */
  readonly step: (incidentId: string, kind: DownlinkKind, step: DownlinkStep) => Promise<Committed>
  readonly meter: Meter
}

/** The most receipts of one incident that are kept while its message is being handed over. */
const MAX_EARLY = 8

/**
 * Records network servers' reports on messages. A report may arrive before the response that names its message, or at a
 * node that did not hand it over.
 */
export function downlinkReceipts({ store, toldTo, step, meter }: DownlinkReceiptNeeds) {
  const beingRecorded = new Set<string>()
  const early = new Map<string, DownlinkReceipt[]>()

  const matching = async (incidentId: string, told: Told, refs: readonly string[]) => {
    const known = messageOf(incidentId, told.rows, refs)
    if (known !== null) return known
    const record = await store.incident(incidentId)
    told.rows = record?.incident.downlinks?.rows ?? told.rows
    return messageOf(incidentId, told.rows, refs)
  }

  /** Records a report. False for messages that are not ours, or no longer of interest. */
  async function heard(receipt: DownlinkReceipt): Promise<boolean> {
    const { refs, status } = receipt
    const [incidentId, told] = toldTo(receipt) ?? []
    if (incidentId === undefined || told === undefined || refs.length === 0) return false
    const message = await matching(incidentId, told, refs)
    if (message === null) {
      const kept = early.get(incidentId)
      if (kept !== undefined && kept.length < MAX_EARLY) kept.push(receipt)
      return false
    }
    const { kind, ref } = message
    // A flood of the same report costs one write.
    if (!mayBecome(message.status, status) || beingRecorded.has(ref)) return false
    beingRecorded.add(ref)
    try {
      const { verdict, incident } = await step(incidentId, kind, { name: 'heard', ref, status })
      told.rows = incident?.downlinks?.rows ?? told.rows
      if (verdict !== 'changed') return false
    } finally {
      beingRecorded.delete(ref)
    }
    meter.count('lorawan_downlinks_total', { result: status })
    return true
  }

  return {
    heard,

    /**
     * Hands over a message of the incident. A receipt that arrives meanwhile and names no known message is checked
     * after it.
     */
    async during(incidentId: string, handOver: () => Promise<void>): Promise<void> {
      const kept: DownlinkReceipt[] = []
      early.set(incidentId, kept)
      try {
        await handOver()
      } finally {
        early.delete(incidentId)
      }
      for (const receipt of kept) await heard(receipt)
    },
  }
}

/** The incident's message that one of these ids names. The id that we assign follows from the incident. */
function messageOf(incidentId: string, rows: readonly Downlink[], refs: readonly string[]) {
  for (const { kind, ref, status } of rows) if (ref !== null && refs.includes(ref)) return { kind, ref, status }
  const kind = downlinkKinds.find((one) => refs.includes(downlinkRef(incidentId, one)))
  return kind === undefined ? null : { kind, ref: downlinkRef(incidentId, kind), status: 'scheduled' as const }
}
