import { randomBytes } from 'node:crypto'
import { openChallengeListener } from '../adapters/inbound/acme/challenge-listener.ts'
import type { Listening } from '../adapters/inbound/door/listen-widely.ts'
import { newKey } from '../adapters/platform/tls/issue.ts'
import { thisMachine } from '../adapters/platform/tls/names.ts'
import { issuedPair, type PublicPair } from '../adapters/platform/tls/public-pair.ts'
import { certificateRequest } from '../adapters/platform/tls/request.ts'
import { challengeAnswers } from '../app/certificates/challenge-answers.ts'
import { dnsProving, httpProving, type Proving } from '../app/certificates/proving.ts'
import { CertificateRecords, type KeptRecords } from '../app/certificates/records.ts'
import { certificateConcern, type Renewal, renewCertificate } from '../app/certificates/renewal.ts'
import { acmeDomains } from '../config/acme.ts'
import type { Config } from '../config.ts'
import { CaError } from '../ports/certificate-authority.ts'
import type { Closers } from './closers.ts'
import { balancersOf, listenReason } from './listeners.ts'
import type { Basis } from './storage.ts'

/** `leadsTo`: where port 80 of every domain leads in a test. */
export type CertificateGiven = { readonly leadsTo?: () => { readonly address: string; readonly port: number } }

/** The site's certificate from a public CA. */
export type Certificates = {
  /** The newest, from the store; null while there is none. */
  readonly publicPair: () => Promise<PublicPair | null>
  /** A concern for the operator, or null. */
  readonly concern: () => string | null
  /**
   * Opens the listener for challenges, if it is on, and begins to look after the certificate. Resolves to its address.
   */
  open(moment: { readonly isDateBelieved: () => boolean; readonly reload: () => Promise<void> }): Promise<string | null>
  /** Tries at once to get a certificate that is due. */
  readonly tryNow: () => void
}

/** Null if neither `acme` nor `http.acmePort` is on. */
export function prepareCertificates(
  config: Config,
  basis: Basis,
  given: CertificateGiven,
  closers: Closers,
): Certificates | null {
  const { acme, http } = config
  if (!acme.enabled && http.acmePort === 'off') return null
  const { store, secrets, clock } = basis
  const records = new CertificateRecords({ store, secrets, clock })
  const door = challengeDoor(config, basis, records, closers)
  const wanted = { directory: acme.directory, domains: acmeDomains(config) }
  let kept: KeptRecords | null = null
  let renewal: Renewal | null = null

  const publicPair = async (): Promise<PublicPair | null> => {
    kept = await records.read()
    return kept.certificate
  }
  return {
    publicPair: acme.enabled ? publicPair : async () => null,
    concern() {
      if (door.trouble !== null) return door.trouble
      if (!acme.enabled) return null
      return records.keyTrouble() ?? (kept === null ? null : certificateConcern(kept, wanted, clock.now()))
    },
    async open({ isDateBelieved, reload }) {
      const url = await door.open()
      if (acme.enabled) {
        renewal = await renewalOf(config, basis, given, { records, door, isDateBelieved, reload })
        renewal.start()
        closers.add(() => renewal?.stop())
      }
      return url
    },
    tryNow: () => renewal?.tryNow(),
  }
}

async function renewalOf(
  config: Config,
  { clock, log, lease }: Basis,
  given: CertificateGiven,
  parts: {
    readonly records: CertificateRecords
    readonly door: ChallengeDoor
    readonly isDateBelieved: () => boolean
    readonly reload: () => Promise<void>
  },
): Promise<Renewal> {
  const { acme } = config
  const { records, door, isDateBelieved, reload } = parts
  const { acmeAuthority } = await import('../adapters/outbound/acme/acme-client.ts')
  return renewCertificate({
    authority: acmeAuthority({ directory: acme.directory, email: acme.email, now: () => clock.now() }),
    records,
    proving: await provingOf(config, records, given),
    domains: acmeDomains(config),
    newKey,
    requestOf: async (names, key) => (await certificateRequest(names, key)).request,
    check(text, key, names) {
      const issued = issuedPair(text, key, names, clock.now())
      return 'refused' in issued ? issued : { ...issued, domains: names, directory: acme.directory }
    },
    mayRun: () => isDateBelieved() && lease?.isHousekeeper !== false,
    isAlone: config.store.url === null,
    async prepare() {
      await door.open()
      if (acme.dnsHook === null && door.trouble !== null) throw new CaError('not_ready', door.trouble)
    },
    onRenewed: reload,
    tell: (sentence) => log.warn({}, sentence),
    random: Math.random,
    clock,
    log,
  })
}

/** Where a CA asks. */
const HTTP_PORT = 80

/** Loaded only where it is used, as is the client: a start waits for every module. */
async function provingOf(
  { acme: { dnsHook: hook }, http }: Config,
  records: CertificateRecords,
  { leadsTo }: CertificateGiven,
): Promise<Proving> {
  if (hook !== null) {
    const { dnsHook } = await import('../adapters/outbound/acme/dns-hook.ts')
    return dnsProving(dnsHook(hook))
  }
  const { ownCheck } = await import('../adapters/outbound/acme/own-check.ts')
  const ownAddresses = () => [...thisMachine().addresses, '127.0.0.1', '::1']
  const ask: ReturnType<typeof ownCheck> = (...asked) => {
    if (leadsTo === undefined) return ownCheck({ ownAddresses, isDirect: http.acmePort === HTTP_PORT })(...asked)
    const { address, port } = leadsTo()
    return ownCheck({ ownAddresses, isDirect: true, port, resolve: async () => [address] })(...asked)
  }
  return httpProving({ records, ask, newToken: () => randomBytes(24).toString('base64url') })
}

type ChallengeDoor = {
  /** Opens it unless it is open. Never rejects: no alarm waits for it. Resolves to its address, if it is on. */
  open(): Promise<string | null>
  /** Why it is not open, as a sentence; null if it is, or is off. */
  readonly trouble: string | null
}

function challengeDoor(
  config: Config,
  { clock, log }: Basis,
  records: CertificateRecords,
  closers: Closers,
): ChallengeDoor {
  const { acmePort: port, proxyProtocol } = config.http
  const { host } = config.https
  const site = config.publicUrl !== null && /^https:/i.test(config.publicUrl) ? new URL(config.publicUrl).origin : null
  const answerOf = challengeAnswers({ records, clock, monotonicMs: () => performance.now() })
  let listening: Listening | null = null
  let trouble: string | null = null
  closers.add(() => listening?.close())
  return {
    get trouble() {
      return trouble
    },
    async open() {
      if (port === 'off') return null
      try {
        const balancers = balancersOf(proxyProtocol, log)
        listening ??= await openChallengeListener({ host, port }, { answerOf, site, balancers })
        trouble = null
        return `http://${listening.authority}`
      } catch (error) {
        trouble = `cannot listen on https.host ${host}, http.acmePort ${port}: ${listenReason(error)}`
        log.error({}, trouble)
        return null
      }
    },
  }
}
