import type { Grant } from './role.ts'
import { recoveryHash } from './secret.ts'
import { isStepUsed, matchingStep } from './totp.ts'

/** A person who works with the console. Never deleted, so that the audit log still names them; disabled instead. */
export type Operator = Grant & {
  readonly id: string
  /** The name to sign in with, in lower case. */
  readonly login: string
  /** The name that others see, as in "taken by". */
  readonly name: string
  readonly disabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  /** Epoch ms of the last sign-in. Null: never. */
  readonly signedInAt: number | null
}

/** Whether this operator may sign in as an administrator of the whole site. */
export const isSiteAdministrator = ({ role, applications, disabled }: Operator): boolean =>
  role === 'admin' && applications === null && !disabled

/** The credentials of an operator. They never leave the service. */
export type OperatorCredentials = {
  /** Null until the first sign-in. */
  readonly passwordHash: string | null
  /** In hexadecimal. Null until the first sign-in. */
  readonly totpSecret: string | null
  /** The time step of the last accepted code; 0: none yet. */
  readonly totpStep: number
  /** Hashes of the unused recovery codes: each replaces one code of a lost phone. */
  readonly recoveryHashes: readonly string[]
  /** The networks of the last sign-ins. Failed tries elsewhere do not slow the operator down there. */
  readonly knownNetworks: readonly string[]
}

/** The operator without the credentials of the combined record. */
export const withoutCredentials = ({
  passwordHash: _password,
  totpSecret: _secret,
  totpStep: _step,
  recoveryHashes: _codes,
  knownNetworks: _networks,
  ...operator
}: Operator & OperatorCredentials): Operator => operator

/** The second factor of a sign-in: a code of this step, or a recovery code with this hash. */
export type SecondFactor = { readonly totpStep: number } | { readonly recoveryHash: string }

/** The second factor that the entered code proves, from an app or from the list of recovery codes; else null. */
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

/** The most networks remembered for an operator. */
const MAX_KNOWN = 8

/** The credentials with this network as the one of the last sign-in. */
export const withNetwork = (before: OperatorCredentials, network: string): OperatorCredentials => {
  const others = before.knownNetworks.filter((known) => known !== network)
  return { ...before, knownNetworks: [network, ...others].slice(0, MAX_KNOWN) }
}

/** The credentials after a sign-in from this network. Null: the code was used before. */
export function afterSignIn(
  before: OperatorCredentials,
  used: SecondFactor,
  network: string,
): OperatorCredentials | null {
  const after = withNetwork(before, network)
  if ('totpStep' in used)
    return isStepUsed(used.totpStep, before.totpStep) ? null : { ...after, totpStep: used.totpStep }
  const recoveryHashes = before.recoveryHashes.filter((hash) => hash !== used.recoveryHash)
  return recoveryHashes.length < before.recoveryHashes.length ? { ...after, recoveryHashes } : null
}
