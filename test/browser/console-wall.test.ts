import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../../console/api/types.ts'
import { idOf, itemOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { consoleBrowser } from './console-page.ts'

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
const SOUND = { scrolls: false, outside: 0, covered: 0, cut: 0, small: 0, mapBeside: true, hasMap: true, newest: true }

suite('the console in a browser: the wall', needsBrowser, () => {
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
    // The screen of a district: what it hides, and how much of that needs somebody, stands on it.
    const elsewhere = itemOf(500, now, { applicationId: idOf(501), applicationName: 'Elsewhere' })
    api.add(elsewhere)
    await page.evaluate(`location.hash = '#/wall?app=${elsewhere.applicationId}'`)
    await page.getByRole('heading', { name: '1 open alarm' }).waitFor()
    assert.equal(await page.locator('.wall ol > li').count(), 1)
    await page.locator('.wall-foot .hides').getByText('1 of 201 alarms are shown here.').waitFor()
  })
})
