import { randomBytes } from 'node:crypto'
import { isBlockedAddress } from '../adapters/outbound/http/blocked-address.ts'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { newKey } from '../adapters/platform/tls/issue.ts'
import { namesMissing, thisMachine } from '../adapters/platform/tls/names.ts'
import { certificatesIn } from '../adapters/platform/tls/pair.ts'
import { pairIn } from '../adapters/platform/tls/pasted-pair.ts'
import { issuedPair, type PublicPair } from '../adapters/platform/tls/public-pair.ts'
import { certificateRequest } from '../adapters/platform/tls/request.ts'
import { challengeAnswers } from '../app/upkeep/certificates/challenge-answers.ts'
import { dnsProving, httpProving, type Proving } from '../app/upkeep/certificates/proving.ts'
import { CertificateRecords } from '../app/upkeep/certificates/records.ts'
import { certificateConcern, type Renewal, renewCertificate } from '../app/upkeep/certificates/renewal.ts'
import { acmeDomains, namesConcern } from '../config/acme.ts'
import { writtenIn } from '../config/settings.ts'
import type { Config } from '../config.ts'
import { CaError } from '../ports/certificate-authority.ts'
import { type ChallengeDoor, challengeDoor } from './challenge-door.ts'
import type { Closers } from './closers.ts'
import type { Basis } from './storage.ts'

/** `leadsTo`: where port 80 of every domain leads in a test. */
export type CertificateGiven = { readonly leadsTo?: () => { readonly address: string; readonly port: number } }

/** The site's certificate from a public CA. */
export type Certificates = {
  /** The newest, from the store; null while there is none. */
  readonly publicPair: () => Promise<PublicPair | null>
  /** Sentences for the operator. */
  readonly concerns: () => readonly string[]
  /** Why `http.acmePort` cannot be opened on this node, as a sentence; null if it can. */
  readonly whyNoPort: (config: Pick<Config, 'http'>) => Promise<string | null>
  /**
   * Opens the listener for challenges, if it is on, and begins to look after the certificate. Resolves to its address.
   */
  open(moment: { readonly isDateBelieved: () => boolean; readonly reload: () => Promise<void> }): Promise<string | null>
  /** Tries at once to get a certificate that is due. */
  readonly tryNow: () => void
}

/**
 * The site's certificate from a public CA, as the configuration in force has it: it can be switched on, changed and
 * switched off while connections are open.
 */
export function prepareCertificates(
  config: Config,
  basis: Basis,
  given: CertificateGiven,
  closers: Closers,
): Certificates {
  const { store, secrets, clock, site, lease } = basis
  const records = new CertificateRecords({ store, secrets, clock })
  const answerOf = challengeAnswers({ records, clock, monotonicMs: () => performance.now() })
  const door = challengeDoor(basis, { answerOf, planned: config.http.acmePort !== 'off' }, closers)
  let renewal: Renewal | null = null
  let isOver = false

  return {
    async publicPair() {
      const { acme, tls } = site.now
      // The files of `tls.cert` are for everyone.
      if (tls.cert !== null) return null
      if (tls.pem !== null) return pairIn(tls.pem.reveal())
      if (!acme.enabled) return null
      return (await records.read()).certificate
    },
    concerns() {
      const { acme, tls } = site.now
      const ofCertificate = (): readonly (string | null)[] => {
        if (tls.pem !== null && tls.cert === null) return [pastedConcern(tls.pem.reveal(), site.now)]
        if (!acme.enabled) return []
        const wanted = { directory: acme.directory, domains: acmeDomains(site.now) }
        const kept = wanted.domains.length > 0 ? records.latest : null
        const trouble = kept === null ? null : certificateConcern(kept, wanted, clock.now())
        return [keyConcern(records.keyTrouble(), lease) ?? trouble, namesConcern(site.now)]
      }
      return [door.trouble, ...ofCertificate()].filter((one) => one !== null)
    },
    whyNoPort: (asked) => door.whyNot(asked),
    async open({ isDateBelieved, reload }) {
      const begin = async (): Promise<string | null> => {
        const now = site.now
        const url = await door.open()
        const isWanted = now.acme.enabled && acmeDomains(now).length > 0 && !isOver
        renewal = isWanted ? await renewalOf(now, basis, given, { records, door, isDateBelieved, reload }) : null
        // The other nodes hear of it before the first look.
        renewal?.start()
        return url
      }
      closers.add(() => {
        isOver = true
        return renewal?.stop()
      })
      site.follow(['acme', 'http.acmePort', 'publicUrl', 'tls.pem', 'notifications.lanHosts'], async () => {
        await renewal?.stop()
        await begin()
        await reload()
      })
      return begin()
    },
    tryNow: () => renewal?.tryNow(),
  }
}

/**
 * A fault that a node without the site's key reports. The others leave the renewal to the one that does it for all, and
 * do not know that it cannot.
 */
export const keyConcern = (trouble: string | null, lease: { readonly isHousekeeper: boolean } | null): string | null =>
  trouble === null || lease?.isHousekeeper === false
    ? trouble
    : `NO CERTIFICATE IS RENEWED${lease === null ? '' : ' on any node'}: ${trouble}`

/** A fault in the names of a certificate that an operator has pasted, as a sentence, or null. */
export function pastedConcern(text: string, { publicUrl }: Pick<Config, 'publicUrl'>): string | null {
  const [leaf] = certificatesIn(text) ?? []
  if (leaf === undefined) return 'tls.pem holds no certificate that can be read: set it again'
  const names = publicUrl === null ? [] : namesMissing(leaf, [new URL(publicUrl).hostname])
  return names.length === 0
    ? null
    : `the certificate of tls.pem does not cover ${names.join()}, the host of publicUrl, so links open with one that phones reject: get one with this name`
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
    authority: acmeAuthority({
      ...{ directory: acme.directory, email: acme.email, now: () => clock.now() },
      isBlocked: blockedForCa(config),
    }),
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

/** Only someone who may write the file of this machine may lead it to its own and its neighbours' addresses. */
function blockedForCa(config: Config): ((address: string, host: string) => boolean) | null {
  const { allowPrivateTargets, lanHosts: hosts } = config.notifications
  if (allowPrivateTargets || writtenIn(config, 'acme.directory') !== null) return null
  const isNeighbour = lanHosts(hosts)
  return (address, host) => isBlockedAddress(address) && !isNeighbour(address, host)
}

/** The addresses at which a CA checks. */
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
