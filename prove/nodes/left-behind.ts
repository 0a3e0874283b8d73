import type { Servers } from '../../test/harness/standby.ts'
import type { TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import type { Node } from './site.ts'

/** What a node sends with a claim, and with nothing else: to hold it at the COMMIT of one (`PostgresGate.holds`). */
export const CLAIM = '"claims":[{'

const CLAIMS = `SELECT user_id AS "userId", nodes.id AS node
  FROM claims JOIN incidents ON number = incident_number JOIN nodes USING (token)`

type Claim = { readonly userId: string; readonly node: string }

/** How many claims there are at all. After the last text has left there must be none. */
export async function claimsIn(servers: Servers): Promise<number> {
  const [row] = await servers.rows<{ count: number }>('SELECT count(*)::integer AS count FROM claims')
  return row!.count
}

/** How many claims a node has under its present lease. */
export async function claimsOf(servers: Servers, node: string): Promise<number> {
  return (await servers.rows<Claim>(CLAIMS)).filter((claim) => claim.node === node).length
}

/** What nodes had claimed when they were lost, by the database, and who sent it after all, by the provider. */
export class LeftBehind {
  readonly #servers: Servers
  readonly #claims: (Claim & { readonly port: number })[] = []

  constructor(servers: Servers) {
    this.#servers = servers
  }

  /** Notes what these have claimed. Resolves with how many claims that is. */
  async by(...nodes: readonly Node[]): Promise<number> {
    const claims = await this.#servers.rows<Claim>(CLAIMS)
    const before = this.#claims.length
    for (const claim of claims) {
      const node = nodes.find(({ name }) => name === claim.node)
      if (node !== undefined) this.#claims.push({ ...claim, port: node.providerPort })
    }
    return this.#claims.length - before
  }

  get count(): number {
    return this.#claims.length
  }

  has(userId: string): boolean {
    return this.#claims.some((claim) => claim.userId === userId)
  }

  /** How many were sent by another node. The others had left already, and were found at the provider. */
  sentByOthers(twilio: TwilioStandIn, phoneOf: (userId: string) => string): number {
    const ports = new Map(twilio.requests.map(({ sid, port, asks }) => [asks === 'create' ? sid : null, port]))
    return this.#claims.filter(({ userId, port }) => {
      const [text] = twilio.smsTo(phoneOf(userId))
      return text !== undefined && ports.get(text.sid) !== port
    }).length
  }
}
