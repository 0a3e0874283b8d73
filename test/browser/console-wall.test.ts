import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../../console/api/types.ts'
import { idOf, itemOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { axeFindings, consoleBrowser } from './console-page.ts'

const SCREENS = [
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
  [1080, 1920],
] as const

/** What of a wall is cut off, too small or below the fold, and what it shows. */
const MEASURED = `(() => {
  const list = document.querySelector('.wall ol').getBoundingClientRect()
  const cards = [...document.querySelectorAll('.wall ol > li')]
  const map = document.querySelector('.wall .map').getBoundingClientRect()
  const page = document.documentElement
  const isOutside = (box) => box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.top < 0
  const parts = [...document.querySelectorAll('.wall header, .wall .more, .wall .map, .wall-drills')]
  const counts = [...document.querySelectorAll('.counts strong')]
  return {
    scrolls: page.scrollHeight > innerHeight || page.scrollWidth > innerWidth,
    outside: [...cards, ...parts].filter((part) => isOutside(part.getBoundingClientRect())).length,
    covered: cards.filter((card) => card.getBoundingClientRect().bottom > list.bottom + 1).length,
    cut: cards.filter((card) => card.scrollHeight > card.clientHeight + 1).length,
    small: cards.filter((card) => parseFloat(getComputedStyle(card).fontSize) < 14).length,
    counted: counts.reduce((sum, { textContent }) => sum + Number(textContent), 0),
    mapBeside: innerWidth > innerHeight ? map.left >= list.right : map.top >= list.bottom,
    hasMap: map.width * map.height > 0.1 * innerWidth * innerHeight,
    newest: cards.some((card) => card.textContent.includes('Newest of all')),
    shown: cards.length,
    more: Number(/\\d+/.exec(document.querySelector('.wall .more')?.textContent ?? '0')[0]),
  }
})()`
type Measured = { readonly shown: number; readonly more: number }
/** Nobody can move the map of a wall. */
const PINS_ARE_IN_MAP = `(() => {
  const { left, right, top, bottom } = document.querySelector('.wall .map').getBoundingClientRect()
  const pins = [...document.querySelectorAll('.wall .map-pin')].map((pin) => pin.getBoundingClientRect())
  return pins.length > 1 && pins.every((pin) => pin.left > left && pin.right < right && pin.top > top && pin.bottom < bottom)
})()`
const SOUND = { scrolls: false, outside: 0, covered: 0, cut: 0, small: 0, mapBeside: true, hasMap: true, newest: true }

suite('the console in a browser: the wall, and major incidents', needsBrowser, () => {
  const { open } = consoleBrowser()

  test('fits its screen: nothing is below the fold, and the newest alarm is always seen', async (t) => {
    const now = Date.now()
    const by = { kind: 'contact', name: 'Alexander' } as const
    const answer = { by, kind: 'coming', etaMinutes: 30, overdue: true, at: new Date(now).toISOString() } as const
    const itemAt = (n: number): Item =>
      itemOf(n + 10, now, {
        presses: (n % 4) + 1,
        lateSeconds: n % 5 === 0 ? 9_000 : null,
        new: n % 2 === 0,
        ...(n % 7 === 0 && { major: { id: idOf(17), startedAt: new Date(now).toISOString(), assignedTo: 'Team 2' } }),
        ...(n % 3 === 0 && { urgency: 3, status: 'acknowledged', answer }),
      })
    const { page, api } = await open(t, { at: '#/wall', open: [] })
    // By urgency alone, the newest would be the last.
    const newest = itemOf(1, now, { urgency: 3, openedAt: new Date(now).toISOString() })
    api.add({ ...newest, person: { ...newest.person, name: 'Newest of all' } })
    api.add(itemOf(400, now, { drill: true }))
    await page.locator('.wall-drills').waitFor()
    let count = 1
    for (const wanted of [1, 8, 25, 200]) {
      for (; count < wanted; count++) api.add(itemAt(count))
      await page.getByRole('heading', { name: new RegExp(`^${wanted} open alarms?$`) }).waitFor()
      for (const [width, height] of SCREENS) {
        await page.setViewportSize({ width, height })
        let found: Measured | null = null
        const isSound = async (): Promise<boolean> => {
          const { shown, more, ...rest } = await page.evaluate<Measured>(MEASURED)
          found = { shown, more, ...rest }
          const enough = shown + more === wanted && shown >= Math.min(wanted, 50)
          return enough && isDeepStrictEqual(rest, { ...SOUND, counted: wanted })
        }
        await until('it fits', isSound).catch(() => {
          assert.fail(`${wanted} alarms at ${width} × ${height}: ${JSON.stringify(found)}`)
        })
      }
    }
    // Taken, and pressed again: of two hundred, it is shown, and why.
    api.change(idOf(150), { urgency: 4, news: { what: 'pressed_again', at: new Date(now).toISOString() } })
    await page.locator('.wall ol > li').getByText('pressed again').waitFor()
    // The screen of a district: what it hides, and how much of that needs somebody, stands on it.
    const far = { latitude: 52.5, longitude: 13.4, altitude: null, at: new Date(now).toISOString() }
    const elsewhere = itemOf(500, now, { applicationId: idOf(501), applicationName: 'Elsewhere', position: far })
    api.add(elsewhere)
    await until('its map holds the alarm that has just come far away', () => page.evaluate<boolean>(PINS_ARE_IN_MAP))
    await page.evaluate(`location.hash = '#/wall?app=${elsewhere.applicationId}'`)
    await page.getByRole('heading', { name: '1 open alarm' }).waitFor()
    assert.equal(await page.locator('.wall ol > li').count(), 1)
    await page.locator('.wall-foot .hides').getByText('1 of 201 alarms are shown here.').waitFor()
    await page.evaluate(`location.hash = '#/wall?app=${idOf(502)}'`)
    await page.getByText('0 of 201 alarms are shown here.').waitFor()
    assert.equal(await page.locator('.all-quiet').count(), 0, 'what is hidden is not quiet')
    // Left for the board, it is a screen of the shift.
    await page.evaluate("location.hash = '#/'")
    await page.getByText('Ivo Early').waitFor()
  })

  test('a network that is cut in a major incident: who is not done is named, and nothing is done twice or forgotten', async (t) => {
    const now = Date.now()
    const major = { id: idOf(0), startedAt: new Date(now).toISOString() }
    const { page, api } = await open(t, {
      ...{ signedOut: true, at: `#/major/${idOf(0)}`, expected: /status of (40[139]|503)|ERR_/ },
      open: [0, 1, 2].map((n) => itemOf(n, now, { major })),
    })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    const { acts } = api.state
    const dialog = page.getByRole('dialog')
    const all = page.getByRole('checkbox', { name: 'Choose all' })
    const begins = async (act: string, field: string, text: string): Promise<void> => {
      await all.check()
      await page.getByRole('button', { name: act, exact: true }).click()
      await dialog.getByLabel(field).fill(text)
    }
    /** The service acts, and its answer is lost, once. */
    const loses = (n: number, path: string) =>
      page.route(
        ({ pathname }) => pathname.endsWith(`${idOf(n)}/${path}`),
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )

    // No way there: what was typed and who was chosen stay, and the next press does it.
    await begins('Assign', 'Who looks after them', 'Team 2')
    api.state.cutOff = true
    await dialog.getByRole('button', { name: 'Assign 3' }).click()
    await dialog.getByText(/^NOT done, still chosen: .*, .*, /).waitFor()
    assert.deepEqual([acts.splice(0), await dialog.getByLabel('Who looks after them').inputValue()], [[], 'Team 2'])
    api.state.cutOff = false
    await dialog.getByRole('button', { name: 'Assign 3' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(acts.splice(0), ['major', 'major', 'major'])
    assert.ok([0, 1, 2].every((n) => api.cases.get(idOf(n))?.incident.major?.assignedTo === 'Team 2'))

    // No way back: nobody knows whether it was done. It is said of that one, and pressed again it is not done twice.
    for (const [act, field, path, yes] of [
      ['Note', 'Note on each of them', 'notes', 'Save on'],
      ['Message', 'Message to each of them', 'messages', 'Send to'],
    ] as const) {
      await loses(1, path)
      await begins(act, field, 'Avalanche below the ridge')
      await dialog.getByRole('button', { name: `${yes} 3` }).click()
      await dialog.getByText('NOT done, still chosen: Jonas Weber', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: `${yes} 1` }).click()
      await dialog.waitFor({ state: 'detached' })
      assert.deepEqual(acts.splice(0), [path, path, path, path])
    }
    for (const n of [0, 1, 2]) {
      const { notes, talk } = api.cases.get(idOf(n))!
      assert.deepEqual([notes.length, talk.items.length], [1, 1])
    }

    // A take is tried again for 15 s, of the one alarm that is shown.
    await page.getByRole('button', { name: 'Take one by one (3)' }).click()
    const heading = (n: number) => dialog.getByRole('heading', { name: `Take: ${n} of 3` })
    await heading(1).waitFor()
    api.state.cutOff = true
    await page.keyboard.press('Enter')
    for (let second = 0; second < 16; second += 1) await page.clock.runFor(1000)
    await dialog.getByText('NOT taken: no connection.').waitFor()
    assert.equal(await heading(1).isVisible(), true)
    api.state.cutOff = false
    for (let second = 0; second < 16; second += 1) await page.clock.runFor(1000)
    assert.deepEqual(acts, [], 'nothing is taken later')
    await page.keyboard.press('Enter')
    await heading(2).waitFor()
    await page.keyboard.press('ArrowRight')
    await heading(3).waitFor()
    assert.deepEqual(acts, ['take presses=1'])
  })

  test('a major incident: one click groups and stops nothing; each is taken and ended by itself, by name', async (t) => {
    const now = Date.now()
    const taken = { urgency: 4, status: 'acknowledged' } as const
    const ivo = { operatorId: idOf(7001), name: 'Ivo Early', at: new Date(now).toISOString() }
    const far = { latitude: 48, longitude: 12, altitude: null, at: new Date(now).toISOString() }
    const { page, api } = await open(t, {
      open: [
        ...[0, 1, 2].map((n) => itemOf(n, now, { new: true })),
        itemOf(3, now, { ...taken, takenBy: ivo, pressedAt: new Date(now - 60_000).toISOString() }),
        itemOf(4, now, { position: far }),
        itemOf(5, now, { drill: true }),
      ],
    })
    const { acts } = api.state
    const row = (name: string) => page.locator('.major-table tr', { hasText: name })
    await page.getByText(/^4 alarms within 1 km and 30 min, the first at/).waitFor()
    await page.getByRole('button', { name: 'Open as one' }).click()
    await page.getByRole('heading', { name: /^Major incident since/ }).waitFor()
    await until('all are in it', async () => (await page.locator('.major-table tbody tr').count()) === 4)
    assert.deepEqual(acts.splice(0), ['major', 'major', 'major', 'major'], 'and nothing else was asked for')
    assert.ok([0, 1, 2].every((n) => api.cases.get(idOf(n))?.incident.new))
    const csv = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
    assert.match(String(csv), /^\/v1\/operator\/major-incidents\/[0-9a-f-]{36}\/people\.csv$/)

    // Nothing is chosen by itself, and what is done to several names them first.
    const assign = page.getByRole('button', { name: 'Assign', exact: true })
    assert.equal(await assign.isDisabled(), true)
    await page.getByRole('checkbox', { name: 'Choose Jonas Weber' }).check()
    await page.getByRole('checkbox', { name: 'Choose Mia Gruber' }).check()
    await assign.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Mia Gruber, Jonas Weber|Jonas Weber, Mia Gruber/).waitFor()
    await dialog.getByLabel('Who looks after them').fill('Team 2')
    await dialog.getByRole('button', { name: 'Assign 2' }).click()
    await dialog.waitFor({ state: 'detached' })
    await row('Mia Gruber').getByText('Team 2').waitFor()
    await page.getByRole('checkbox', { name: 'Choose all' }).check()
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    await dialog.getByLabel('Note on each of them').fill('Avalanche below the ridge')
    await dialog.getByRole('button', { name: 'Save on 4' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Choose Élodie Martin' }).check()
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await dialog.getByRole('button', { name: 'Mark as seen' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(acts.splice(0), ['major', 'major', 'notes', 'notes', 'notes', 'notes'])
    assert.equal(api.cases.get(idOf(2))?.incident.new, false)
    assert.ok([0, 1, 2].every((n) => api.cases.get(idOf(n))?.incident.urgency === 1))

    // A later alarm is shown, and grouped by nobody.
    api.add(
      itemOf(7, now, { new: true, person: { name: `Late Lea${'a'.repeat(90)}`, phone: null, externalId: 'lea' } }),
    )
    await page.getByRole('region', { name: 'New nearby' }).getByText('Late Lea').waitFor()
    await page.getByRole('button', { name: 'Add: Late Lea' }).click()
    await row('Late Lea').waitFor()
    const isWhole =
      "document.querySelector('.major .scroll').scrollWidth <= document.querySelector('.major .scroll').clientWidth"
    assert.equal(await page.evaluate(isWhole), true, 'a long name hides no head count')
    acts.splice(0)

    // Take: Enter takes the one that is shown, the arrow skips; a held key and a double click take no second one.
    await page.getByRole('button', { name: 'Take one by one (4)' }).click()
    await dialog.getByRole('heading', { name: 'Take: 1 of 4' }).waitFor()
    // Whoever is about to stop or skip takes nothing because another alarm has changed.
    const stop = dialog.getByRole('button', { name: 'Stop' })
    await stop.focus()
    api.change(idOf(3), { presses: 3 })
    await row('Paolo Conti').getByText('3 presses').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Stop')
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('heading', { name: 'Take: 2 of 4' }).waitFor()
    await page.keyboard.down('Enter')
    await dialog.getByRole('heading', { name: 'Take: 3 of 4' }).waitFor()
    // Playwright marks it as repeated.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await dialog.getByRole('button', { name: 'Take', exact: true }).click({ clickCount: 2 })
    await dialog.getByRole('heading', { name: 'Take: 4 of 4' }).waitFor()
    api.state.conflict = 'Pressed again.'
    api.state.conflictReason = 'pressed_again'
    await page.keyboard.press('Enter')
    await dialog.getByText('The person has pressed again. Look, then press once more.').waitFor()
    api.state.conflict = null
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(acts.splice(0), ['take presses=1', 'take presses=1'])

    // End: only who is counted, by name, with what the list showed; what changed meanwhile is not ended.
    const end = page.getByRole('button', { name: /^End \(/ })
    assert.equal(await end.isDisabled(), true)
    for (const name of ['Mia Gruber', 'Jonas Weber', 'Paolo Conti']) {
      await row(name).getByRole('button', { name: 'Safe' }).click()
      await row(name).locator('[aria-pressed="true"]', { hasText: 'Safe' }).waitFor()
    }
    await page.getByRole('button', { name: 'End (3)' }).click()
    await dialog.getByText('Paolo Conti (Ivo Early has it)').waitFor()
    assert.equal(await dialog.locator('.ends > li').count(), 2)
    assert.deepEqual(await axeFindings(page), [])
    api.state.conflict = 'Pressed again.'
    await dialog.getByRole('button', { name: 'End these 2 alarms' }).click()
    await dialog.getByText('The person has pressed again.').nth(1).waitFor()
    assert.equal(await dialog.getByText('NOT ENDED', { exact: true }).count(), 2)
    api.state.conflict = null
    await dialog.getByRole('button', { name: 'Close' }).click()
    acts.splice(0)
    await page.getByRole('button', { name: 'End (3)' }).click()
    await dialog.getByRole('button', { name: 'End these 2 alarms' }).click()
    await dialog.getByText('✓ ended').nth(1).waitFor()
    assert.deepEqual(acts.splice(0), ['major/resolve', 'major/resolve'])
    const ended: unknown = api.cases.get(idOf(0))?.incident.closing
    const { major, presses, outcome } = ended as Record<string, unknown>
    assert.deepEqual([major, presses, outcome], [api.cases.get(idOf(3))?.incident.major?.id, 1, 'found_safe'])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.locator('.head-count .safe dd', { hasText: '3' }).waitFor()

    assert.deepEqual(await axeFindings(page), [])
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByText('Printed by Eva Night', { exact: false }).isVisible(), true)
    assert.equal(await page.getByRole('button', { name: 'Take one by one' }).isVisible(), false)
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 320, height: 800 })
    for (const language of ['de', 'fr', 'it', 'es', 'en']) {
      await page.evaluate("document.querySelector('.account').open = true")
      await page.locator('.account select').selectOption(language)
      await page.locator(`html[lang=${language}]`).waitFor()
      const sides = "[document.documentElement.scrollWidth, document.querySelector('.major .scroll').scrollWidth]"
      const [whole, table] = await page.evaluate<readonly [number, number]>(sides)
      assert.ok(whole! <= 320 && table! <= 320, `${language}: ${whole} and ${table} px`)
    }
  })
})
