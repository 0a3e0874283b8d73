import { setTimeout as sleep } from 'node:timers/promises'
import { BRIEF } from '../../test/harness/kill-point.ts'
import { PostgresGate } from '../../test/harness/postgres-gate.ts'
import { type ApplicationOptions, type ProcessSite, startProcessSite } from '../../test/harness/process-site.ts'
import type { Servers } from '../../test/harness/standby.ts'
import type { TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import { COMMON } from '../environment.ts'
import type { Ground } from '../ground.ts'

const PUBLIC_URL = 'https://sos.example.org'

/** One service of several, with a network of its own to each of the two servers. */
export type Node = {
  readonly name: string
  readonly site: ProcessSite
  /** To each server. */
  readonly gates: readonly PostgresGate[]
  /** To the primary of the beginning. */
  readonly gate: PostgresGate
  /** The port at which the provider hears this node and no other. */
  readonly providerPort: number
}

type NodeOptions = ApplicationOptions & { readonly env?: Readonly<Record<string, string>> }

/** The services of one site on one database, each a process with a data directory of its own. */
export class Nodes {
  readonly #ground: Ground
  readonly servers: Servers
  readonly #twilio: TwilioStandIn
  readonly #options: NodeOptions
  readonly #living: Node[] = []
  #first: ProcessSite | null = null
  #count = 0

  constructor(
    ground: Ground,
    { servers, twilio, ...options }: NodeOptions & { servers: Servers; twilio: TwilioStandIn },
  ) {
    this.#ground = ground
    this.servers = servers
    this.#twilio = twilio
    this.#options = options
  }

  /** The nodes that clients are led to, as a load balancer does. */
  get living(): readonly Node[] {
    return this.#living
  }

  /** Any of them, for what can be asked anywhere. */
  get any(): ProcessSite {
    const [node] = this.#living
    if (node === undefined) throw new Error('no node is left')
    return node.site
  }

  /** The current addresses, in turn. */
  nth(n: number): ProcessSite | null {
    return this.#living[n % Math.max(1, this.#living.length)]?.site ?? null
  }

  async starts(more: Readonly<Record<string, string>> = {}): Promise<Node> {
    this.#count += 1
    const name = `n${this.#count}`
    const { servers, database } = this.servers
    const gates = await Promise.all(servers.map((server) => PostgresGate.before(this.#ground, server)))
    const providerPort = await this.#twilio.listen()
    const { env, ...options } = this.#options
    const first = this.#first
    const site = await startProcessSite(this.#ground, {
      ...options,
      ...(first !== null && { application: { appId: first.appId, secret: first.secret } }),
      env: {
        ...COMMON,
        ...BRIEF,
        ...this.#twilio.environment,
        TOCSIN_TWILIO_BASE_URL: `http://127.0.0.1:${providerPort}`,
        TOCSIN_TWILIO_SMS_PER_SECOND: '100',
        TOCSIN_TWILIO_CALLS_PER_SECOND: '100',
        TOCSIN_PUBLIC_URL: PUBLIC_URL,
        TOCSIN_NODE_ID: name,
        TOCSIN_STORE_URL: `postgresql://tocsin@${gates.map(({ host }) => host).join(',')}/${database}`,
        ...env,
        ...more,
      },
    })
    this.#first ??= site
    const node: Node = { name, site, gates, gate: gates[0]!, providerPort }
    this.#living.push(node)
    return node
  }

  /** No client is led to it any more. */
  loses(node: Node): void {
    const at = this.#living.indexOf(node)
    if (at !== -1) this.#living.splice(at, 1)
  }

  /** Clients are led to it again. */
  finds(node: Node): void {
    this.#living.push(node)
  }

  /** As a power cut. It does not come back. */
  async kills(node: Node): Promise<void> {
    this.loses(node)
    await node.site.process.kill()
  }

  /** What `/readyz` of a node says. */
  async reasons(node: Node): Promise<{ readonly status: number; readonly reasons: readonly string[] }> {
    const answer = await fetch(`${node.site.http}/readyz`, { signal: AbortSignal.timeout(10_000) })
    const { reasons } = (await answer.json()) as { reasons: readonly string[] }
    return { status: answer.status, reasons }
  }
}

const PAUSE_MS = 20
const MAX_PAUSE_MS = 250
/** To ask the database takes a session of its own, which must not keep the machine busy that everything waits for. */
const PAUSE_PER_LOOK = 10

/** Polls until it is true, or the time is up; resolves with the milliseconds that it took, or null. */
export async function tookMs(isTrue: () => boolean | Promise<boolean>, limitMs: number): Promise<number | null> {
  const began = performance.now()
  for (;;) {
    const looked = performance.now()
    if (await isTrue()) return performance.now() - began
    const now = performance.now()
    if (now - began > limitMs) return null
    await sleep(Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, PAUSE_PER_LOOK * (now - looked))))
  }
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
