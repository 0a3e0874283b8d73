import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ConnectionOptions, connect, createServer, type Server, type TLSSocket } from 'node:tls'
import {
  createTlsIdentity,
  type TlsIdentity,
  type TlsNeeds,
  type TlsSource,
} from '../../../../src/adapters/platform/tls/identity.ts'
import { type Issuer, issueAuthority, issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import type { Machine } from '../../../../src/adapters/platform/tls/names.ts'
import { SECOND } from '../../../../src/lib/durations.ts'
import type { Clock } from '../../../../src/ports/clock.ts'

/** The clients in these tests verify certificates by the real clock. */
export const NOW = Math.floor(Date.now() / SECOND) * SECOND
export const HUT: Machine = { hostname: 'Hut', addresses: ['192.168.7.5', 'fd00::5'] }

export type Line = {
  readonly level: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export function noted() {
  const lines: Line[] = []
  const note = (level: string) => (fields: Line['fields'], message: string) =>
    void lines.push({ level, fields, message })
  return { lines, log: { info: note('info'), warn: note('warn'), error: note('error') } }
}

export async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-tls-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A clock that stands still until the test moves it, even by months; then it fires each due timer once. */
export class HandClock implements Clock {
  #now: number
  #due: { readonly at: number; readonly wake: () => void }[] = []
  readonly #shiftListeners: ((byMs: number) => void)[] = []

  constructor(now = NOW) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  after(delayMs: number, wake: () => void): () => void {
    const timer = { at: this.#now + delayMs, wake }
    this.#due.push(timer)
    return () => {
      this.#due = this.#due.filter((other) => other !== timer)
    }
  }

  onShift(listener: (byMs: number) => void): void {
    this.#shiftListeners.push(listener)
  }

  passes(ms: number): void {
    this.#now += ms
    const due = this.#due.filter(({ at }) => at <= this.#now)
    this.#due = this.#due.filter(({ at }) => at > this.#now)
    for (const { wake } of due) wake()
  }

  /** Sets the clock, as a person or time service would. */
  set(now: number): void {
    const byMs = now - this.#now
    this.#now = now
    for (const listener of this.#shiftListeners) listener(byMs)
  }

  get timers(): number {
    return this.#due.length
  }
}

/** An identity on a clock that the test controls, closed with the test. */
export async function identityOf(
  t: TestContext,
  source: TlsSource,
  parts: Partial<TlsNeeds> & { clock?: HandClock } = {},
) {
  const { lines, log } = noted()
  const clock = parts.clock ?? new HandClock()
  const identity = await createTlsIdentity(source, { log, machine: () => HUT, ...parts, clock })
  t.after(() => identity.close())
  return { identity, lines, clock }
}

/** An unrelated CA. */
export async function newAuthority(now = NOW): Promise<Issuer> {
  const key = newKey()
  return { key, cert: await issueAuthority(key, now) }
}

/** A certificate as an operator gets it. */
export const ownPair = (authority: Issuer): Promise<Issuer> => issueServer(authority, ['localhost', '127.0.0.1'], NOW)

export async function writePair(directory: string, pair: Issuer) {
  const files = { certFile: join(directory, 'own.crt'), keyFile: join(directory, 'own.key') }
  await writeFile(files.certFile, pair.cert)
  await writeFile(files.keyFile, pair.key, { mode: 0o600 })
  return files
}

/** A TLS server that echoes, wired to the identity like every listener. */
export async function serve(t: TestContext, identity: TlsIdentity): Promise<{ server: Server; port: number }> {
  const server = createServer(identity.secureContextOptions, (socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  identity.onChange((options) => server.setSecureContext(options))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

/** A verified connection; rejects as the client does when the handshake fails. Stays open until the end of the test. */
export async function handshake(t: TestContext, port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ...options })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return socket
}

export async function echoed(socket: TLSSocket, text: string): Promise<string> {
  socket.write(text)
  const [chunk] = await once(socket, 'data')
  return String(chunk)
}

export const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256
