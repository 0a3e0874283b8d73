import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import {
  MAX_SETTING_CHANGES,
  type SettingValue,
  type SiteSetting,
  settingChange,
  UNDO_DAYS,
  undoOf,
} from '../../src/core/operator/site-setting.ts'
import { DAY } from '../../src/lib/durations.ts'
import type { Committed } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const plain = (key: string, value: unknown): SettingValue => ({
  key,
  value: value === null ? null : JSON.stringify(value),
  sealed: false,
})
const audit = entry({ at: momentAt(0), actor: COMMAND, action: 'setup.change' })
const changeIn =
  (section: string) =>
  (settings: readonly SiteSetting[], id: string, seconds: number, ...after: readonly SettingValue[]) =>
    settingChange(settings, { id, at: momentAt(seconds), author: 'Eva', section, after })
const change = changeIn('address')

export function settingsContract(subject: StoreUnderTest): void {
  suite('settings', () => {
    test('a change is stored with its history and audit row, and another process hears of it', async (t) => {
      const { place, store } = await siteIn(subject, t)
      const heard: unknown[] = []
      await store.onNotice((notice) => heard.push(notice))
      const other = await place.open({ leaveNotices: true })
      const secret = { key: 'twilio.authToken', value: 'tocsin1:abc:def', sealed: true }
      const first = change([], 'a', 1, plain('publicUrl', 'https://a.example'), secret)
      assert.deepEqual(await other.changeSettings(first, audit), { changed: true })
      const about = { changedAt: momentAt(1), changedBy: 'Eva' }
      assert.deepEqual(await store.siteSettings(), [
        { key: 'publicUrl', value: '"https://a.example"', sealed: false, ...about },
        { ...secret, ...about },
      ])
      assert.deepEqual(await store.settingChanges(), [first])
      assert.deepEqual((await store.auditRows({ after: null, limit: 9 })).items.at(0)?.action, 'setup.change')
      await until('the notice is heard', () => heard.length > 0)
      assert.deepEqual(heard, [{ kind: 'settings' }])
    })

    test('an alarm that is handed in after a new plan follows it; open ones, and those of another process, do not', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { place, store, user } = site
      const [second, third, elsewhere] = await Promise.all(['b', 'c', 'd'].map((id) => site.newUser(id)))
      const isMailed = async (pressed: Promise<Committed>) => incidentOf(await pressed).contactActuator?.email === true
      assert.equal(await isMailed(user.presses(0)), false)
      const planned = store.planWith({ ...defaultSettings, graceSeconds: 7, email: true })
      // In line behind it.
      const pressed = second!.presses(1)
      await planned
      assert.equal(await isMailed(pressed), true)
      assert.equal(incidentOf(await pressed).settings.graceSeconds, 7)
      assert.equal(await isMailed(user.presses(2)), false)
      assert.equal(await isMailed(elsewhere!.in(await place.open()).presses(3)), false)
      await store.planWith(defaultSettings)
      assert.equal(await isMailed(third!.presses(4)), false)
    })

    test('of two operators who save the same key at the same moment, one is refused', async (t) => {
      const { store } = await siteIn(subject, t)
      const changes = ['x', 'y'].map((id) => change([], id, 1, plain('timeZone', id)))
      const answers = await Promise.all(changes.map((one) => store.changeSettings(one, audit)))
      // Either may come first: over several connections, the database decides.
      const won = answers.findIndex((answer) => 'changed' in answer)
      assert.deepEqual([answers[won], answers[1 - won]], [{ changed: true }, { refused: 'settings_changed' }])
      assert.deepEqual((await store.siteSettings())[0]?.value, ['"x"', '"y"'][won])
      // A key that somebody else sets meanwhile is no obstacle.
      assert.deepEqual(await store.changeSettings(change([], 'z', 2, plain('publicUrl', 'u')), audit), {
        changed: true,
      })
    })

    test('an undo restores what was there, and only as long as nothing has changed since', async (t) => {
      const { store } = await siteIn(subject, t)
      const [first, second] = [change([], 'a', 1, plain('timeZone', 'A')), plain('timeZone', 'B')]
      await store.changeSettings(first, audit)
      const next = change(await store.siteSettings(), 'b', 2, second)
      await store.changeSettings(next, audit)
      const undo = async (of: typeof next, now = momentAt(3)) =>
        undoOf(await store.siteSettings(), of, { id: 'u', now, author: 'Ivo' })
      assert.deepEqual(await undo(first), { refused: 'settings_changed' })
      assert.deepEqual(await undo(next, momentAt(2) + UNDO_DAYS * DAY), { refused: 'change_too_old' })
      const back = await undo(next)
      assert.ok('before' in back)
      await store.changeSettings(back, audit)
      const expected = { key: 'timeZone', value: '"A"', sealed: false, changedAt: momentAt(3), changedBy: 'Ivo' }
      assert.deepEqual(await store.siteSettings(), [expected])
      const none = change(await store.siteSettings(), 'n', 4, plain('timeZone', null))
      await store.changeSettings(none, audit)
      assert.deepEqual(await store.siteSettings(), [])
    })

    test('changes of one part push none of another one out of the history', async (t) => {
      const { store } = await siteIn(subject, t)
      const guarded = changeIn('provider/twilio')([], 'guarded', 0, plain('twilio.from', '+1'))
      await store.changeSettings(guarded, audit)
      for (let n = 1; n < MAX_SETTING_CHANGES + 3; n += 1) {
        const settings = await store.siteSettings()
        await store.changeSettings(changeIn('time')(settings, `c${n}`, n, plain('timeZone', n)), audit)
      }
      const ids = (await store.settingChanges()).map(({ id }) => id)
      assert.deepEqual([ids.length, ids.at(-2), ids.at(-1)], [MAX_SETTING_CHANGES + 1, 'c3', 'guarded'])
    })

    test('the history is bounded in number and in age', async (t) => {
      const { store } = await siteIn(subject, t)
      for (let n = 0; n < MAX_SETTING_CHANGES + 3; n += 1) {
        const settings = await store.siteSettings()
        await store.changeSettings(change(settings, `c${n}`, n, plain('timeZone', n)), audit)
      }
      const ids = (await store.settingChanges()).map(({ id }) => id)
      assert.deepEqual([ids.length, ids[0], ids.at(-1)], [MAX_SETTING_CHANGES, `c${MAX_SETTING_CHANGES + 2}`, 'c3'])
      await store.deleteExpired('settingChanges', { before: momentAt(MAX_SETTING_CHANGES), max: 1000, from: '' })
      assert.equal((await store.settingChanges()).length, 3)
      assert.equal((await store.siteSettings()).length, 1)
    })
  })
}
