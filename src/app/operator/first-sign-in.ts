import { entry } from '../../core/operator/audit.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { secretHash } from '../../core/operator/secret.ts'
import type { OperatorSession } from '../../core/operator/session.ts'
import { base32, totpLink } from '../../core/operator/totp.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Invitation, OperatorStore } from '../../ports/operator-store.ts'
import { type CredentialNeeds, firstCredentials, type NotChosen } from './first-credentials.ts'
import type { Visitor } from './opened-session.ts'

type FirstSignInNeeds = CredentialNeeds & {
  readonly store: Pick<OperatorStore, 'operatorInvitation' | 'acceptInvitation'>
  readonly clock: Pick<Clock, 'now'>
  /** The name of the installation, as authenticator apps show it. */
  readonly site: () => string
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
export type Accepted = {
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
export function firstSignIn({ store, clock, site, ...needs }: FirstSignInNeeds) {
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
      return {
        login,
        name,
        totpSecret: base32(totpSecret),
        totpLink: totpLink(totpSecret, { site: site(), login }),
        expiresAt,
      }
    },

    /** Sets the password and the authenticator app, and signs in. */
    async accept(
      given: { readonly invitation: string; readonly password: string; readonly code: string },
      visitor: Visitor,
    ): Promise<Accepted | NoInvitation | NotChosen> {
      const invitation = await found(given.invitation)
      if (invitation === null) return { refused: 'invitation_not_found' }
      const { operator, totpSecret } = invitation
      const now = clock.now()
      const first = await firstCredentials(needs, operator, { ...given, totpSecret }, { visitor, now })
      if ('refused' in first) return first
      const { credentials, kept, ...shown } = first
      const actor = { kind: 'operator', id: operator.id, name: operator.name } as const
      const { address } = visitor
      const audit = entry({ at: now, actor, address, action: 'invitation.accepted', subject: kept.id })
      const accepted = await store.acceptInvitation(invitation.hash, credentials, kept, audit)
      return 'refused' in accepted ? accepted : { ...shown, operator }
    },
  }
}
