import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { PhoneUser } from './phone-user.ts'
import { type Site, type SiteOptions, startSite } from './site.ts'
import { startTwilio } from './twilio-stand-in.ts'
import { until } from './wait.ts'

export const MIA = '+436641234567'
export const ANA = '+436600000001'
export const DESK = '+436700000000'
export const STRANGER = '+436509999999'
export const GEORG = '+436505555555'
export const PUBLIC_URL = 'https://sos.example.org'
export const HERE = 'SOS 47.06380,12.69210'

export const settings = { rounds: 1, voice: false, watchMinutes: 0, persistHours: 0 }

/** The user has proved this number, and has these four digits. */
export async function proves({ service: { store }, clock }: Site, user: PhoneUser, phone = MIA, smsCode = '4711') {
  await user.rest('PUT', '/v1/sdk/me', { phone })
  const now = clock.now()
  await store.requestPhoneCode(user.userId, {
    ...{ id: `code of ${phone}`, code: '123456', network: null },
    ...{ now, perDay: 100 },
  })
  assert.ok('proof' in (await store.provePhone(user.userId, { code: '123456', smsCode, now })))
}

/** A site that receives and sends through Twilio. */
export async function startSmsSite(t: TestContext, options: SiteOptions = {}) {
  const twilio = await startTwilio(t)
  const site = await startSite(t, {
    contacts: ['Ana', 'Ben'],
    settings,
    fallbackContact: { name: 'Desk', phone: DESK },
    ...options,
    config: {
      publicUrl: PUBLIC_URL,
      notifications: { providers: ['twilio'], allowPrivateTargets: true },
      twilio: twilio.config({ receipts: 'callback' }),
    },
  })
  twilio.reaches(PUBLIC_URL, site.service.listeners.http!)
  await site.service.store.updateApplication(site.user.account.appId, { smsSos: true })
  await proves(site, site.user)
  let sids = 0
  const post = (From: string, Body: string, signed = {}, MessageSid = `SM${++sids}`) =>
    twilio.post(`${PUBLIC_URL}/twilio/sms`, { MessageSid, From, To: '+439999', Body }, signed)
  /** A text arrives and is handled. */
  const texts = async (from: string, text: string): Promise<void> => {
    const { status, text: answer } = await post(from, text)
    assert.deepEqual([status, answer], [200, '<?xml version="1.0" encoding="UTF-8"?><Response/>'])
    await site.advance('1 s')
  }
  /** What went to a number, oldest first. */
  const sentTo = (number: string): readonly string[] => twilio.smsTo(number).map(({ params }) => String(params.Body))
  return { site, twilio, post, texts, sentTo }
}

/** Texts that no alarm waits for leave between them. */
export async function inTime<T>(
  what: string,
  site: Site,
  found: () => T | false | undefined | Promise<T | false | undefined>,
): Promise<T> {
  for (let seconds = 0; seconds < 300; seconds += 5) {
    const it = await found()
    if (it) return it
    await site.advance('5 s')
  }
  return until(what, async () => (await found()) || null) as Promise<T>
}

export const incidents = async ({ service }: Site) =>
  (await service.store.incidents({ openOnly: false })).map(({ incident }) => incident)
export const last = async (site: Site) => (await incidents(site)).toSorted((a, b) => a.openedAt - b.openedAt).at(-1)!
export const codeIn = (text: string): string => /NO (\d{4})/.exec(text)![1]!
