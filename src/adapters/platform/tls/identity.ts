import type { SecureContextOptions } from 'node:tls'
import { isoAt } from '../../../core/ingest/event-time.ts'
import { DAY } from '../../../lib/durations.ts'
import { oneAtATime, repeatedly } from '../../../lib/waits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { concernsOf, infoOf, type TlsInfo } from './info.ts'
import { localAuthority } from './local-authority.ts'
import { certificateNames, type Machine, namesOf, thisMachine } from './names.ts'
import { operatorFiles } from './operator-files.ts'
import { type Pair, secureContextOptionsOf } from './pair.ts'
import { type PublicPair, withPublicPair } from './public-pair.ts'
import type { Loaded, Source } from './source.ts'

/** The operator's own files, or the data directory of a local CA. */
export type TlsSource = { readonly certFile: string; readonly keyFile: string } | { readonly dataDir: string }

/** The configuration of certificates. */
export type TlsSettings = {
  readonly dataDir: string
  readonly publicUrl: string | null
  readonly tls: { readonly cert: string | null; readonly key: string | null; readonly names: readonly string[] | null }
}

/** `tls.cert` with `tls.key` if they are set, otherwise the local CA (access.md#certificates). */
export const tlsSourceOf = ({ dataDir, tls: { cert, key } }: Omit<TlsSettings, 'publicUrl'>): TlsSource =>
  cert === null || key === null ? { dataDir } : { certFile: cert, keyFile: key }

/** The host of the tracking links, and `tls.names`, for `hostNames`. */
export const publicNames = ({ publicUrl, tls }: Pick<TlsSettings, 'publicUrl' | 'tls'>): readonly string[] => [
  ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]),
  ...(tls.names ?? []),
]

export type TlsNeeds = {
  readonly log: Log
  readonly clock?: Clock
  /**
   * Names and addresses that a certificate of the local CA covers in addition to the machine's own: the host of
   * `publicUrl`, and `tls.names`. Asked at every check.
   */
  readonly hostNames?: () => readonly string[]
  /** The current names of the machine. */
  readonly machine?: () => Machine
  /** The certificate from a public CA, for clients that ask for its names; null while there is none. */
  readonly publicPair?: () => Promise<PublicPair | null>
}

/** Names may begin with `*.`. */
type NamedOptions = { readonly names: readonly string[]; readonly options: SecureContextOptions }

export type TlsIdentity = {
  /** The current options, for `tls.createServer` and `https.createServer`. */
  readonly secureContextOptions: SecureContextOptions
  /** For clients that ask for one of these names (SNI). Null: all get the same. */
  readonly named: NamedOptions | null
  /**
   * Called with the new options after a change: `server.setSecureContext(options)` applies them to new connections;
   * open ones stay.
   */
  onChange(listener: (options: SecureContextOptions, named: NamedOptions | null) => void): void
  /** Checks the files now, as on SIGHUP. Logs any problems with them and keeps using the last good ones. */
  reload(): Promise<void>
  info(): TlsInfo
  /** Stops checking, after any check in progress. */
  close(): Promise<void>
}

/**
 * The certificate of this installation: the operator's, reloaded when its files change, or one from a local CA, created
 * and renewed automatically. Rejects with a sentence for the operator if there is none to start with
 * (access.md#certificates).
 */
export async function createTlsIdentity(from: TlsSource, needs: TlsNeeds): Promise<TlsIdentity> {
  const { log, clock = plainClock, machine = thisMachine, hostNames = () => [], publicPair } = needs
  const own: Source =
    'dataDir' in from
      ? localAuthority({ dataDir: from.dataDir, names: () => certificateNames(machine(), hostNames()) })
      : operatorFiles(from)
  const source = publicPair === undefined ? own : withPublicPair(own, publicPair)
  const listeners: Parameters<TlsIdentity['onChange']>[0][] = []
  const tell = reminder(log, clock)
  let clockWasSet = false
  let closed = false

  const first = await load()
  if ('refused' in first) throw new Error(first.refused)
  let current: Loaded = first
  /** Of two concurrent checks, the one with the older pair could finish last. Never rejects. */
  const look = oneAtATime(takeOver)
  if (first.made !== null) announce(first, 'made a server certificate')
  tell(concernsOf(first, clock.now()))

  clock.onShift(() => {
    clockWasSet = true
    void look()
  })
  const stopLooking = repeatedly(clock, source.lookEveryMs, async () => {
    await look()
    return source.lookEveryMs
  })

  return {
    get secureContextOptions() {
      return secureContextOptionsOf(current.pair)
    },
    get named() {
      return namedOptionsOf(current)
    },
    onChange: (listener) => void listeners.push(listener),
    reload: look,
    info: () => infoOf(current, clock.now()),
    async close() {
      closed = true
      void stopLooking()
      await look()
    },
  }

  async function load(): Promise<Loaded | { readonly refused: string }> {
    try {
      return await source.load({ now: clock.now(), clockWasSet })
    } catch (error) {
      return { refused: `the certificate is unavailable: ${error instanceof Error ? error.message : String(error)}` }
    }
  }

  async function takeOver(): Promise<void> {
    if (closed) return
    const found = await load()
    if ('refused' in found) return tell([`${found.refused}; the previous certificate stays in use`])
    const isNew = !isSame(found.pair, current.pair) || !isSame(found.named, current.named)
    current = found
    if (isNew) {
      announce(found, found.made === null ? 'certificate reloaded' : 'renewed the server certificate')
      for (const listener of listeners) handOver(listener)
    }
    tell(concernsOf(found, clock.now()))
  }

  function handOver(listener: (typeof listeners)[number]): void {
    try {
      listener(secureContextOptionsOf(current.pair), namedOptionsOf(current))
    } catch (error) {
      log.error({ err: error }, 'a listener did not accept the new certificate')
    }
  }

  function announce({ made, used }: Loaded, message: string): void {
    const { certificate, file } = (made === null ? null : used.find(({ kind }) => kind === 'server')) ?? used[0]
    const { fingerprint256: fingerprint, validTo } = certificate
    log.info(
      { file, fingerprint, validTo: isoAt(Date.parse(validTo)), ...(made !== null && { reason: made }) },
      message,
    )
  }
}

const isSame = (one: Pair | undefined, other: Pair | undefined): boolean =>
  one?.cert === other?.cert && one?.key === other?.key

const namedOptionsOf = ({ named }: Loaded): NamedOptions | null =>
  named === undefined ? null : { names: namesOf(named.leaf), options: secureContextOptionsOf(named) }

/** Logs sentences if they are new, and again each day. */
function reminder(log: Log, clock: Pick<Clock, 'now'>): (sentences: readonly string[]) => void {
  let told = ''
  let at = 0
  return (sentences) => {
    const all = sentences.join('\n')
    if (all === told && Math.abs(clock.now() - at) < DAY) return
    told = all
    at = clock.now()
    for (const sentence of sentences) log.warn({}, sentence)
  }
}

/** The wall clock. It does not report jumps: certificates are checked every few seconds anyway. */
const plainClock: Clock = {
  now: () => Date.now(),
  after(delayMs, wake) {
    const timer = setTimeout(wake, delayMs).unref()
    return () => clearTimeout(timer)
  },
  onShift() {},
}
