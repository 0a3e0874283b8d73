import type { Grant } from './role.ts'
import { recoveryHash } from './secret.ts'
import { isStepUsed, matchingStep } from './totp.ts'

/** A person who works with the console. Never deleted, so that the audit log still names them; disabled instead. */
export type Operator = Grant & {
  readonly id: string
  /** What they sign in with, in lower case. */
  readonly login: string
  /** What others see, as in "taken by". */
  readonly name: string
  readonly disabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  /** Epoch ms of the last sign-in. Null: never. */
  readonly signedInAt: number | null
}

/** How an operator proves who they are. Never leaves the service. */
export type OperatorCredentials = {
  /** Null until the first sign-in. */
  readonly passwordHash: string | null
  /** In hexadecimal. Null until the first sign-in. */
  readonly totpSecret: string | null
  /** The step of the last code that was accepted; 0: none yet. */
  readonly totpStep: number
  /** Hashes of the unused recovery codes: each replaces one code of a lost phone. */
  readonly recoveryHashes: readonly string[]
  /** Where they signed in last: what others try elsewhere does not slow them down there. */
  readonly knownNetworks: readonly string[]
}

/** The operator alone, of a record that holds both. */
export const withoutCredentials = ({
  passwordHash: _password,
  totpSecret: _secret,
  totpStep: _step,
  recoveryHashes: _codes,
  knownNetworks: _networks,
  ...operator
}: Operator & OperatorCredentials): Operator => operator

/** What proves besides the password who signs in: a code of this step, or a recovery code with this hash. */
export type SecondFactor = { readonly totpStep: number } | { readonly recoveryHash: string }

/** What the entered code proves, from an app or from the list of recovery codes; else null. */
export function secondFactorOf(
  { totpSecret, totpStep, recoveryHashes }: OperatorCredentials,
  typed: string,
  now: number,
): SecondFactor | null {
  if (totpSecret === null) return null
  const step = matchingStep(Buffer.from(totpSecret, 'hex'), typed, { now, lastStep: totpStep })
  if (step !== null) return { totpStep: step }
  const hash = recoveryHash(typed)
  return recoveryHashes.includes(hash) ? { recoveryHash: hash } : null
}

/** How many networks of an operator are known. */
const MAX_KNOWN = 8

/** The credentials after a sign-in from this network. Null: that code was used before. */
export function afterSignIn(
  before: OperatorCredentials,
  used: SecondFactor,
  network: string,
): OperatorCredentials | null {
  const others = before.knownNetworks.filter((known) => known !== network)
  const after = { ...before, knownNetworks: [network, ...others].slice(0, MAX_KNOWN) }
  if ('totpStep' in used)
    return isStepUsed(used.totpStep, before.totpStep) ? null : { ...after, totpStep: used.totpStep }
  const recoveryHashes = before.recoveryHashes.filter((hash) => hash !== used.recoveryHash)
  return recoveryHashes.length < before.recoveryHashes.length ? { ...after, recoveryHashes } : null
}
