import { createHttpServer, type HttpNeeds, type HttpServer } from '../adapters/inbound/http/server.ts'
import { twilioCallbacks } from '../adapters/outbound/twilio/callbacks.ts'
import { consoleFiles } from '../adapters/platform/console/built-files.ts'
import { openMapFiles } from '../adapters/platform/map/map-files.ts'
import { countriesAt } from '../adapters/platform/system/countries-at.ts'
import { countryPlans } from '../adapters/platform/system/country-plans.ts'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import { isOfCountry, isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { sdkPackage } from '../adapters/platform/system/sdk-package.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { createUserTokens, ownTokenKey } from '../adapters/platform/token/user-tokens.ts'
import { newestSchema } from '../adapters/stores/shared/migrations.ts'
import { answerCall } from '../app/answers/answer-call.ts'
import { recordReceipt } from '../app/answers/record-receipt.ts'
import { tracking } from '../app/answers/tracking.ts'
import { linkFinder } from '../app/answers/tracking-link.ts'
import { corsOrigins } from '../app/connections/cors-origins.ts'
import { currentState } from '../app/connections/current-state.ts'
import { readmits } from '../app/connections/end-sessions.ts'
import { identify } from '../app/connections/identify.ts'
import type { takeReport } from '../app/field/take-report.ts'
import { ingestTelemetry } from '../app/ingest/ingest-telemetry.ts'
import { raiseSos } from '../app/ingest/raise-sos.ts'
import { telemetryHistory } from '../app/ingest/telemetry-history.ts'
import type { Sender } from '../app/sending/sender.ts'
import { deskOf } from '../app/talk/desk.ts'
import type { Cards } from '../app/user/cards.ts'
import type { enrolDevice } from '../app/user/enrol-device.ts'
import { ownAccount } from '../app/user/own-account.ts'
import type { ownAppDevices } from '../app/user/own-app-devices.ts'
import { ownCard } from '../app/user/own-card.ts'
import { ownDevices } from '../app/user/own-devices.ts'
import { ownDrill } from '../app/user/own-drill.ts'
import { ownFeedback } from '../app/user/own-feedback.ts'
import { ownIncident } from '../app/user/own-incident.ts'
import { ownPhone } from '../app/user/own-phone.ts'
import { ownTimers } from '../app/user/own-timers.ts'
import { trackerOf } from '../app/user/own-trackers.ts'
import type { RemovalNews } from '../app/user/removal-news.ts'
import { type AskingLimits, verifyContacts } from '../app/user/verify-contacts.ts'
import { webApps as storedWebApps } from '../app/user/web-apps.ts'
import type { Config } from '../config.ts'
import { countryPlan } from '../core/account/country-plan.ts'
import { FairTurns } from '../lib/fair-turns.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { Log } from '../ports/log.ts'
import { StoreError } from '../ports/store.ts'
import type { WebApps } from '../ports/web-apps.ts'
import type { Addresses } from './addresses.ts'
import { memoryShares } from './budget.ts'
import type { Closers } from './closers.ts'
import type { Health } from './health.ts'
import { balancersOf } from './listeners.ts'
import type { Lorawan } from './lorawan.ts'
import type { Mqtt } from './mqtt.ts'
import type { SiteConfig } from './site-config.ts'
import type { SosBySms } from './sms-sos.ts'
import type { Basis } from './storage.ts'
import { webAppOf } from './web-app.ts'
import type { WebPush } from './web-push.ts'

/** The REST interface and the pages. They do not listen yet. */
export async function prepareHttp(
  config: Config,
  basis: Basis,
  {
    isCutOff,
    reports,
    streams,
    cards,
    asking,
    isDateBelieved,
    callbacks,
    lorawan,
    health,
    operator,
    addresses,
    sendText,
    removalNews,
    sos,
    maxConnections,
    memoryBytes,
    tls,
    webApps: given,
    push,
    endSessions,
  }: {
    /** Whether this node is cut off from the database. */
    readonly isCutOff: () => boolean
    readonly reports: ReturnType<typeof takeReport>
    readonly streams: HttpNeeds['streams']
    readonly cards: Cards
    readonly asking: AskingLimits
    readonly isDateBelieved: () => boolean
    readonly callbacks: Mqtt['callbacks']
    readonly lorawan: Lorawan
    readonly health: Health
    /** Null if the console is off. */
    readonly operator: NonNullable<HttpNeeds['operator']> | null
    readonly addresses: Addresses
    /** Sends one text now, in its lane. */
    readonly sendText: Sender['send']
    readonly removalNews: () => Promise<Pick<RemovalNews, 'textsOf' | 'tell'>>
    readonly sos: SosBySms
    readonly maxConnections: number
    /** The memory limit of this process. */
    readonly memoryBytes: number
    /** The applications with the app in the box. */
    readonly webApps: WebApps | undefined
    readonly push: WebPush
    readonly tls: TlsIdentity | null
    readonly endSessions: (appId: string) => void
  },
  closers: Closers,
): Promise<HttpServer> {
  const { store, clock, keys, log, meter } = basis
  const { lora, limits, mqtt, dataDir } = config
  const { trustProxy } = config.http
  const identified = identify(basis)
  const { machineTimeZone } = basis
  const apps = given ?? storedWebApps({ store, monotonicMs: () => performance.now(), machineTimeZone })
  const ingest = ingestTelemetry(basis)
  const key = keys && (await keys.sharedKey('user-token', () => ownTokenKey(dataDir)))
  const talk = talkOf(basis, isDateBelieved, sos.told)
  const countries = { scheme: lora.regionByteScheme, overrides: lora.countries }
  return createHttpServer({
    // At once: a request that waits for the database could have found another node.
    identify: (credentials) => (isCutOff() ? Promise.reject(cutOffError()) : identified(credentials)),
    raiseSos: raiseSos(basis),
    ingestTelemetry: ingest,
    telemetryHistory: telemetryHistory({ store, ingest, turns: new FairTurns({ atOnce: 1, maxWaiting: 1 }) }),
    ownIncident: ownIncident(basis),
    streams,
    // A stream always begins with the state, whatever `mqtt.stateOnSubscribe` says.
    readState: currentState(basis),
    isReadmitted: readmits(store),
    ownAccount: ownAccount({ ...basis, ...limits, asking, isPossible: isPossibleNumber, isOfCountry, isPremium }),
    ownCard: ownCard({ ...basis, cards }),
    ownPhone: ownPhone({ ...basis, perDay: limits.verificationsPerDay, sendText, news: removalNews }),
    ownDevices: ownDevices({
      ...{ ...basis, codes: createPairingCodes(), devicesPerUser: limits.devicesPerUser },
      news: removalNews,
    }),
    ownDrill: ownDrill(basis),
    ownFeedback: ownFeedback({ ...basis, tokens: createUserTokens({ dataDir, clock, key }) }),
    ownTimers: ownTimers(basis),
    ...talk,
    userReadiness: health.ofUsers,
    verification: verifyContacts({ ...basis, ...asking }),
    tracking: tracking({
      ...{ ...basis, ...talk, cards, isDateBelieved, countriesAt },
      emergencyNumbers: () => basis.site.now.tracking.emergencyNumbers,
    }),
    onIncidentChange(listener) {
      basis.door.follow(({ incidentId }) => {
        if (incidentId !== null) listener(incidentId)
      })
      basis.talk.follow(({ incidentId }) => listener(incidentId))
    },
    trackers: { of: trackerOf(basis), reports },
    lorawan,
    mqttCallbacks: callbacks,
    callbackToken: mqtt.callbackToken?.reveal() ?? null,
    callbackDenyStatus: mqtt.callbackDenyStatus,
    providerCallbacks: twilioCallbacksOf(basis, { publicUrl: addresses.publicUrl, sos }),
    countryPlan: (country: string) => countryPlan(countryPlans(), country, countries),
    map: await siteMap(config, basis.site, log, closers),
    ...(operator !== null && { operator }),
    ...(config.console.enabled ? { console: consoleFiles() } : {}),
    // Behind a proxy, its certificate is the one that phones see.
    webApp: webAppOf(apps, { tls: trustProxy === false ? tls : null, publicUrl: addresses.publicUrl }, log, closers),
    enrolment: onDemand<ReturnType<typeof enrolDevice>>(async () =>
      (await import('../app/user/enrol-device.ts')).enrolDevice({ ...basis, apps }),
    ),
    ownAppDevices: onDemand<ReturnType<typeof ownAppDevices>>(async () => {
      const [{ ownAppDevices: of }, news] = await Promise.all([import('../app/user/own-app-devices.ts'), removalNews()])
      return of({ ...basis, publicUrl: addresses.publicUrl, endSessions, news })
    }),
    ownPush: push.own,
    sdkPackage,
    corsOrigins: corsOrigins({ store, monotonicMs: () => performance.now() }),
    requestLimits: { perUser: limits.requestsPerMinutePerUser, perAddress: limits.requestsPerMinutePerAddress },
    clock,
    log,
    meter,
    ...(store.noticesAgeMs !== undefined && { databaseSilentMs: store.noticesAgeMs }),
    metricsText: () => meter.text(),
    metricsToken: config.metrics.token?.reveal() ?? null,
    readiness: health.readiness,
    schema: newestSchema(config.store.url === null ? 'sqlite' : 'postgres'),
    concerns: health.concerns,
    trustProxy: typeof trustProxy === 'boolean' ? trustProxy : [...trustProxy],
    balancers: balancersOf(config.http.proxyProtocol, log),
    docs: config.docs.enabled,
    maxConnections,
    longBodyBytes: memoryShares(memoryBytes, limits).longBodyBytes,
  })
}

/** Some megabytes of numbering plans, which a site without the app needs for nothing. */
const isPremium = async (phone: string): Promise<boolean> =>
  (await import('../adapters/platform/system/premium-numbers.ts')).isPremiumNumber(phone)

const cutOffError = (): StoreError => new StoreError('this node is cut off from the database', 'unreachable')

/** Former tokens that still count: receipts of earlier messages are signed with them. */
const MAX_FORMER_TOKENS = 3

/** Even if Twilio is no longer a provider: receipts of earlier messages are still to come. */
function twilioCallbacksOf(
  basis: Basis,
  { publicUrl, sos }: { readonly publicUrl: () => string; readonly sos: SosBySms },
) {
  const tokenOf = ({ twilio }: Config) => twilio.authToken?.reveal() ?? null
  let tokens = [tokenOf(basis.site.now)].filter((token) => token !== null)
  basis.site.follow(['twilio.authToken'], (now) => {
    const token = tokenOf(now)
    tokens = [...new Set([...(token === null ? [] : [token]), ...tokens])].slice(0, 1 + MAX_FORMER_TOKENS)
  })
  const reached = { ...basis, publicUrl }
  return twilioCallbacks({
    ...reached,
    authTokens: () => tokens,
    recordReceipt: recordReceipt(reached),
    answerCall: answerCall(reached),
    // Contacts cannot answer through Twilio: texts that are not an SOS are dropped.
    takeSms: sos.through({
      sent: null,
      answer: async () => basis.meter.count('sms_answers_total', { answer: 'dropped' }),
    }),
  })
}

/** The map with the operator's files. A file that cannot be used is missing from it: no alarm waits for a map. */
async function siteMap({ map, dataDir }: Config, site: SiteConfig, log: Log, closers: Closers) {
  const opened = async ({ overlays, basemap }: Config['map']) => {
    const files = await openMapFiles({ dataDir, overlays, basemap })
    for (const problem of files.problems) {
      log.error({ problem }, 'a map file cannot be used; the map goes without it')
    }
    return files
  }
  let files = await opened(map)
  closers.add(() => files.close())
  site.follow(['map.basemap', 'map.overlays'], async (now) => {
    const former = files
    files = await opened(now.map)
    await former.close()
  })
  return {
    get overlays() {
      return files.overlays
    },
    get basemap() {
      return files.basemap
    },
    get tileUrl() {
      return site.now.map.tileUrl
    },
    get attribution() {
      return site.now.map.attribution
    },
  }
}

/** The talk during alarms, loaded with its first use: most sites never need it. */
function talkOf(basis: Basis, isDateBelieved: () => boolean, tellBySms: SosBySms['told']) {
  const find = linkFinder({ ...basis, isDateBelieved })
  const needs = { ...basis, find, feed: basis.talk, deskOf: deskOf(basis), tellBySms }
  return {
    contactTalk: onDemand(async () => (await import('../app/answers/contact-talk.ts')).contactTalk(needs)),
    ownTalk: onDemand(async () => (await import('../app/talk/own-talk.ts')).ownTalk(needs)),
  }
}
