import { entry } from '../../core/operator/audit.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { secretHash, totpSecretFrom } from '../../core/operator/secret.ts'
import { isInForce, type NoOffer, SETUP_MS, type SetupLink } from '../../core/operator/setup.ts'
import { base32, bytesOfBase32, totpLink } from '../../core/operator/totp.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { SetupStore } from '../../ports/setup-store.ts'
import { type CredentialNeeds, firstCredentials, type NotChosen } from './first-credentials.ts'
import type { Accepted } from './first-sign-in.ts'
import type { Visitor } from './opened-session.ts'

type OfferNeeds = {
  readonly store: Pick<SetupStore, 'offerSetup'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'secret'>
}

/** `secret`: of the address, stored nowhere. */
export type SetupOffer = { readonly secret: string; readonly hash: string; readonly expiresAt: number }

/** Makes the address for the first administrator, in place of an earlier one. access.md#operators. */
export async function offerSetup(
  { store, clock, ids }: OfferNeeds,
  { node, running }: { readonly node: string | null; readonly running: readonly string[] },
): Promise<SetupOffer | NoOffer> {
  const secret = ids.secret()
  const hash = secretHash(secret)
  const createdAt = clock.now()
  const link = { hash, node, createdAt, expiresAt: createdAt + SETUP_MS }
  const offered = await store.offerSetup(link, running)
  return 'refused' in offered ? offered : { secret, hash, expiresAt: link.expiresAt }
}

type FirstAdministratorNeeds = CredentialNeeds & {
  readonly store: Pick<SetupStore, 'setupLink' | 'useSetup'>
  readonly clock: Pick<Clock, 'now'>
  /** The name of the installation, as authenticator apps show it. */
  readonly site: () => string
}

type NoSetup = { readonly refused: 'setup_not_found' }
type Given = Pick<Operator, 'login' | 'name'> & {
  readonly setup: string
  readonly password: string
  /** In Base32, as `offer` has made it. */
  readonly totpSecret: string
  readonly code: string
}

/**
 * The first administrator, with the address that an empty site shows at its start. An unknown, used, replaced or
 * expired address, and any address of a site with operators, look the same. Its 256 random bits cannot be guessed.
 */
export function firstAdministrator({ store, clock, site, ...needs }: FirstAdministratorNeeds) {
  const found = async (secret: string): Promise<SetupLink | null> => {
    const hash = secretHash(secret)
    const link = await store.setupLink()
    return link !== null && link.hash === hash && isInForce(link, clock.now()) ? link : null
  }

  return {
    /**
     * A new secret for the authenticator app of `login`. It is not stored: another person who has seen the address does
     * not learn the second factor of the one who uses it.
     */
    async offer({ setup, login }: Pick<Given, 'setup' | 'login'>) {
      const link = await found(setup)
      if (link === null) return { refused: 'setup_not_found' } satisfies NoSetup
      const secret = Buffer.from(totpSecretFrom(needs.ids.secret()), 'hex')
      return {
        login,
        totpSecret: base32(secret),
        totpLink: totpLink(secret, { site: site(), login }),
        expiresAt: link.expiresAt,
      }
    },

    /** Adds the administrator of the whole site, and signs in. */
    async accept(
      { setup, login, name, password, totpSecret, code }: Given,
      visitor: Visitor,
    ): Promise<Accepted | NoSetup | NotChosen> {
      const link = await found(setup)
      if (link === null) return { refused: 'setup_not_found' }
      const now = clock.now()
      const times = { createdAt: now, updatedAt: now, signedInAt: now }
      const rights = { role: 'admin', applications: null, disabled: false } as const
      const operator: Operator = { id: needs.ids.uuid(), login, name, ...rights, ...times }
      const chosen = { password, totpSecret: Buffer.from(bytesOfBase32(totpSecret)).toString('hex'), code }
      const first = await firstCredentials(needs, operator, chosen, { visitor, now })
      if ('refused' in first) return first
      const { credentials, kept, ...shown } = first
      const actor = { kind: 'operator', id: operator.id, name } as const
      const audit = entry({
        at: now,
        actor,
        address: visitor.address,
        action: 'setup.accepted',
        subject: operator.id,
      })
      const used = await store.useSetup(link.hash, { ...operator, ...credentials }, kept, audit)
      return 'refused' in used ? used : { ...shown, operator }
    },
  }
}
