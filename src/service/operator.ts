// One file: the wiring of every use case of the operator API, in one table.

import { setTimeout as pause } from 'node:timers/promises'
import type { OperatorNeeds } from '../adapters/inbound/http/operator/routes.ts'
import { isBlockedTarget, systemResolve } from '../adapters/outbound/http/address-guard.ts'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import { createPasswords } from '../adapters/platform/system/passwords.ts'
import { callingCodeOf, isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { newestSchema } from '../adapters/stores/shared/migrations.ts'
import { keptDatabases } from '../adapters/stores/sqlite/files/kept-databases.ts'
import { raiseAlarm } from '../app/ingest/raise-sos.ts'
import { knownBackups } from '../app/operator/backups.ts'
import { currentItem } from '../app/operator/board-item.ts'
import { operatorCallers } from '../app/operator/callers.ts'
import { passwordChange } from '../app/operator/change-password.ts'
import { clockKeeping } from '../app/operator/clock.ts'
import { contactChecks } from '../app/operator/contact-checks.ts'
import { operatorDrills } from '../app/operator/drills.ts'
import { firstAdministrator } from '../app/operator/first-administrator.ts'
import { firstSignIn } from '../app/operator/first-sign-in.ts'
import { firstSteps } from '../app/operator/first-steps.ts'
import { IncidentChanges } from '../app/operator/incident-changes.ts'
import { operatorIncidents } from '../app/operator/incidents.ts'
import { lookNotes } from '../app/operator/looks.ts'
import { management } from '../app/operator/management.ts'
import { operatorAccount } from '../app/operator/operator-account.ts'
import { presenceCheck } from '../app/operator/presence.ts'
import { operatorSetup } from '../app/operator/setup.ts'
import type { SetupNews } from '../app/operator/setup-news.ts'
import { operatorShift } from '../app/operator/shift.ts'
import { watchShifts } from '../app/operator/shift-watch.ts'
import { signingIn } from '../app/operator/sign-in.ts'
import { SignInPaces } from '../app/operator/sign-in-paces.ts'
import { simulating } from '../app/operator/simulation.ts'
import { sendingTests } from '../app/operator/test-message.ts'
import { testQuota } from '../app/operator/test-quota.ts'
import { operatorTimers } from '../app/operator/timers.ts'
import { tellingOfDesk } from '../app/talk/desk-news.ts'
import type { Calendar } from '../app/upkeep/calendar.ts'
import type { NightlyBackups } from '../app/upkeep/nightly-backup.ts'
import type { Cards } from '../app/user/cards.ts'
import type { AskingLimits } from '../app/user/verify-contacts.ts'
import type { OnCallWatch } from '../app/watch/on-call-watch.ts'
import { trackerMqttAddress } from '../config/public-address.ts'
import { configWarnings } from '../config/warnings.ts'
import type { Config } from '../config.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import { networkOf } from '../lib/network-of.ts'
import { onDemand } from '../lib/on-demand.ts'
import { joinedCalls } from '../lib/shared-reads.ts'
import { oneAtATime } from '../lib/waits.ts'
import type { OperatorMail } from '../ports/operator-mail.ts'
import type { Addresses } from './addresses.ts'
import type { Certificates } from './certificates.ts'
import type { Closers } from './closers.ts'
import type { DatedReport } from './doctor/service-doctor.ts'
import type { Health } from './health.ts'
import { operatorHealth } from './operator-health.ts'
import { preparePasskeys } from './passkeys.ts'
import type { Sending } from './sending.ts'
import { siteNameOf } from './site-name.ts'
import { siteSetup } from './site-setup.ts'
import type { SosBySms } from './sms-sos.ts'
import type { Basis } from './storage.ts'
import { localCaOf } from './web-app.ts'
import type { WebPush } from './web-push.ts'

type OperatorApiNeeds = {
  readonly changes: IncidentChanges
  readonly addresses: Pick<Addresses, 'publicUrl'>
  readonly sending: Pick<Sending, 'sender' | 'providerNeeds' | 'operatorMail'>
  readonly calendar: Calendar
  readonly health: Health
  readonly backups: NightlyBackups | null
  readonly cards: Pick<Cards, 'opened'>
  readonly doctor: () => Promise<DatedReport>
  readonly asking: AskingLimits
  readonly onCallWatch: Pick<OnCallWatch, 'watched' | 'changed'>
  readonly endSessions: (appId: string) => void
  readonly tellBySms: SosBySms['told']
  readonly onDeskChanged: () => void
  readonly push: WebPush['ownOperator']
  readonly certificates: Pick<Certificates, 'whyNoPort' | 'concerns'>
  /** Null where no listener uses TLS. */
  readonly tls: Pick<TlsIdentity, 'info'> | null
}

/** The use cases of the operator API. */
export function prepareOperatorApi(
  config: Config,
  given: Basis,
  {
    changes,
    addresses,
    sending: { sender, providerNeeds, operatorMail },
    calendar,
    health,
    backups,
    cards,
    doctor,
    asking,
    onCallWatch,
    endSessions,
    tellBySms,
    onDeskChanged,
    push,
    certificates,
    tls,
  }: OperatorApiNeeds,
  closers: Closers,
): OperatorNeeds {
  const basis = { ...given, store: tellingOfDesk(given.store, onDeskChanged) }
  const { store, ids, nodes, machineTimeZone, site } = basis
  const { defaults, allowPrivateTargets } = config.notifications
  const passwords = createPasswords()
  const codes = createPairingCodes()
  const siteName = () => siteNameOf(site.now)
  const monotonicMs = () => performance.now()
  const own = { ...basis, passwords, networkOf, site: siteName, monotonicMs, paces: new SignInPaces() }
  const { publicUrl } = addresses
  const { passkeys, passkeySigned } = preparePasskeys(basis, {
    ...{ publicUrl, networkOf, monotonicMs, paces: own.paces },
    ...{ mail: operatorMail, dataDir: config.dataDir },
  })
  const signedIn = { ...own, isPresent: presenceCheck({ ...own, passkeySigned }) }
  // One for all: views of incidents and of people count towards the same rows an hour.
  const noteLook = lookNotes(basis)
  const mayRun = () => basis.lease?.isHousekeeper !== false
  const shifts = watchShifts({ ...basis, isDateBelieved: () => calendar.isBelieved(), mayRun })
  closers.add(() => shifts.stop())
  const warnings = () => configWarnings(site.now)
  const isOutboxOnly = () => site.now.notifications.providers.every((provider) => provider === 'outbox')
  const quota = testQuota(monotonicMs)
  const account = operatorAccount(signedIn)
  const raise = raiseAlarm(basis)
  return {
    callers: operatorCallers({ ...own, onSessionEnded: () => shifts.look() }),
    signIn: signingIn(own),
    passkeys,
    ownPush: push,
    firstSignIn: firstSignIn(own),
    firstAdministrator: firstAdministrator(own),
    changePassword: passwordChange(signedIn),
    account,
    // A removed account has no duties.
    manage: management({ ...own, onUpdated: onCallWatch.changed }),
    noteLook,
    publicUrl,
    // Behind a proxy, its certificate is the one that phones see.
    caFingerprint: () => (config.http.trustProxy === false ? (localCaOf(tls)?.fingerprint ?? null) : null),
    siteName,
    schema: newestSchema(config.store.url === null ? 'sqlite' : 'postgres'),
    node: config.node.id,
    changes,
    incidents: operatorIncidents({
      ...basis,
      noteLook,
      cards,
      tellBySms,
      noted: (incidentId) => changes.noted(incidentId),
      ended: (outcome) => basis.meter.count('incidents_resolved_total', { outcome }),
    }),
    drills: operatorDrills(basis),
    shift: operatorShift(basis),
    // Loaded with its first use: most sites have no list.
    onCall: onDemand(async () =>
      (await import('../app/operator/on-call.ts')).operatorOnCall({
        ...{ ...basis, siteName, sendText: (text) => sender.send(text) },
        onChanged: onCallWatch.changed,
      }),
    ),
    noteWatched: onCallWatch.watched,
    store,
    ids,
    defaults: {
      settings: defaults,
      get timeZone() {
        return machineTimeZone()
      },
    },
    endSessions,
    isBlocked: allowPrivateTargets
      ? async () => false
      : oneAtATime((url: string) => isBlockedTarget(url, systemResolve(), lanHosts(site.now.notifications.lanHosts))),
    sendTest: sendingTests({
      ...{ store, ids, defaults, warnings, quota },
      send: (one) => sender.send(one),
      sendsMail: () => site.now.smtp.url !== null,
    }),
    setup: operatorSetup({
      store,
      site: siteSetup(site, {
        ...providerNeeds,
        secrets: basis.secrets,
        whyNoPort: (asked) => certificates.whyNoPort(asked),
        certificate: () => certificateShown(tls, certificates),
      }),
      ids,
      ...{ isPresent: signedIn.isPresent, account, quota, monotonicMs },
      tell: tellOfSetup(basis, operatorMail),
    }),
    firstSteps: firstSteps({ store, isOutboxOnly }),
    simulate: simulating({
      store,
      ids,
      clock: basis.clock,
      isOutboxOnly,
      raise: ({ appId, userId }, payload) => raise({ appId, userId }, payload, 'rest'),
    }),
    contactsPerUser: config.limits.contactsPerUser,
    asking,
    askContact: contactChecks({ store, ids, ...asking }),
    isPossible: isPossibleNumber,
    callingCodeOf,
    announce: (joined) => basis.door.announce(joined),
    timers: operatorTimers(basis),
    readiness: health.ofUsers,
    pause: (ms) => pause(ms),
    keptDatabases: () => keptDatabases(config.dataDir, config.store.url === null),
    devicesPerUser: config.limits.devicesPerUser,
    profileNames: () =>
      new Map([
        ...Object.keys(site.now.lorawan.profiles).map((name) => [name, 'own'] as const),
        ...Object.keys(shippedProfiles).map((name) => [name, 'shipped'] as const),
      ]),
    // Hashes one code at a time, however many are asked for: senders need the same threads.
    codes: { make: () => codes.make(), hash: oneAtATime((code: string) => codes.hash(code)) },
    trackerMqtt: () => trackerMqttAddress(site.now),
    // Leases are renewed on the same session.
    nodes: nodes && { nodes: joinedCalls(() => nodes.nodes()), drain: oneAtATime((...asked) => nodes.drain(...asked)) },
    clockKeeping: clockKeeping({ ...basis, calendar }),
    backups: knownBackups({
      ...basis,
      isOwn: config.store.url === null,
      nightly: backups && { ...config.backup, state: backups.state },
    }),
    doctor,
    health: operatorHealth(basis, health),
  }
}

/** Every administrator finds a guarded change in the setup, in the log and, where the site sends mail, in a mail. */
const tellOfSetup =
  ({ log }: Pick<Basis, 'log'>, mail: OperatorMail) =>
  ({ section, keys, author }: SetupNews): void => {
    log.warn({ section, keys, author }, 'a guarded part of the setup was changed in the console')
    const text = `Changed: ${keys.join(', ')}. If this was not meant, undo it in the console, and end the sessions of ${author}.`
    mail(`${author} has changed the setup (${section})`, text)
  }

function certificateShown(tls: OperatorApiNeeds['tls'], certificates: OperatorApiNeeds['certificates']) {
  if (tls === null) return null
  const { source, names, validTo, concerns } = tls.info()
  return { source, names, validTo, concerns: [...new Set([...certificates.concerns(), ...concerns])] }
}

/** What the consoles hear of. */
export function consoleChanges({ store, door, talk, ids, log }: Basis): IncidentChanges {
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
  talk.follow(({ incidentId }) => changes.noted(incidentId))
  return changes
}
