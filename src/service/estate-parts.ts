import { setTimeout as pause } from 'node:timers/promises'
import type { EstateParts } from '../adapters/inbound/http/operator/estate-parts.ts'
import { isBlockedTarget } from '../adapters/outbound/http/address-guard.ts'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import { isPossibleNumber } from '../adapters/platform/system/possible-number.ts'
import { keptDatabases } from '../adapters/stores/sqlite/files/kept-databases.ts'
import { raiseAlarm } from '../app/ingest/raise-sos.ts'
import { knownBackups } from '../app/operator/backups.ts'
import { clockKeeping } from '../app/operator/clock.ts'
import { contactChecks } from '../app/operator/contact-checks.ts'
import { healthFigures } from '../app/operator/figures.ts'
import { firstSteps } from '../app/operator/first-steps.ts'
import { lookNotes } from '../app/operator/looks.ts'
import { simulating } from '../app/operator/simulation.ts'
import { sendingTests } from '../app/operator/test-message.ts'
import { operatorTimers } from '../app/operator/timers.ts'
import { unnamedEndsConcern } from '../app/user/unnamed-ends.ts'
import type { AskingLimits } from '../app/user/verify-contacts.ts'
import { configWarnings } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { joinedCalls } from '../lib/joined-calls.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

type Parts = {
  readonly sender: Sending['sender']
  readonly endSessions: (appId: string) => void
  readonly readiness: () => Promise<readonly string[]>
  readonly userReadiness: EstateParts['readiness']
  readonly concerns: () => readonly string[]
  readonly asking: AskingLimits
  readonly calendar: Parameters<typeof clockKeeping>[0]['calendar']
}

/** What is behind the routes of applications, users, trackers and the system. */
export function estateParts(config: Config, basis: Basis, parts: Parts): EstateParts {
  const { store, ids, nodes, machineTimeZone } = basis
  const { sender, endSessions, readiness, userReadiness, concerns, asking, calendar } = parts
  const { defaults, allowPrivateTargets, providers } = config.notifications
  const codes = createPairingCodes()
  const warnings = configWarnings(config)
  const isOutboxOnly = providers.every((provider) => provider === 'outbox')
  const raise = raiseAlarm(basis)
  const monotonicMs = () => performance.now()
  return {
    store,
    ids,
    devicesPerUser: config.limits.devicesPerUser,
    askContact: contactChecks({ store, ids, ...asking }),
    codes: { make: () => codes.make(), hash: oneAtATime((code: string) => codes.hash(code)) },
    // Leases are renewed on the same session.
    nodes: nodes && { nodes: joinedCalls(() => nodes.nodes()), drain: oneAtATime((...asked) => nodes.drain(...asked)) },
    isBlocked: allowPrivateTargets ? async () => false : oneAtATime((url: string) => isBlockedTarget(url)),
    defaults: { settings: defaults, timeZone: machineTimeZone() },
    look: lookNotes(basis),
    endSessions,
    sendTest: sendingTests({ store, ids, defaults, send: (one) => sender.send(one), warnings, monotonicMs }),
    simulate: simulating({
      store,
      ids,
      isOutboxOnly,
      raise: ({ appId, userId }, position) => raise({ appId, userId }, position, 'rest'),
    }),
    firstSteps: firstSteps({ store, isOutboxOnly }),
    contactsPerUser: config.limits.contactsPerUser,
    asking,
    isPossible: isPossibleNumber,
    announce: (joined) => basis.door.announce(joined),
    backups: knownBackups({ ...basis, isOwn: config.store.url === null }),
    clock: clockKeeping({ ...basis, calendar }),
    timers: operatorTimers(basis),
    pause: (ms) => pause(ms),
    readiness: userReadiness,
    async health(applications: readonly string[] | null) {
      const [reasons, figures, unnamed] = await Promise.all([
        readiness(),
        store.figures(),
        unnamedEndsConcern(store, basis.clock.now(), applications),
      ])
      // In place of the one of `/readyz`, which counts the applications of others, too.
      const others = concerns().filter((concern) => concern !== basis.unnamedEnds.concern())
      return {
        reasons,
        concerns: [...new Set([...others, ...(unnamed === null ? [] : [unnamed]), ...warnings])],
        keepsMessages: providers[0] === 'outbox',
        figures: healthFigures(figures, applications),
      }
    },
    keptDatabases: () => keptDatabases(config.dataDir, config.store.url === null),
  }
}

/** Runs the calls of `work` in turn. */
function oneAtATime<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const next = last.then(() => work(...args))
    last = next.catch(() => {})
    return next
  }
}
