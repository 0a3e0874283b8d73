import { setTimeout as pause } from 'node:timers/promises'
import type { EstateParts } from '../adapters/inbound/http/operator/estate-parts.ts'
import type { OperatorParts } from '../adapters/inbound/http/operator/parts.ts'
import { isBlockedTarget } from '../adapters/outbound/http/address-guard.ts'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import { createPasswords } from '../adapters/platform/system/passwords.ts'
import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { keptDatabases } from '../adapters/stores/sqlite/files/kept-databases.ts'
import { raiseAlarm } from '../app/ingest/raise-sos.ts'
import { knownBackups } from '../app/operator/backups.ts'
import { currentItem } from '../app/operator/board-item.ts'
import { operatorCallers } from '../app/operator/callers.ts'
import { passwordChange } from '../app/operator/change-password.ts'
import { clockKeeping } from '../app/operator/clock.ts'
import { contactChecks } from '../app/operator/contact-checks.ts'
import { operatorDrills } from '../app/operator/drills.ts'
import { healthFigures } from '../app/operator/figures.ts'
import { firstSignIn } from '../app/operator/first-sign-in.ts'
import { firstSteps } from '../app/operator/first-steps.ts'
import { IncidentChanges } from '../app/operator/incident-changes.ts'
import { operatorIncidents } from '../app/operator/incidents.ts'
import { lookNotes } from '../app/operator/looks.ts'
import { management } from '../app/operator/management.ts'
import { operatorAccount } from '../app/operator/operator-account.ts'
import { presenceCheck } from '../app/operator/presence.ts'
import { operatorShift } from '../app/operator/shift.ts'
import { watchShifts } from '../app/operator/shift-watch.ts'
import { signingIn } from '../app/operator/sign-in.ts'
import { simulating } from '../app/operator/simulation.ts'
import { sendingTests } from '../app/operator/test-message.ts'
import { operatorTimers } from '../app/operator/timers.ts'
import type { Calendar } from '../app/upkeep/calendar.ts'
import { unnamedEndsConcern } from '../app/user/unnamed-ends.ts'
import type { AskingLimits } from '../app/user/verify-contacts.ts'
import { trackerMqttAddress } from '../config/public-address.ts'
import { configWarnings } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../lib/network-of.ts'
import { joinedCalls } from '../lib/shared-reads.ts'
import type { Addresses } from './addresses.ts'
import type { Closers } from './closers.ts'
import type { Health } from './health.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

type OperatorNeeds = {
  readonly addresses: Pick<Addresses, 'publicUrl'>
  readonly sending: Pick<Sending, 'sender'>
  readonly calendar: Calendar
  readonly health: Health
  readonly asking: AskingLimits
  readonly endSessions: (appId: string) => void
}

/** What is behind the operator API. */
export function prepareOperatorApi(
  config: Config,
  basis: Basis,
  needs: OperatorNeeds,
  closers: Closers,
): OperatorParts {
  const passwords = createPasswords()
  const siteName = config.publicUrl === null ? 'Tocsin' : new URL(config.publicUrl).hostname
  const own = { ...basis, passwords, networkOf, site: siteName, monotonicMs: () => performance.now() }
  const signedIn = { ...own, isPresent: presenceCheck(own) }
  const changes = changesOf(basis)
  // One for all: whoever looks at incidents and at people has one number of rows an hour.
  const noteLook = lookNotes(basis)
  const mayRun = () => basis.lease?.isHousekeeper !== false
  const shifts = watchShifts({ ...basis, isDateBelieved: () => needs.calendar.isBelieved(), mayRun })
  closers.add(() => shifts.stop())
  return {
    callers: operatorCallers({ ...own, onSessionEnded: () => shifts.look() }),
    signIn: signingIn(own),
    firstSignIn: firstSignIn(own),
    estate: estateOf(config, basis, noteLook, needs),
    incidents: operatorIncidents({
      ...basis,
      noteLook,
      noted: (incidentId) => changes.noted(incidentId),
      ended: (outcome) => basis.meter.count('incidents_resolved_total', { outcome }),
    }),
    drills: operatorDrills(basis),
    shift: operatorShift(basis),
    changePassword: passwordChange(signedIn),
    account: operatorAccount(signedIn),
    manage: management(own),
    changes,
    noteLook,
    publicUrl: needs.addresses.publicUrl,
    trackerMqtt: trackerMqttAddress(config),
    siteName,
    node: config.node.id,
  }
}

/** What is behind the routes of applications, users, trackers and the system. */
function estateOf(
  config: Config,
  basis: Basis,
  look: EstateParts['look'],
  { sending: { sender }, calendar, health, asking, endSessions }: OperatorNeeds,
): EstateParts {
  const { store, ids, nodes, machineTimeZone } = basis
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
    look,
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
    readiness: health.ofUsers,
    async health(applications: readonly string[] | null) {
      const [reasons, figures, unnamed] = await Promise.all([
        health.readiness(),
        store.figures(),
        unnamedEndsConcern(store, basis.clock.now(), applications),
      ])
      // In place of the one of `/readyz`, which counts the applications of others, too.
      const others = health.concerns().filter((concern) => concern !== basis.unnamedEnds.concern())
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

function changesOf({ store, door, ids, log }: Basis): IncidentChanges {
  const changes = new IncidentChanges({
    ids,
    log,
    async read(incidentId) {
      const record = await store.boardRecord(incidentId)
      return record === null ? null : currentItem(store, record)
    },
  })
  // Also of a commit without events: a further press while the contacts are being told has none.
  door.follow(({ incidentId, events }) => {
    if (incidentId !== null) changes.changed(incidentId, events[0]?.message.drill === true)
  })
  return changes
}
