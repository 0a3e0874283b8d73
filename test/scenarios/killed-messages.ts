import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncidentRecord } from '../../src/ports/incident-store.ts'
import { listen } from '../harness/listener.ts'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import type { ProcessSite } from '../harness/process-site.ts'
import { ANA, BEN, HURRIED, OPENED, recovered } from './killed.ts'

/** `kills`: how many there had been before. */
type Press = { readonly externalUserId: string; readonly timestamp: string; readonly kills: number }

/**
 * Users who raise alarms in every run of a service that is killed again and again, one of whom has second thoughts:
 * each message must be in the outbox once, each webhook be called, and the snapshots agree.
 */
export async function messages(t: TestContext, service: ProcessSite, random: () => number) {
  const target = await listen(t)
  const site = await service.application({ settings: HURRIED, webhook: target.url })
  const cancelled = new Map<string, 'asked' | 'answered'>()
  /** For each incident id, the number of kills before it opened. */
  const opened = new Map<string, number>()
  /** The external ids of the users. */
  const people = new Set<string>()
  /** Presses whose answers a kill has cut off: they are sent again. */
  const unanswered = new Set<Press>()
  let kills = 0
  let changesMind: Promise<void> = Promise.resolve()

  /** Whether an attempt still waits or has no outcome. */
  const isAhead = ({ incident }: IncidentRecord): boolean =>
    opened.has(incident.id) && incident.deliveries.some(({ status }) => status === 'scheduled')

  async function presses(press: Press, user: PhoneUser): Promise<string> {
    const { timestamp } = press
    const { status, body } = await user.rest('POST', '/v1/sdk/sos', { timestamp })
    // What was stored before a kill is found again.
    assert.ok(status === 201 || (status === 200 && press.kills < kills), `answered with ${status}`)
    opened.set(body.incident.incidentId, press.kills)
    return body.incident.incidentId
  }

  return {
    /** The service has started. */
    async comesBack(): Promise<void> {
      const again = [...unanswered]
      unanswered.clear()
      await Promise.all(again.map(async (press) => presses(press, site.phone(press.externalUserId))))
    },

    /** `aim`: sets a point that the alarms themselves may reach, so that some presses may have no answer. */
    async begins(aim?: () => Promise<void>): Promise<void> {
      const users = await Promise.all(
        Array.from({ length: 6 }, (_, n) => site.user(`raiser-${kills}-${n}`, [ANA, BEN])),
      )
      for (const { account } of users) people.add(account.externalUserId)
      await aim?.()
      const ids = await Promise.all(
        users.map(async (user): Promise<string | null> => {
          const press = { externalUserId: user.account.externalUserId, timestamp: newMoment(), kills }
          try {
            return await presses(press, user)
          } catch (error) {
            if (aim === undefined || error instanceof assert.AssertionError) throw error
            unanswered.add(press)
            return null
          }
        }),
      )
      const [first] = ids
      if (first === null) return
      changesMind = sleep(random() * 500).then(async () => {
        cancelled.set(first!, 'asked')
        const { status, body } = await users[0]!.rest('POST', '/v1/sdk/sos/cancel', { incidentId: first })
        assert.deepEqual([status, body.ended], [200, true])
        cancelled.set(first!, 'answered')
      })
      changesMind.catch(() => {})
    },

    /** The service has been killed. */
    async ends(): Promise<void> {
      kills += 1
      await changesMind.catch(() => {})
    },

    /** To be called in the last run. */
    async isComplete(): Promise<void> {
      const store = await site.openBeside()
      // Most incidents are closed, and none of them opens again: they are looked at when the open ones are done.
      const nothingAhead = async (openOnly: boolean) => !(await store.incidents({ openOnly })).some(isAhead)
      await recovered('nothing is ahead', async () => (await nothingAhead(true)) && nothingAhead(false)).finally(() =>
        store.close(),
      )
      const incidents = (await site.tocsin('incident', 'list')).filter(({ externalUserId }: any) =>
        people.has(externalUserId),
      )
      const outbox = await site.tocsin('outbox', 'list')
      assert.deepEqual(incidents.map(({ incidentId }: any) => incidentId).sort(), [...opened.keys()].sort())
      for (const { incidentId, status: ended, actuators } of incidents) {
        if (cancelled.get(incidentId) === 'answered') assert.equal(ended, 'cancelled')
        if (!cancelled.has(incidentId)) assert.equal(ended, 'active')
        const messages = outbox.filter((message: any) => message.incidentId === incidentId)
        const [{ contacts }, { deliveries }] = actuators.items
        for (const { contactId, channels } of contacts) {
          for (const { channel, status } of channels) {
            const got = messages.filter(
              (message: any) => message.contactId === contactId && message.channel === channel,
            )
            const about = `${channel} of ${incidentId} is ${status} and was written ${got.length} times`
            assert.equal(got.length, status === 'sent' ? 1 : 0, about)
            if (ended === 'active') assert.equal(status, 'sent', about)
            else assert.ok(status === 'sent' || status === 'skipped', about)
          }
        }
        const calls = target.requests.filter(
          ({ json }) => json.type === OPENED && json.data.incident.incidentId === incidentId,
        )
        const last = deliveries.at(-1).status
        if (ended === 'active') assert.equal(last, 'delivered')
        if (last === 'delivered') assert.ok(calls.length > 0)
        // Each kill may repeat one call whose outcome was lost.
        assert.ok(calls.length <= 1 + kills - opened.get(incidentId)!)
      }
      const unsure = site.output.split('an attempt has no outcome').length - 1
      t.diagnostic(
        `${incidents.length} incidents, ${cancelled.size} of them cancelled, over ${kills} kills; ${unsure} attempts had no outcome`,
      )
      assert.ok(unsure > 0, 'no kill met an attempt under way')
    },
  }
}
