import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { at, incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const DAY_SECONDS = 24 * 3600

/** rules.md#identity: the same alert twice is one alert. */
export function repeatContract(subject: StoreUnderTest): void {
  suite('an alert that comes again', () => {
    test('changes nothing while the incident is open', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const opened = await user.presses(0, at(47))
      const before = await store.history(user.id, { after: null, limit: 1 })
      const again = await user.presses(0, at(48), 30)
      assert.equal(again.verdict, 'repeated')
      assert.deepEqual(again.incident, opened.incident)
      assert.deepEqual(again.lastPosition, opened.lastPosition)
      assert.deepEqual(await store.history(user.id, { after: null, limit: 1 }), before)
    })

    test('may make the incident silent, and is a repeat all the same', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const opened = await user.presses(0, at(47))
      const again = await user.presses(0, { ...at(47), silent: true }, 30)
      assert.deepEqual([again.verdict, again.incident?.silent], ['repeated', true])
      const kept = (await store.incident(opened.incidentId!))?.incident
      assert.deepEqual([kept?.silent, kept?.lastAlertAt], [true, opened.incident?.lastAlertAt])
      await user.presses(60, { silent: false })
      assert.equal((await store.incident(opened.incidentId!))?.incident.silent, true)
    })

    test('of an application whose alarms are silent', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const { appId } = (await store.user(user.id))!
      assert.equal((await store.application(appId))?.silentByDefault, false)
      const mapLink = 'https://map.example.org/{lat}/{lon}'
      await store.updateApplication(appId, { silentByDefault: true, mapLink })
      assert.equal((await store.application(appId))?.mapLink, mapLink)
      assert.equal((await store.application(appId))?.silentByDefault, true)
      assert.equal((await user.presses(0)).incident?.silent, true)
    })

    test('is distinguished from another one by the nanosecond and the device', async (t) => {
      const { user } = await siteIn(subject, t)
      const pressed = (timestamp: string, deviceId?: string) =>
        user.presses(0, { timestamp, deviceId: deviceId ?? null })
      const verdicts = [
        await pressed('2026-01-01T12:00:00.000000001Z'),
        await pressed('2026-01-01T12:00:00.000000002Z'),
        await pressed('2026-01-01T12:00:00.000000001Z', 'tracker-1'),
        await pressed('2026-01-01T13:00:00.000000001+01:00'),
        await pressed('2026-01-01T12:00:00.000000001Z', 'tracker-1'),
      ].map(({ verdict }) => verdict)
      assert.deepEqual(verdicts, ['opened', 'updated', 'updated', 'repeated', 'repeated'])
    })

    test('after feeding the open incident is remembered like the first', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(0)
      assert.equal((await user.presses(30)).verdict, 'updated')
      assert.equal((await user.presses(30, {}, 31)).verdict, 'repeated')
    })

    test('is a repeat of a closed incident only with the same fields, within a day', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(0, at(47))
      await user.does(5, { type: 'cancel' })
      const repeated = await user.presses(0, at(47), DAY_SECONDS - 1)
      assert.equal(repeated.verdict, 'repeated')
      assert.equal(repeated.incident, null)
      assert.equal((await user.presses(0, at(47), DAY_SECONDS)).verdict, 'opened')
    })

    test('is a repeat whatever is ignored in it', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(0, { ...at(47), deviceId: 'A8-40-41-17-D1-85-12-34', sender: 'gateway 1', altitude: null })
      await user.does(5, { type: 'cancel' })
      const again = { ...at(47), deviceId: 'a8404117d1851234', userId: 'u', silent: true }
      assert.deepEqual((await user.presses(0, again, 10)).verdict, 'repeated')
    })

    test('alarms when in doubt, and from then on belongs to the new incident', async (t) => {
      const { user } = await siteIn(subject, t)
      const first = incidentOf(await user.presses(0, at(47)))
      await user.does(5, { type: 'cancel' })
      const second = await user.presses(0, at(48), 10)
      assert.equal(second.verdict, 'opened')
      assert.notEqual(incidentOf(second).id, first.id)
      assert.equal((await user.presses(0, at(47), 11)).verdict, 'repeated')
      await user.does(15, { type: 'cancel' })
      assert.equal((await user.presses(0, at(48), 20)).verdict, 'repeated')
      assert.equal((await user.presses(0, at(47), 21)).verdict, 'opened')
    })

    test('from another user is a first alert', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      await site.user.presses(0)
      assert.equal((await other.presses(0)).verdict, 'opened')
    })
  })
}
