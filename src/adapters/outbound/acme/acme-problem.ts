import { z } from 'zod'
import { CaError, type CaFailure } from '../../../ports/certificate-authority.ts'
import { oneLine } from './one-line.ts'

/** RFC 7807 and RFC 8555, 6.7. Of the subproblems the first is told. */
export const problemSchema = z.object({
  type: z.string().optional(),
  detail: z.string().optional(),
  subproblems: z
    .array(
      z.object({
        type: z.string().optional(),
        detail: z.string().optional(),
        identifier: z.object({ value: z.string() }).optional(),
      }),
    )
    .optional(),
})

export type AcmeProblem = z.infer<typeof problemSchema>

const NAMESPACE = 'urn:ietf:params:acme:error:'

/** The type without its namespace; empty for one of another. */
export const typeOf = ({ type = '' }: Pick<AcmeProblem, 'type'>): string =>
  type.startsWith(NAMESPACE) ? type.slice(NAMESPACE.length) : ''

/** The operator's remedy for an error of RFC 8555, 6.7. */
const remedies: Readonly<Record<string, string>> = {
  caa: 'a CAA record in the DNS forbids this CA to issue: add the CA to it, or choose another acme.directory',
  connection: 'the CA could not connect to the domain: let port 80 of the domain lead here',
  dns: 'the CA found no usable record in the DNS: check the records of the domain, and DNSSEC',
  unauthorized: 'the CA found another answer at the domain: let the domain lead here, with A and AAAA records alike',
  incorrectResponse:
    'the CA found another answer at the domain: let the domain lead here, with A and AAAA records alike',
  tls: 'the CA was led to a TLS server that it does not accept: let port 80 of the domain lead here directly',
  rejectedIdentifier: 'the CA does not issue for this name: check acme.domains',
  unsupportedIdentifier: 'the CA does not issue for names of this kind: check acme.domains',
  rateLimited: 'the limit of the CA is reached; nothing has to be done',
  externalAccountRequired: 'this CA serves only customers with a key of theirs: choose another acme.directory',
  userActionRequired: 'the CA wants new terms to be accepted: read what it says',
  invalidContact: 'the CA does not accept acme.email',
  unsupportedContact: 'the CA does not accept acme.email',
  badCSR: 'the CA does not accept the request: check acme.domains',
}

/** A sentence for the operator: what to do, then the CA's own words. */
export function refusalText(host: string, problem: AcmeProblem, status: number | null = null): string {
  const [first] = problem.subproblems ?? []
  const type =
    typeOf(problem) === 'compound' || (typeOf(problem) === 'malformed' && first) ? typeOf(first ?? {}) : typeOf(problem)
  const remedy = remedies[type]
  const about = first?.identifier === undefined ? '' : `${first.identifier.value}: `
  const words = oneLine(`${about}${problem.detail ?? first?.detail ?? ''}`)
  const said = words === '' ? (status === null ? 'no reason given' : `HTTP ${status}`) : words
  return remedy === undefined ? `${host} refused: ${said}` : `${remedy} (${host}: ${said})`
}

/** The error for an answer that is a problem. */
export function problemError(
  host: string,
  problem: AcmeProblem,
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs: number | null },
): CaError {
  return new CaError(kindOf(typeOf(problem), status), refusalText(host, problem, status), retryAfterMs)
}

function kindOf(type: string, status: number): CaFailure {
  if (type === 'rateLimited' || status === 429) return 'rate_limited'
  return status >= 500 ? 'unreachable' : 'refused'
}
