import { isoAt } from '../../core/ingest/event-time.ts'
import { attention, failing, fine, type ProbeFinding } from './finding.ts'

type Release = { readonly version: string; readonly commit: string | null }

const named = ({ version, commit }: Release): string => `${version} (${commit ?? 'a checkout'})`

/** `running`: what the service runs; null if it does not run, or cannot be asked. */
export function judgeVersion({
  files,
  running,
}: {
  readonly files: Release
  readonly running: Release | null
}): readonly ProbeFinding[] {
  if (running === null) return [fine(named(files))]
  if (running.version === files.version && running.commit === files.commit) {
    return [fine(`${named(files)}, which is what the service runs`)]
  }
  return [
    attention(
      `the files are ${named(files)}, and the service is still running ${named(running)}`,
      'restart the service: sudo systemctl restart tocsin',
    ),
  ]
}

/** The sentences of `/readyz`, or why there are none. `pid`: of the process that holds the data directory. */
type ServiceFacts =
  | { readonly reasons: readonly string[]; readonly concerns: readonly string[] }
  | { readonly silent: string; readonly pid: number | null }
  | 'not running'

/** Subjects that have a line of their own. */
const OWN_LINES = [/^public_url_/, /^SMS modem: /, /^the canary's /, /^the clock /, /^(no synchronous|fsync|full_page)/]

const MEANING = 'docs/reference/monitoring.md says what it means and what to do; the log has more'

const KEY = '/etc/tocsin/credentials/TOCSIN_SECRETS_KEY'
const SITE_KEY = `with the key of a node that is ready: ssh NODE sudo cat ${KEY} | sudo install -m 0600 /dev/stdin ${KEY} && sudo systemctl restart tocsin`

/** The command for a problem that a key solves; else `other`. */
const remedyOf = (sentence: string, other: string): string => (/TOCSIN_SECRETS_KEY/.test(sentence) ? SITE_KEY : other)

export function judgeService(facts: ServiceFacts): readonly ProbeFinding[] {
  if (facts === 'not running') {
    const remedy = 'sudo systemctl start tocsin; if it stops again, journalctl -u tocsin -n 50 says why'
    return [failing('the service is not running: nobody can press SOS', remedy)]
  }
  if ('silent' in facts) {
    const { silent, pid } = facts
    if (pid === null)
      return [attention(`the service cannot be asked: ${silent}`, 'run tocsin doctor on this machine, as root')]
    return [failing(`process ${pid} runs, but does not answer: ${silent}`, 'sudo systemctl status tocsin')]
  }
  const concerns = facts.concerns.filter((concern) => !OWN_LINES.some((begins) => begins.test(concern)))
  const found = [
    ...facts.reasons.map((reason) => failing(`not ready: ${reason}`, remedyOf(reason, MEANING))),
    ...concerns.map((concern) => attention(concern, remedyOf(concern, MEANING))),
  ]
  return facts.reasons.length > 0 ? found : [fine('ready'), ...found]
}

/** `from`: where it was read. */
type ConfigurationFacts =
  | { readonly from: string; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] }

export function judgeConfiguration(facts: ConfigurationFacts): readonly ProbeFinding[] {
  if ('problems' in facts) {
    return facts.problems.map((problem) => failing(problem, 'correct it: the service does not start like this'))
  }
  const { from, warnings } = facts
  // The public address has a line of its own.
  const others = warnings.filter((warning) => !/^public(Url|_url_)/.test(warning))
  return [
    fine(`valid: ${from}`),
    ...others.map((warning) => attention(warning, 'correct the configuration, and restart the service')),
  ]
}

type AddressFacts = {
  readonly url: string
  /** Whether messages leave this machine, so that somebody gets links. */
  readonly isSent: boolean
  /** A fault in the address itself. */
  readonly concern: string | null
  /** The answer at a tracking link; null: not tried, because only this machine could open it. */
  readonly link:
    | {
        readonly status: number
        readonly isOurs: boolean
        /** It leads to this https address, where a tracking link opens. */
        readonly securedAt?: string
      }
    | { readonly failed: string }
    | null
}

const LINK = 'docs/operating.md, The link must open'

export function judgeAddress({ url, isSent, concern, link }: AddressFacts): readonly ProbeFinding[] {
  const broken = isSent ? failing : attention
  const about = concern === null ? [] : [attention(concern, LINK)]
  if (link === null) return about.length > 0 ? about : [fine(url)]
  if ('failed' in link) {
    switch (link.failed) {
      case 'name not found':
        return [...about, broken(`${url}: the name cannot be resolved, so no link opens`, 'correct DNS, or publicUrl')]
      case 'certificate not accepted':
        return [...about, broken(`${url}: this machine, like a phone, does not accept its certificate`, LINK)]
      default: {
        const remedy = 'open it on a phone with mobile data: some routers do not lead back in what comes from inside'
        return [...about, attention(`${url} cannot be reached from this machine (${link.failed})`, remedy)]
      }
    }
  }
  if (link.isOurs) return [...about, fine(`${url}: a tracking link opens`)]
  if (link.securedAt !== undefined) {
    const says = `${url} leads to ${link.securedAt}, where a tracking link opens; the link itself travels unencrypted`
    return [...about, attention(says, `set publicUrl: ${link.securedAt}`)]
  }
  const says = `${url} is answered by another program (HTTP ${link.status}), so no tracking link opens`
  return [...about, broken(says, 'make the proxy pass every path to this service, with its headers')]
}

const whose = {
  operator: 'your own (tls.cert)',
  acme: 'of the CA (acme), renewed automatically',
  local: 'of the local CA, renewed automatically',
} as const

const PASTED = 'your own (tls.pem)'

type CertificateFacts =
  | {
      readonly source: keyof typeof whose
      /** `tls.pem`, if it was set as a text. */
      readonly file?: string
      readonly names: readonly string[]
      /** Epoch ms. */
      readonly validFrom: number
      readonly validTo: number
      readonly now: number
      readonly concerns: readonly string[]
    }
  | { readonly missing: string }

export function judgeCertificate(facts: CertificateFacts): readonly ProbeFinding[] {
  if ('missing' in facts) return [attention(facts.missing, 'start the service; it makes one, or says what is wrong')]
  const { source, file, names, validFrom, validTo, now, concerns } = facts
  const remedy = 'docs/reference/access.md, Certificates; see: sudo tocsin tls show'
  if (now > validTo || now < validFrom) {
    const what = now > validTo ? `expired on ${isoAt(validTo)}` : `is not valid before ${isoAt(validFrom)}`
    return [failing(`the certificate ${what}: clients reject it`, remedy)]
  }
  return [
    fine(
      `${file === 'tls.pem' ? PASTED : whose[source]}, until ${isoAt(validTo).slice(0, 10)}, for ${shortList(names)}`,
    ),
    ...concerns.map((concern) => attention(concern, remedyOf(concern, remedy))),
  ]
}

const MAX_NAMES = 4

const shortList = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
