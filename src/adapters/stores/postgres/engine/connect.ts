import pg from 'pg'
import { StoreError } from '../../../../ports/store.ts'
import { type Connection, cut, type Wire, wireTo } from './connection.ts'
import { failureOf, isServerFull } from './failure.ts'
import { refuseUnsettled, type SessionLimits, sessionOn } from './session.ts'
import type { Host, Protection, Target } from './target.ts'
import { serverTimeline, Timelines } from './timeline.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** Waits this long for the other hosts once one has answered. */
const OTHERS_WITHIN_MS = 1_000
/** All hosts are asked again after at least this long, even if no session is needed. */
const SURVEY_PAUSE_MS = 1_000

/**
 * Opens sessions on whichever of the hosts is the primary. When a session is lost, another host may have become the
 * primary, while the old one still accepts sessions and lets their commits hang. So all hosts are asked again then,
 * once for all waiting callers, and a newer primary ends the sessions on the older one.
 */
export class Primary {
  readonly #target: Target
  readonly #limits: SessionLimits
  /** The latest primary comes first. */
  #hosts: readonly Host[]
  readonly #timelines = new Timelines()
  /** Whether nothing has happened since the first host was found to be the newest primary. */
  #isSettled = false
  /** All hosts are being asked. */
  #survey: Promise<Connection> | null = null
  #surveyedAt = Number.NEGATIVE_INFINITY
  #surveyTimer: NodeJS.Timeout | undefined

  constructor(target: Target, limits: SessionLimits = {}) {
    this.#target = target
    this.#limits = limits
    this.#hosts = target.hosts
  }

  /**
   * Resolves with a session on the primary. Rejects with a StoreError of the kind `unreachable` if there is none, and
   * `fault` if the database is unsuitable, each with a sentence for the operator. `limits`: instead of the usual ones.
   */
  async connect(limits: SessionLimits = {}): Promise<Connection> {
    const wanted = { ...this.#limits, ...limits }
    if (this.#hosts.length === 1) return this.#open(this.#hosts, wanted)
    if (this.#isSettled) {
      const session = await this.#open(this.#hosts.slice(0, 1), wanted).catch(() => null)
      if (session !== null) return session
    }
    if (this.#survey === null) return this.#askAll(wanted)
    await this.#survey
    return this.#open(this.#hosts.slice(0, 1), wanted)
  }

  /** Calls `listener` before the first session on a newer timeline is used; not for the first timeline of all. */
  onNewTimeline(listener: () => void): void {
    this.#timelines.onNew(listener)
  }

  /** The first one to answer may be an old primary: at first, after it has come back, or while it hangs. */
  #askAll(limits: SessionLimits): Promise<Connection> {
    this.#isSettled = false
    this.#surveyedAt = performance.now()
    const ask = async (): Promise<Connection> => {
      try {
        const session = await this.#open(this.#hosts, limits)
        this.#isSettled = true
        return session
      } finally {
        this.#survey = null
      }
    }
    this.#survey = ask()
    return this.#survey
  }

  /** Asks soon, not only when the next session is needed: idle ones would be tried first, each until it hangs. */
  #lost(): void {
    this.#isSettled = false
    const due = this.#surveyedAt + SURVEY_PAUSE_MS - performance.now()
    this.#surveyTimer ??= setTimeout(() => void this.#askAgain(), Math.max(0, due)).unref()
  }

  async #askAgain(): Promise<void> {
    this.#surveyTimer = undefined
    if (this.#isSettled || this.#survey !== null) return
    try {
      const session = await this.#askAll(this.#limits)
      await session.close()
    } catch {
      // Callers who need a session are told why there is none.
    }
  }

  async #open(hosts: readonly Host[], limits: SessionLimits): Promise<Connection> {
    const answers = await this.#answersOf(hosts, limits)
    const failures = answers.filter((answer) => 'error' in answer)
    const session = this.#newestOf(answers.filter(isSession), failures)
    if (session !== null) return session
    const unsuitable = failures.find(({ error }) => error instanceof StoreError && error.kind === 'fault')
    if (unsuitable !== undefined) throw unsuitable.error
    // In the order in which they are listed, not in that of their answers.
    const place = ({ host }: Failure): number => hosts.indexOf(host)
    const reasons = failures
      .toSorted((one, other) => place(one) - place(other))
      .map(({ host, error }) => `${nameOf(host)}: ${failureOf(error).message}`)
    const cause = failures.map(({ error }) => error).find(isServerFull)
    throw new StoreError(`no PostgreSQL primary can be reached (${reasons.join('; ')})`, 'unreachable', { cause })
  }

  /** The session on the newest timeline, unless an even newer one is known; the others are ended. */
  #newestOf(sessions: readonly Session[], failures: Failure[]): Connection | null {
    let chosen: Connection | null = null
    for (const { host, connection, timeline } of sessions.toSorted((one, other) => other.timeline - one.timeline)) {
      const refusal = chosen === null ? this.#timelines.admit(connection, timeline) : 'another one is newer'
      if (refusal === null) {
        chosen = connection
        connection.onLost(() => this.#lost())
        this.#hosts = [host, ...this.#hosts.filter((other) => other !== host)]
      } else {
        void connection.close()
        failures.push({ host, error: new Error(refusal) })
      }
    }
    return chosen
  }

  /** Waits for every host, but at most one more second once a host offers a session. */
  async #answersOf(hosts: readonly Host[], limits: SessionLimits): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    let isOver = false
    await new Promise<void>((resolve) => {
      const take = (answer: Answer): void => {
        if (isOver) {
          if (isSession(answer)) void answer.connection.close()
          return
        }
        answers.push(answer)
        if (answers.length === hosts.length) resolve()
        else if (isSession(answer)) setTimeout(resolve, OTHERS_WITHIN_MS)
      }
      for (const host of hosts) this.#ask(host, limits).then(take, (error) => take({ host, error }))
    })
    isOver = true
    return answers
  }

  async #ask(host: Host, limits: SessionLimits): Promise<Session> {
    const connection = await connectTo(host, this.#target, limits)
    const [timeline] = await Promise.all([serverTimeline(connection), refuseUnsettled(connection)])
    return { host, connection, timeline }
  }
}

type Session = { readonly host: Host; readonly connection: Connection; readonly timeline: number }
type Failure = { readonly host: Host; readonly error: unknown }
type Answer = Session | Failure

const isSession = (answer: Answer): answer is Session => 'connection' in answer

const nameOf = ({ host, port }: Host): string => `${host}:${port}`

async function connectTo(host: Host, target: Target, limits: SessionLimits): Promise<Connection> {
  // A Unix socket cannot be intercepted, and has no TLS.
  const protections = host.host.startsWith('/') ? [false as const] : target.protections
  for (const [place, protection] of protections.entries()) {
    const wire = newWire(host, target, { protection, limits })
    const { client } = wire
    // Until the Connection listens. Calls that wait for an answer are rejected separately.
    client.on('error', () => {})
    let isTooLate = false
    // The driver's own time-out ends with the log-in, and its `end` has none.
    const timer = setTimeout(() => {
      isTooLate = true
      cut(wire)
    }, limits.connectTimeoutMs ?? CONNECT_TIMEOUT_MS)
    try {
      await client.connect()
      return await sessionOn(wire, limits)
    } catch (error) {
      await client.end().catch(() => {})
      if (isTooLate) throw new Error('it did not answer in time', { cause: error })
      if (place === protections.length - 1 || !concernsTls(error)) throw error
    } finally {
      clearTimeout(timer)
    }
  }
  throw new Error('nothing was tried')
}

/** Whether the server may accept the other kind of connection, with TLS or without. */
const concernsTls = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === '28000'
    : error instanceof Error && /does not support SSL|SSL connection/.test(error.message)

function newWire(
  { host, port }: Host,
  target: Target,
  { protection, limits }: { readonly protection: Protection; readonly limits: SessionLimits },
): Wire {
  const { user, password, database, certificates } = target
  return wireTo({
    host,
    port,
    user,
    database,
    // Never the driver's own sources, the environment and ~/.pgpass: only the configuration counts.
    password: () => password ?? '',
    ssl: tlsOf(protection, { host, certificates }),
    application_name: 'tocsin',
    connectionTimeoutMillis: limits.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  } as pg.ClientConfig)
}

function tlsOf(
  protection: Protection,
  { host, certificates }: { readonly host: string; readonly certificates: Target['certificates'] },
): pg.ClientConfig['ssl'] {
  switch (protection) {
    case false:
      return false
    case 'encrypted':
      return { ...certificates, rejectUnauthorized: false }
    case 'verified-authority':
      return { ...certificates, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case 'verified':
      // The driver leaves out the host if it is an address, and Node would then expect `localhost`.
      return { ...certificates, host, rejectUnauthorized: true }
    default:
      return protection satisfies never
  }
}

/** `bigint` as numbers: ours are moments, sizes and row numbers, far below 2 ** 53. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
