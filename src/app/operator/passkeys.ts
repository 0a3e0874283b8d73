import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import { withoutCredentials } from '../../core/operator/operator.ts'
import type { GivenPasskey, PasskeySignature } from '../../core/operator/operator-schema.ts'
import {
  type ChallengeFor,
  challengeMoment,
  challengeOf,
  MAX_PASSKEYS,
  type Passkey,
} from '../../core/operator/passkey.ts'
import { secretHash } from '../../core/operator/secret.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorMail } from '../../ports/operator-mail.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { PasskeyStore } from '../../ports/passkey-store.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'
import type { Visitor } from './opened-session.ts'
import { openingSession, refusingSignIns } from './opened-session.ts'
import {
  challengeIn,
  ownerOf,
  type PasskeyNeeds,
  passkeySigned,
  passkeysHere,
  type WhyNoPasskeys,
} from './passkey-signed.ts'
import type { SignInPaces } from './sign-in-paces.ts'

type Needs = Omit<PasskeyNeeds, 'store'> & {
  readonly store: PasskeyStore & Pick<OperatorStore, 'openSession' | 'addAuditRow'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly networkOf: (address: string) => string
  /** Monotonic milliseconds: waits must not depend on the machine's date. */
  readonly monotonicMs: () => number
  readonly paces: SignInPaces
  readonly log: Log
  /** To the administrators. */
  readonly mail: OperatorMail
}

type Own = Pick<OperatorCaller, 'actor' | 'login' | 'session'>
type NotForTokens = { readonly refused: 'not_for_tokens' }
/** The challenge for a browser, and its host. */
type Asked = { readonly challenge: string; readonly origin: string; readonly host: string }
type Unavailable = { readonly refused: 'passkeys_unavailable'; readonly why: WhyNoPasskeys }

/** A passkey by a name that fits into an address: ids of authenticators may have 1,364 characters. */
const shownId = ({ id }: Pick<Passkey, 'id'>): string => secretHash(id).slice(0, 32)

/** Passkeys of operators: signing in with one, and those of one's own account. access.md#passkeys. */
export function operatorPasskeys(needs: Needs) {
  const { store, checks, clock, ids, networkOf, monotonicMs, paces, log, mail } = needs
  const refuse = refusingSignIns(needs)
  const open = openingSession(needs)
  const signed = passkeySigned(needs)

  const asked = async (purpose: ChallengeFor): Promise<Asked | Unavailable> => {
    const here = await passkeysHere(needs)
    if ('why' in here) return { refused: 'passkeys_unavailable', why: here.why }
    const { origin, host, key } = here
    return { challenge: challengeOf(key, purpose, clock.now(), ids.secret()), origin, host }
  }

  const ownCalled = async ({ session }: Own, shown: string) => {
    if (session === null) return { refused: 'not_for_tokens' } satisfies NotForTokens
    const found = (await store.passkeys(session.operatorId)).find((passkey) => shownId(passkey) === shown)
    return found ?? ({ refused: 'passkey_not_found' } as const)
  }

  return {
    /** The challenge for a sign-in or a proof. Valid once, for five minutes. */
    challenge: () => asked('sign-in'),

    /** Slowed down as guesses of passwords are. A guessed one cannot be right; this bounds the work. */
    async signIn(given: PasskeySignature, visitor: Visitor) {
      const owner = await ownerOf(store, given)
      const network = networkOf(visitor.address)
      const isKnown = owner?.operator.knownNetworks.includes(network) ?? false
      const begun = paces.begin({ loginHash: secretHash(`passkey ${given.id}`), network, isKnown }, monotonicMs())
      if ('waitMs' in begun) return { refused: 'too_many_attempts', retryAfterMs: begun.waitMs } as const
      if (owner === null) return refuse(null, 'unknown_passkey', visitor)
      if (owner.operator.disabled) return refuse(owner.operator, 'disabled', visitor)
      const found = await signed(given)
      if (found === null) return refuse(owner.operator, 'wrong_passkey', visitor)
      const { operator, proof } = found
      const opened = await open(operator, { ...proof, network }, { visitor, how: 'passkey', now: clock.now() })
      if ('refused' in opened) return refuse(operator, opened.refused, visitor)
      begun.succeeded()
      const recoveryCodesLeft = operator.recoveryHashes.length
      return { ...opened, operator: withoutCredentials(operator), recoveryCodesLeft }
    },

    /** The caller's own. `why`: why none can be used or added at the site's address; null if they can. */
    async own({ session }: Own) {
      if (session === null) return { refused: 'not_for_tokens' } satisfies NotForTokens
      const here = await passkeysHere(needs)
      const { origin, host, why } = 'why' in here ? { origin: null, host: null, why: here.why } : { ...here, why: null }
      const items = (await store.passkeys(session.operatorId)).map((passkey) => ({
        id: shownId(passkey),
        name: passkey.name,
        addedAt: isoAt(passkey.addedAt),
        usedAt: isoOrNull(passkey.usedAt),
        synced: passkey.synced,
        host: passkey.host,
        usable: passkey.host === host,
      }))
      return { items, origin, why }
    },

    /** The challenge for a new passkey, and the passkeys that it must not replace. */
    async addChallenge({ session, actor, login }: Own) {
      if (session === null || login === null) return { refused: 'not_for_tokens' } satisfies NotForTokens
      const challenge = await asked(`add ${session.id}`)
      if ('refused' in challenge) return challenge
      const own = await store.passkeys(session.operatorId)
      if (own.length >= MAX_PASSKEYS) return { refused: 'passkey_limit' } as const
      const user = { id: Buffer.from(session.operatorId).toString('base64url'), name: login, displayName: actor.name }
      return { ...challenge, user, exclude: own.map(({ id, transports }) => ({ id, transports })) }
    },

    async add({ session, actor }: Own, { name, ...given }: GivenPasskey, by: By) {
      if (session === null) return { refused: 'not_for_tokens' } satisfies NotForTokens
      const here = await passkeysHere(needs)
      if ('why' in here) return { refused: 'passkeys_unavailable', why: here.why } satisfies Unavailable
      const { origin, host, key } = here
      const challenge = challengeIn(given.clientDataJSON)
      const challengedAt = challengeMoment(key, `add ${session.id}`, challenge ?? '', clock.now())
      if (challenge === null || challengedAt === null) return { refused: 'passkey_refused' } as const
      const made = await checks.added({ name, ...given }, { challenge, origin, host })
      if (made === null) return { refused: 'passkey_refused' } as const
      const { operatorId } = session
      const passkey = { ...made, operatorId, name, host, transports: given.transports, addedAt: by.now, challengedAt }
      const audit = rowBy(by, { action: 'passkey.added', subject: operatorId, details: { passkey: shownId(passkey) } })
      const added = await store.addPasskey(passkey, MAX_PASSKEYS, audit)
      if ('refused' in added) {
        const { refused } = added
        return { refused: refused === 'operator_not_found' ? ('not_for_tokens' as const) : refused }
      }
      log.warn({ operatorId }, 'an operator has added a passkey')
      mail(
        `${actor.name} has added a passkey`,
        `It signs in without password and code. If ${actor.name} did not add it: reset the passkeys of this operator in the console, under System, or with: tocsin operator passkeys LOGIN --reset`,
      )
      return { id: shownId(passkey) }
    },

    async rename(own: Own, id: string, name: string, by: By) {
      const found = await ownCalled(own, id)
      if ('refused' in found) return found
      const audit = rowBy(by, { action: 'passkey.renamed', subject: found.operatorId, details: { passkey: id } })
      return store.renamePasskey(found.operatorId, found.id, name, audit)
    },

    /** Password and code remain: a passkey is never the last way in. */
    async remove(own: Own, id: string, by: By) {
      const found = await ownCalled(own, id)
      if ('refused' in found) return found
      const audit = rowBy(by, { action: 'passkey.removed', subject: found.operatorId, details: { passkey: id } })
      const removed = await store.removePasskey(found.operatorId, found.id, audit)
      return 'refused' in removed ? removed : { removed: true as const }
    },
  }
}
