import { SECOND } from '../../lib/durations.ts'
import { attention, failing, fine, type ProbeFinding } from './finding.ts'

type Schema = {
  /** Of the database. */
  readonly schema: number
  /** The newest that this version knows. */
  readonly known: number
}

type StoreFacts =
  | (Schema & {
      readonly kind: 'sqlite'
      readonly bytes: number
      readonly logBytes: number
      /** `alarms`: only the tables that alarms need. Null: not checked. */
      readonly checked: 'whole' | 'alarms' | null
      /** The fault that the check found; null if there is none. */
      readonly flaw: string | null
    })
  | (Schema & {
      readonly kind: 'postgres'
      readonly standbys: number
      readonly synchronousStandbys: number
      /** The lag of the slowest standby. Null without one. */
      readonly lagMs: number | null
      readonly roundTripMs: number
      readonly concerns: readonly string[]
    })
  | { readonly kind: 'none'; readonly directory: string }
  | { readonly kind: 'unusable'; readonly why: string }

const MB = 1024 * 1024
const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB`
/** Four times the size to which a healthy log is cut back. */
const LONG_LOG_BYTES = 256 * MB
const LATE_STANDBY_MS = 10 * SECOND
/** Every acknowledged alert takes several. */
const SLOW_ROUND_TRIP_MS = 100

export function judgeStore(facts: StoreFacts): readonly ProbeFinding[] {
  switch (facts.kind) {
    case 'none':
      return [attention(`there is no database in ${facts.directory} yet`, 'start the service; it makes one')]
    case 'unusable':
      return [failing(facts.why, 'docs/reference/monitoring.md, Database faults')]
    case 'sqlite': {
      const { bytes, logBytes, checked, flaw } = facts
      if (flaw !== null)
        return [
          failing(
            `the database is damaged (${flaw})`,
            'sudo systemctl stop tocsin, then sudo tocsin restore FILE: docs/backups.md',
          ),
        ]
      const proof = {
        whole: ', checked: sound',
        alarms: ', checked: what alarms need is sound',
      } as const
      const log = `SQLite, ${megabytes(bytes)}, its log ${megabytes(logBytes)}`
      return [
        fine(checked === null ? log : `${log}${proof[checked]}`),
        ...schemaOf(facts),
        ...(logBytes > LONG_LOG_BYTES
          ? [attention('the write-ahead log of the database has grown', 'docs/operating.md, A log that grows')]
          : []),
      ]
    }
    case 'postgres': {
      const { standbys, synchronousStandbys, lagMs, roundTripMs, concerns } = facts
      const behind = lagMs === null ? '' : `, the slowest ${delayText(lagMs)} behind`
      const has = `standbys: ${standbys} (synchronous: ${synchronousStandbys})${behind}`
      return [
        fine(`PostgreSQL answers within ${roundTripMs.toFixed(1)} ms; ${has}`),
        ...schemaOf(facts),
        ...concerns.map((concern) => attention(concern, 'docs/several-nodes.md')),
        ...(lagMs !== null && lagMs > LATE_STANDBY_MS
          ? [attention('a standby is far behind', 'look at its disk and at the network between the two')]
          : []),
        ...(roundTripMs > SLOW_ROUND_TRIP_MS
          ? [attention('the database answers slowly', 'look at its load and at the network; each alert waits for it')]
          : []),
      ]
    }
    default:
      return facts satisfies never
  }
}

const delayText = (ms: number): string => (ms < SECOND ? `${Math.round(ms)} ms` : `${Math.round(ms / SECOND)} s`)

function schemaOf({ schema, known }: Schema): readonly ProbeFinding[] {
  if (schema === known) return []
  if (schema > known) {
    const says = `a newer version of Tocsin wrote the database: its schema is ${schema}, these files know ${known}`
    return [failing(says, 'update Tocsin, or restore a backup')]
  }
  const says = `the schema of the database is ${schema}, these files bring ${known}`
  return [attention(says, 'restart the service: it upgrades the database')]
}

/** `answer`: null if it answered as it should, else the failure. */
type ProviderFacts =
  | { readonly name: 'outbox' }
  | { readonly name: 'http' | 'smtp'; readonly failure: string | null }
  | { readonly name: 'twilio'; readonly status: string }
  | { readonly name: 'twilio'; readonly failure: string }
  | {
      readonly name: 'modem'
      readonly trouble: string | null
      /** In percent; null if unknown. */
      readonly signal: number | null
      /** Null: gammu-smsd cannot be asked. */
      readonly isRunning: boolean | null
    }

/** In the order of `notifications.providers`. Nothing is sent to find out. */
export function judgeProviders(providers: readonly ProviderFacts[]): readonly ProbeFinding[] {
  return providers.map((provider): ProbeFinding => {
    switch (provider.name) {
      case 'outbox': {
        if (providers.some(({ name }) => name !== 'outbox' && name !== 'smtp'))
          return fine('outbox: a message that no other provider accepts stays on this machine')
        const remedy = 'set one up in the console: Settings, Site setup (docs/setup.md)'
        return attention('outbox: no SMS or call leaves this machine', remedy)
      }
      case 'http': {
        const { failure } = provider
        if (failure === null) return fine('http: the gateway answers; only a message proves its credentials')
        return failing(
          `http: the gateway cannot be reached (${failure})`,
          'check gateway.url, and that the gateway is running',
        )
      }
      case 'smtp': {
        const { failure } = provider
        if (failure === null) return fine('smtp: the mail server accepts the login')
        return failing(
          `smtp: the mail server cannot be used (${failure})`,
          'check smtp.url: docs/notifications.md, E-mail',
        )
      }
      case 'twilio': {
        const remedy = 'check twilio.accountSid and twilio.authToken, then the account at Twilio'
        if ('failure' in provider) return failing(`twilio: the account cannot be read (${provider.failure})`, remedy)
        if (provider.status === 'active') return fine('twilio: the account is active')
        return failing(`twilio: the account is ${provider.status}`, remedy)
      }
      case 'modem':
        return ofModem(provider)
      default:
        return provider satisfies never
    }
  })
}

const WEAK_SIGNAL = 10

function ofModem({ trouble, signal, isRunning }: Extract<ProviderFacts, { name: 'modem' }>): ProbeFinding {
  const remedy = 'docs/modem.md, When it fails'
  if (trouble !== null) return failing(trouble, remedy)
  if (isRunning === false) return failing('SMS modem: gammu-smsd is not running', remedy)
  if (signal !== null && signal <= WEAK_SIGNAL) return attention(`SMS modem: the signal is weak (${signal} %)`, remedy)
  if (isRunning === null) {
    return attention('SMS modem: its state and signal are unknown', 'set modem.smsdConfig: docs/modem.md')
  }
  return fine(`SMS modem: gammu-smsd is running${signal === null ? '' : `, signal ${signal} %`}`)
}

type NodeFacts = { readonly id: string; readonly version: string; readonly state: string }

export function judgeNodes(nodes: readonly NodeFacts[]): readonly ProbeFinding[] {
  const named = nodes.map(({ id, version, state }) => `${id} ${version} ${state}`).join(', ')
  const active = nodes.filter(({ state }) => state === 'sending' || state === 'draining')
  if (!nodes.some(({ state }) => state === 'sending')) {
    const says = nodes.length === 0 ? 'no node has been started yet' : `no node is sending: ${named}`
    return [failing(says, 'start one; docs/several-nodes.md, Who sends')]
  }
  const gone = nodes.filter(({ state }) => state === 'gone').map(({ id }) => id)
  const versions = new Set(active.map(({ version }) => version))
  return [
    fine(named),
    ...(gone.length === 0
      ? []
      : [attention(`gone: ${gone.join(', ')}`, 'see why it stopped; the others have taken over what it was sending')]),
    ...(versions.size > 1
      ? [attention('the nodes run different versions', 'finish the upgrade: docs/several-nodes.md')]
      : []),
  ]
}

export function judgeMap({
  problems,
  parts,
}: {
  /** Files that cannot be used. */
  readonly problems: readonly string[]
  /** The operator's own: `overlays`, `basemap`, `tiles`. */
  readonly parts: readonly string[]
}): readonly ProbeFinding[] {
  const shown = parts.length === 0 ? 'an outline of the world only' : `with your ${parts.join(', ')}`
  return [
    ...(problems.length > 0 ? [] : [fine(shown)]),
    ...problems.map((problem) => attention(problem, 'correct the file or map.*; the map is shown without it')),
  ]
}
