import type { FieldState } from '../../core/field/field-state.ts'
import { type HeardSession, withHeard } from '../../core/field/lorawan/old-event.ts'
import type { SosFlag } from '../../core/field/sos-flag.ts'
import type { UplinkPress } from '../../core/field/uplink-press.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { FieldDevice, FieldStore } from '../../ports/field-store.ts'
import type { Log } from '../../ports/log.ts'

/** Trackers whose state is kept in memory, where a write takes effect before it is on disk. */
const MAX_IN_MEMORY = 10_000
/** How often a tracker's state is written if nothing depends on it. */
const REWRITE_MS = MINUTE

/** `order`: of the newest report. `flagOrder`: of the newest report that mentions the flag. */
type Kept = { readonly state: FieldState; readonly order: number; readonly flagOrder: number }

/**
 * The content of one report about its tracker. `flag`: undefined if the report does not mention it. `at`: its arrival,
 * epoch ms.
 */
type Told = {
  readonly order: number
  readonly at: number
  readonly battery: number | null
  readonly flag?: SosFlag | null
  readonly uplink?: UplinkPress | null
  readonly heardIn?: HeardSession | undefined
  /** The tracker reports too often: only changes of its flag are written at once. */
  readonly isTooMany?: boolean
}

/**
 * The last known state of each tracker. The newest report wins, whichever is stored first: an alarm waits for its
 * commit, and a report that arrives meanwhile must not be overwritten. devices.md#flags.
 */
export function fieldMemory({
  store,
  log,
}: {
  readonly store: Pick<FieldStore, 'keepFieldState'>
  readonly log: Log
}): {
  /** The next report's number in the order of arrival. */
  readonly nextOrder: () => number
  readonly stateOf: (device: FieldDevice) => FieldState | null
  /**
   * Updates the state in memory at once, and writes it if anything depends on it. Resolves after the write, with an
   * error if it failed. Never rejects.
   */
  readonly keep: (device: FieldDevice, told: Told) => Promise<Error | null>
} {
  const memory = new BoundedMap<string, Kept>(MAX_IN_MEMORY)
  let reports = 0

  const stateOf = ({ deviceId, state }: FieldDevice): FieldState | null => {
    const kept = memory.get(deviceId)?.state
    return kept !== undefined && (state === null || kept.heardAt >= state.heardAt) ? kept : state
  }

  return {
    nextOrder() {
      reports += 1
      return reports
    },
    stateOf,
    async keep(device, told) {
      const { deviceId, userId } = device
      const before = stateOf(device)
      const kept = memory.get(deviceId)
      const next = following(before, kept, told)
      memory.set(deviceId, next)
      const { state } = next
      // Compares with the state on disk: after a failed write, memory is ahead.
      const { flag = null, battery, heardAt = 0 } = device.state ?? {}
      const isSame = isSamePress(flag, state.flag) && (battery === state.battery || told.isTooMany === true)
      if (isSame && Math.abs(state.heardAt - heardAt) < REWRITE_MS) return null
      try {
        await store.keepFieldState(deviceId, state, flag !== null && state.flag === null)
        return null
      } catch (error) {
        log.warn({ userId, err: error }, 'the state of a tracker could not be kept')
        return error instanceof Error ? error : new Error(String(error))
      }
    },
  }
}

/** The state after a report. News from a newer report stays. */
function following(before: FieldState | null, kept: Kept | undefined, told: Told): Kept {
  const { order, at, battery, flag, uplink, heardIn } = told
  const isLate = kept !== undefined && order < kept.order
  const isFlagLate = kept !== undefined && order < kept.flagOrder
  const isFlagNews = flag !== undefined && !isFlagLate
  const known = before?.battery ?? null
  const sessions = heardIn ? withHeard(before?.sessions ?? [], heardIn) : before?.sessions
  const press = uplink && !isFlagLate ? uplink : before?.uplink
  return {
    state: {
      heardAt: isLate && before !== null ? before.heardAt : at,
      battery: isLate ? (known ?? battery) : (battery ?? known),
      flag: isFlagNews ? flag : (before?.flag ?? null),
      ...(press && { uplink: press }),
      ...(sessions && { sessions }),
    },
    order: isLate ? kept.order : order,
    flagOrder: isFlagNews ? order : (kept?.flagOrder ?? 0),
  }
}

const isSamePress = (a: SosFlag | null, b: SosFlag | null): boolean =>
  a?.incidentId === b?.incidentId && a?.press === b?.press
