import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/adapters/platform/system/clock.ts'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { configOf, problemText } from '../../src/config.ts'
import { newApplication } from '../../src/core/account/new-application.ts'
import { startService } from '../../src/service.ts'

/** Nothing leaves while a situation lasts; the outbox would keep it anyway. */
const SETTINGS = { graceSeconds: 600 }

export type Incident = {
  readonly incidentId: string
  readonly status: 'active' | 'acknowledged' | 'cancelled' | 'resolved'
  readonly occurredAt: string
  readonly creationTelemetry?: Readonly<Record<string, unknown>>
}

/** A service of its own, on loopback, in a directory that goes with it. */
export type Site = {
  readonly http: string
  readonly mqtt: string
  readonly directory: string
  readonly appId: string
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string }
  /** Its clock, epoch ms. */
  now(): number
  hashOf(userId: string): string
  /** What the topics of this user are called. */
  sdkUserId(userId: string): Promise<string>
  /** All incidents of a user, newest first. */
  incidents(userId: string): Promise<readonly Incident[]>
  stop(): Promise<void>
}

const directories = new Set<string>()
/** Removes what a program that ends early would leave behind. */
export const removeAll = (): void => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
}

/** Starts the service as `tocsin demo` does. `aheadMs`: how far its clock is ahead of this machine's. */
export async function startSite(aheadMs = 0): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-check-'))
  directories.add(directory)
  const ids = createIds()
  const [appId, secret] = [ids.uuid(), ids.secret()]
  const free = { host: '127.0.0.1', port: 0 }
  const configured = configOf({
    dataDir: join(directory, 'data'),
    publicUrl: 'https://localhost',
    ...{ mqtt: free, http: free, mqtts: free, https: free },
    tls: { names: ['localhost'] },
    // All clients of all situations come from one address.
    limits: { requestsPerMinutePerUser: 0, requestsPerMinutePerAddress: 0 },
    canary: { everyMinutes: 0 },
  })
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('; '))
  const clock = createSystemClock()
  const now = () => clock.now() + aheadMs
  const log = { info() {}, warn() {}, error() {} }
  const service = await startService(configured.config, { log, clock: { ...clock, now } })
  const { store, listeners } = service
  const application = newApplication({ id: appId, name: 'Check', language: 'en', settings: SETTINGS, createdAt: now() })
  await store.createApplication(application, secret)
  const hashOf = (userId: string) => createHmac('sha256', secret).update(userId).digest('hex')
  const tls = join(directory, 'data', 'tls')
  const pair = await readFile(join(tls, 'server.pem'), 'utf8')
  const incidents = async (userId: string): Promise<readonly Incident[]> => {
    const headers = { 'x-app-id': appId, 'x-user-id': userId, authorization: `Bearer ${hashOf(userId)}` }
    const answer = await fetch(`${listeners.http}/v1/sdk/sos/history?limit=100`, { headers })
    return ((await answer.json()) as { readonly items: readonly Incident[] }).items
  }
  return {
    ...{ http: listeners.http!, mqtt: listeners.mqtt!, directory, appId, now, hashOf },
    tls: { cert: pair, key: pair, ca: join(tls, 'ca.crt') },
    async sdkUserId(userId) {
      const { id } = await store.ensureUser({ appId, externalUserId: userId, id: ids.uuid(), now: now() })
      const fields = { name: 'Ana', phone: '+43660000001' }
      await store.addContact(id, { id: ids.uuid(), fields, now: now(), limit: 10 })
      return id
    },
    incidents,
    async stop() {
      await service.stop()
      clock.stop()
      await rm(directory, { recursive: true, force: true })
      directories.delete(directory)
    },
  }
}
