import type { Challenge, ChallengeKind } from '../../../ports/certificate-authority.ts'
import type { CertificateRecords } from './records.ts'

/** Why the CA would not find this site. `isCertain`: it cannot be otherwise for the CA. */
type Astray = { readonly problem: string; readonly isCertain: boolean }

/** One way to prove to a CA that a name is this site's. */
export type Proving = {
  readonly kind: ChallengeKind
  /** Looks whether the CA would find this site. Null: it would, as far as can be seen from here. */
  look(domains: readonly string[], signal: AbortSignal): Promise<Astray | null>
  /** Puts the answer in place. */
  show(domain: string, challenge: Challenge, signal: AbortSignal): Promise<void>
  /** Takes it away again. */
  hide(domain: string, challenge: Challenge, signal: AbortSignal): Promise<void>
}

type HttpNeeds = {
  readonly records: Pick<CertificateRecords, 'keep'>
  /** Asks at port 80 of the domain, as the CA would. */
  readonly ask: (domain: string, token: string, expected: string, signal: AbortSignal) => Promise<Astray | null>
  /** A random token. */
  readonly newToken: () => string
}

/** http-01: each node answers at port 80, from the store. */
export function httpProving({ records, ask, newToken }: HttpNeeds): Proving {
  const show = (token: string, answer: string): Promise<void> => records.keep('challenges', [{ token, answer }])
  const hide = (): Promise<void> => records.keep('challenges', null)
  return {
    kind: 'http-01',
    async look(domains, signal) {
      const [token, answer] = [newToken(), newToken()]
      await show(token, answer)
      try {
        for (const domain of domains) {
          const astray = await ask(domain, token, answer, signal)
          if (astray !== null) return astray
        }
        return null
      } finally {
        await hide()
      }
    },
    show: (_domain, { token, answer }) => show(token, answer),
    hide,
  }
}

type DnsCommand = (domain: string, value: string, signal: AbortSignal) => Promise<void>

/** dns-01: the operator's command for the DNS. */
export const dnsProving = (hook: { readonly present: DnsCommand; readonly cleanup: DnsCommand }): Proving => ({
  kind: 'dns-01',
  look: async () => null,
  show: (domain, { answer }, signal) => hook.present(domain, answer, signal),
  hide: (domain, { answer }, signal) => hook.cleanup(domain, answer, signal),
})
