import type { Application } from '../../core/account/application.ts'
import type { PhoneProof } from '../../core/account/phone-proof.ts'
import type { User } from '../../core/account/profile.ts'
import { isOfSms, smsUserId } from '../../core/account/sms-user.ts'
import { isFullNumber } from '../../core/incident/sms-reach.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, ApplicationStore, NumberSought, SmsStore } from '../../ports/store.ts'

/** Unknown numbers that become users; the texts of further ones join one user's alarm. */
const NEW_NUMBERS = { times: 30, perMs: HOUR }
/** A sender as the network shows it may be a name. */
const MAX_SENDER_LENGTH = 30
const MIN_NATIONAL_DIGITS = 7

/**
 * The sender of a text. `phone`: E.164, or as the network shows it. `user`: who has proved the number. `named`: without
 * such a user, those whose profile has it.
 */
export type SmsSender = {
  readonly phone: string
  readonly proof: PhoneProof | null
  readonly user: User | null
  readonly named: readonly User[]
  readonly application: Application
}

/** Finds out who has sent a text. sms.md#sms-sos. */
export function smsSenders({
  store,
  ids,
}: {
  readonly store: Pick<SmsStore, 'provedNumbers' | 'usersWithPhone'> &
    Pick<AccountStore, 'user' | 'userByExternalId' | 'ensureUser' | 'updateProfile'> &
    Pick<ApplicationStore, 'applications'>
  readonly ids: Pick<Ids, 'uuid'>
}) {
  const newNumbers = new RateLimiter(NEW_NUMBERS, 1)

  async function proofOf(from: string): Promise<PhoneProof | null> {
    const sought = soughtOf(from)
    const found = sought === null ? [] : await store.provedNumbers(sought)
    // Without its country code a number may belong to several people.
    return found.length === 1 ? found[0]! : null
  }

  return {
    proofOf,

    /** Null where no application takes SOS by SMS. */
    async senderOf(from: string): Promise<SmsSender | null> {
      const applications = (await store.applications()).filter(({ smsSos, disabled }) => smsSos && !disabled)
      const oldest = applications.toSorted((a, b) => a.createdAt - b.createdAt)
      // An unknown number rings where somebody is there for it.
      const forUnknown = oldest.find(({ fallbackContact }) => fallbackContact !== null) ?? oldest[0]
      if (forUnknown === undefined) return null
      const of = (user: User | null) => applications.find(({ id }) => id === user?.appId)
      const proof = await proofOf(from)
      const user = proof === null ? null : await store.user(proof.userId)
      const own = of(user)
      if (proof !== null && user !== null && own !== undefined) {
        return { phone: proof.phone, proof, user, named: [], application: own }
      }
      const phone = proof?.phone ?? numberOf(from)
      const named = (await store.usersWithPhone(phone)).filter(
        (one) => of(one) !== undefined && !isOfSms(one.externalUserId),
      )
      const ofNamed = named.length === 1 ? of(named[0]!)! : forUnknown
      // Writing the number into a profile must not lead its alarm to a place without anyone to alert.
      const application = ofNamed.fallbackContact === null && forUnknown.fallbackContact !== null ? forUnknown : ofNamed
      return { phone, proof: null, user: null, named, application }
    },

    /**
     * The user for a number that nobody has proved. It is nobody else's: the alarm of a text must not be seen or ended
     * by someone who wrote the number into a profile.
     */
    async unknownUser(
      { phone, application: { id: appId } }: Pick<SmsSender, 'phone' | 'application'>,
      now: number,
    ): Promise<User> {
      const ofNumber = smsUserId(phone)
      const isOwn = (await store.userByExternalId(appId, ofNumber)) !== null || newNumbers.take('', now)
      const externalUserId = isOwn ? ofNumber : smsUserId('others')
      const user = await store.ensureUser({ appId, externalUserId, id: ids.uuid(), now })
      if (!isOwn || user.phone !== null || !isFullNumber(phone)) return user
      // Without it, the alarm names the external id, which has the number.
      const named = await store.updateProfile(user.id, { phone }, now).catch(() => user)
      return 'refused' in named ? user : named
    },
  }
}

/** Anyone may write any number into their profile, so the alarm is not theirs. */
export function namedIn(named: SmsSender['named']): string {
  const whose = named.map(({ name, externalUserId }) =>
    name === null ? externalUserId : `${name} (${externalUserId})`,
  )
  return `This number is in the profile of ${whose.join(' and of ')}, not proved.`
}

/** The sender as the network shows it, with its country code where it is there. */
export function numberOf(from: string): string {
  const number = from.replaceAll(/[\s()./-]/g, '').replace(/^00(?=\d)/, '+')
  return number.replaceAll(/[^\p{L}\d+]/gu, '').slice(0, MAX_SENDER_LENGTH) || 'unknown'
}

/**
 * How a proved number is found: all of it, or its end where the country code is missing. Null: a name, a short code.
 */
function soughtOf(from: string): NumberSought | null {
  const number = numberOf(from)
  if (/^\+\d{7,15}$/.test(number)) return { phone: number }
  const national = /^\d{1,15}$/.test(number) ? number.replace(/^0+/, '') : ''
  return national.length < MIN_NATIONAL_DIGITS ? null : { ending: national }
}
