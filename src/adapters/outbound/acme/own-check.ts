import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request } from 'node:http'
import { isIPv6 } from 'node:net'
import { SECOND } from '../../../lib/durations.ts'
import { failureText } from '../http/http-failure.ts'

const TIMEOUT_MS = 10 * SECOND
/** A CA that goes on asks each address. */
const MAX_ADDRESSES = 4
const MAX_ANSWER_BYTES = 1024

export type OwnCheckNeeds = {
  /** The addresses of this machine. */
  readonly ownAddresses: () => readonly string[]
  /** Whether this site itself listens on that port. Otherwise a rule for packets from outside may lead them to it. */
  readonly isDirect: boolean
  /** As the CA asks: 80. */
  readonly port?: number
  readonly resolve?: (domain: string) => Promise<readonly string[]>
  readonly timeoutMs?: number
}

/** Why a CA would not find this site. `isCertain`: the CA cannot find it either. */
export type Astray = { readonly problem: string; readonly isCertain: boolean }

const resolved = async (domain: string): Promise<readonly string[]> =>
  (await lookup(domain, { all: true })).map(({ address }) => address)

/**
 * Asks this site for the token of its own at the domain, as a CA would. Null: it is here. A router may not lead a node
 * back to itself, and rules for packets from outside are not for its own: only an address of this machine is certain,
 * at a port of this site.
 */
export const ownCheck =
  ({ ownAddresses, isDirect, port = 80, resolve = resolved, timeoutMs = TIMEOUT_MS }: OwnCheckNeeds) =>
  async (domain: string, token: string, expected: string, signal: AbortSignal): Promise<Astray | null> => {
    const all = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    let addresses: readonly string[]
    try {
      addresses = (await unless(all, resolve(domain))).slice(0, MAX_ADDRESSES)
    } catch (error) {
      if (all.aborted) return { problem: `${domain}: ${DNS_REMEDY}`, isCertain: false }
      const why = failureText(error)
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOTFOUND'
      return { problem: `${domain}: ${why}: add a record to the DNS that leads to this machine`, isCertain: isMissing }
    }
    const found = await Promise.all(
      addresses.map(async (address) => {
        const isOwn = ownAddresses().includes(address)
        const at = `http://${domain} (${address}${port === 80 ? '' : `, port ${port}`})`
        const why = await whyOtherwise({ domain, address, port, token, expected, signal: all })
        if (why === null) return null
        const remedy = isOwn ? ownRemedy(address) : OTHER_REMEDY
        return { problem: `${at} ${why}: ${remedy}`, isCertain: isOwn && isDirect }
      }),
    )
    const astray = found.filter((one) => one !== null)
    const [first] = astray.toSorted((one, other) => Number(other.isCertain) - Number(one.isCertain))
    if (first === undefined) return null
    // A CA may go on to another address.
    return { ...first, isCertain: astray.length === addresses.length && astray.every(({ isCertain }) => isCertain) }
  }

type Asked = {
  readonly domain: string
  readonly address: string
  readonly port: number
  readonly token: string
  readonly expected: string
  readonly signal: AbortSignal
}

const DNS_REMEDY = 'the DNS does not answer in time: check the name servers of this machine'

const OTHER_REMEDY =
  'if that is not this machine, correct the A and AAAA records; if it is, lead its port 80 to http.acmePort'

const ownRemedy = (address: string): string =>
  isIPv6(address)
    ? "listen on IPv6 too (https.host: '::'), or remove the AAAA record"
    : 'set http.acmePort to 80, or lead port 80 of this machine to it, and open it in the firewall'

const OTHER = 'gives another answer than this site'

/** Rejects at `signal`: a name look-up cannot be ended, and a stop must not wait for it. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The address's behaviour, if not the expected answer, as the end of a sentence; null: it answers as expected. */
function whyOtherwise({ domain, address, port, token, expected, signal }: Asked): Promise<string | null> {
  const path = `/.well-known/acme-challenge/${token}`
  return new Promise((resolve) => {
    const failed = (error: unknown): void => resolve(`does not answer: ${failureText(error)}`)
    const options = { host: address, port, path, family: isIPv6(address) ? 6 : 4, agent: false, signal } as const
    request({ ...options, headers: { host: domain, 'user-agent': 'tocsin' } }, (response) => {
      const { statusCode: status = 0, headers } = response
      if (status === 200) return void textOf(response).then((text) => resolve(text === expected ? null : OTHER), failed)
      response.destroy()
      resolve(`${OTHER} (HTTP ${status}${headers.location === undefined ? '' : ', which leads elsewhere'})`)
    })
      .on('error', failed)
      .end()
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    bytes += part.length
    parts.push(part)
    if (bytes > MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(parts).toString('utf8')
}
