import { entry } from '../../core/operator/audit.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { weaknessOf } from '../../core/operator/password.ts'
import { RECOVERY_CODES, recoveryCodeFrom, recoveryHash, secretHash } from '../../core/operator/secret.ts'
import { newSession, type OperatorSession } from '../../core/operator/session.ts'
import { base32, matchingStep, totpLink } from '../../core/operator/totp.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Invitation, OperatorStore } from '../../ports/operator-store.ts'
import type { Passwords } from '../../ports/passwords.ts'
import type { Visitor } from './sign-in.ts'

type FirstSignInNeeds = {
  readonly store: Pick<OperatorStore, 'operatorInvitation' | 'acceptInvitation'>
  readonly passwords: Passwords
  readonly clock: Pick<Clock, 'now'>
  /** The network that an address belongs to. */
  readonly networkOf: (address: string) => string
  readonly ids: Ids
  /** The name of the installation, as authenticator apps show it. */
  readonly site: string
}

/** The content of the invitation page: the operator's name, and the secret for their authenticator app. */
type Offer = {
  readonly login: string
  readonly name: string
  readonly totpSecret: string
  readonly totpLink: string
  readonly expiresAt: number
}

type NoInvitation = { readonly refused: 'invitation_not_found' }
type Accepted = {
  /** The value of the cookie. */
  readonly secret: string
  readonly session: OperatorSession
  readonly operator: Operator
  /** To write down. Shown only once. */
  readonly recoveryCodes: readonly string[]
}

/**
 * The first sign-in with an invitation link, or a new one after a lost password or phone. An unknown, used or expired
 * link, and one of a disabled operator, look the same. The link holds 256 random bits, so it cannot be guessed, and it
 * is not slowed down: it is the way back in while an account is under attack.
 */
export function firstSignIn({ store, passwords, clock, networkOf, ids, site }: FirstSignInNeeds) {
  const found = async (secret: string): Promise<(Invitation & { readonly operator: Operator }) | null> => {
    const invitation = await store.operatorInvitation(secretHash(secret))
    return invitation === null || clock.now() >= invitation.expiresAt ? null : invitation
  }

  return {
    async offer(secret: string): Promise<Offer | NoInvitation> {
      const invitation = await found(secret)
      if (invitation === null) return { refused: 'invitation_not_found' }
      const { operator, expiresAt } = invitation
      const { login, name } = operator
      const totpSecret = Buffer.from(invitation.totpSecret, 'hex')
      return { login, name, totpSecret: base32(totpSecret), totpLink: totpLink(totpSecret, { site, login }), expiresAt }
    },

    /**
     * Sets the password and the authenticator app, and signs in. `wrong_code` includes the server's time (epoch ms): if
     * one of the two clocks is wrong, so are the phone's codes.
     */
    async accept(
      given: { readonly invitation: string; readonly password: string; readonly code: string },
      visitor: Visitor,
    ): Promise<
      | Accepted
      | NoInvitation
      | { readonly refused: 'weak_password'; readonly why: string }
      | { readonly refused: 'wrong_code'; readonly now: number }
    > {
      const invitation = await found(given.invitation)
      if (invitation === null) return { refused: 'invitation_not_found' }
      const { operator, totpSecret } = invitation
      const why = weaknessOf(given.password, operator)
      if (why !== null) return { refused: 'weak_password', why }
      const now = clock.now()
      const totpStep = matchingStep(Buffer.from(totpSecret, 'hex'), given.code, { now, lastStep: 0 })
      if (totpStep === null) return { refused: 'wrong_code', now }

      const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => recoveryCodeFrom(ids.secret()))
      const passwordHash = await passwords.hash(given.password)
      const known = { recoveryHashes: recoveryCodes.map(recoveryHash), knownNetworks: [networkOf(visitor.address)] }
      const credentials = { passwordHash, totpSecret, totpStep, ...known }
      const secret = ids.secret()
      const session = newSession({ id: ids.uuid(), operatorId: operator.id, now, ...visitor })
      const actor = { kind: 'operator', id: operator.id, name: operator.name } as const
      const { address } = visitor
      const audit = entry({ at: now, actor, address, action: 'invitation.accepted', subject: session.id })
      const kept = { ...session, hash: secretHash(secret) }
      const accepted = await store.acceptInvitation(invitation.hash, credentials, kept, audit)
      return 'refused' in accepted ? accepted : { secret, session, operator, recoveryCodes }
    },
  }
}
