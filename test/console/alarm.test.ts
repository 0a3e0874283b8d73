import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Item } from '../../console/api/types.ts'
import {
  type Alarm,
  CHIME_PAUSE_MS,
  chimes,
  hearAll as hearAllAt,
  hear as hearAt,
  isCounted,
  PRESS_PAUSE_MS,
  quiet,
  ringing,
  SILENCE_MS,
  silence,
  waiting,
} from '../../console/logic/alarm.ts'
import { itemOf } from './items.ts'

const NOW = Date.parse('2026-03-01T02:00:00Z')
const item = (over: Partial<Item> = {}): Item => itemOf(1, NOW, { version: 1, ...over })
const hear = (alarm: Alarm, ...items: readonly Item[]) => hearAt(alarm, NOW, ...items)
const hearAll = (alarm: Alarm, items: readonly Item[]) => hearAllAt(alarm, NOW, items)
const rings = (alarm: Alarm, at = NOW) => ringing(alarm, at, at)

suite('the alarm of a screen', () => {
  test('a new incident rings until somebody answers, and again where that somebody is overdue or withdraws', () => {
    const pressed = hear(quiet, item())
    assert.equal(rings(quiet), null)
    assert.equal(rings(pressed), 'alarm')
    const answered = hear(pressed, item({ version: 2, urgency: 3 }))
    assert.equal(rings(answered), null)
    assert.equal(rings(hear(answered, item({ version: 3, urgency: 2 }))), 'alarm')
    assert.equal(rings(hear(answered, item({ version: 3, urgency: 4 }))), null)
  })

  const silenced = silence(hear(quiet, item()), NOW)
  test('a silence lasts five minutes on this screen, then it rings on', () => {
    assert.equal(rings(silenced, NOW + SILENCE_MS - 1), null)
    assert.equal(rings(silenced, NOW + SILENCE_MS), 'alarm')
  })

  const through: readonly (readonly [what: string, news: Item, ends: boolean])[] = [
    ['another press', item({ version: 2, presses: 2 }), true],
    ['the round after one that nobody answered', item({ version: 2, round: 2 }), true],
    ['that no message gets through', item({ version: 2, urgency: 0 }), true],
    ['another incident', itemOf(2, NOW), true],
    ['a receipt', item({ version: 2 }), false],
    ['an answer', item({ version: 2, urgency: 3 }), false],
    ['older news', item({ version: 0, presses: 9 }), false],
  ]
  for (const [what, news, ends] of through) {
    test(`${what} ${ends ? 'ends' : 'does not end'} the silence`, () => {
      assert.equal(hear(silenced, news).silencedUntil === 0, ends)
    })
  }

  test('an exercise never rings and ends no silence, wherever it comes from; a simulated SOS does', () => {
    const drill = itemOf(2, NOW, { urgency: 0, drill: true, presses: 9 })
    assert.equal(rings(hear(quiet, drill)), null)
    assert.equal(waiting(hearAll(quiet, [drill])), 0)
    assert.notEqual(hear(silenced, drill).silencedUntil, 0)
    assert.equal(rings(hear(quiet, { ...drill, simulated: true })), 'alarm')
  })

  test('an exercise that begins is one tone a minute, and none while anything rings or somebody asked for quiet', () => {
    assert.equal(chimes(quiet, NOW, NOW, null), true)
    assert.equal(chimes(quiet, NOW, NOW, NOW - CHIME_PAUSE_MS + 1), false)
    assert.equal(chimes(quiet, NOW, NOW, NOW - CHIME_PAUSE_MS), true)
    assert.equal(chimes(hear(quiet, item()), NOW, NOW, null), false)
    assert.equal(chimes(silence(quiet, NOW), NOW + 1, NOW, null), false)
    assert.equal(chimes(quiet, NOW + 40_000, NOW, null), false)
  })

  test('a withdrawn answer rings through a silence', () => {
    const answered = hear(silenced, item({ version: 2, urgency: 3 }))
    assert.equal(rings(hear(answered, item({ version: 3, urgency: 1 }))), 'alarm')
  })

  suite('a tracker that presses by itself, on an alarm that an operator has', () => {
    const at = (latitude: number) => ({ ...item().position!, latitude })
    const press = (presses: number, over: Partial<Item> = {}) =>
      item({
        ...{ version: 2 * presses, presses, urgency: 4, position: at(47) },
        ...{ news: { what: 'pressed_again', at: '2026-03-01T02:00:00Z' } },
        ...over,
      })
    /** An operator has looked. */
    const seen = (presses: number): Item => {
      const { news: _, ...looked } = press(presses, { version: 2 * presses + 1 })
      return looked
    }
    const rang = hearAt(hear(quiet, press(1)), NOW, seen(1))
    const second = hearAt(rang, NOW + 60_000, press(2))

    test('rings once, is then counted with one tone, and rings again after five minutes unless somebody looks', () => {
      assert.equal(rings(hear(quiet, press(1))), 'alarm')
      assert.equal(rings(rang), null)
      assert.deepEqual([rings(second, NOW + 60_000), isCounted(rang, second, press(2).incidentId)], [null, true])
      assert.equal(
        isCounted(second, hearAt(second, NOW + 61_000, press(2, { version: 5 })), press(2).incidentId),
        false,
      )
      assert.equal(waiting(second), 1, 'it waits for a look')
      assert.equal(rings(second, NOW + PRESS_PAUSE_MS), 'alarm')
      assert.equal(rings(hearAt(second, NOW + PRESS_PAUSE_MS, press(3)), NOW + PRESS_PAUSE_MS), 'alarm')
      assert.equal(rings(hearAt(second, NOW + 90_000, seen(2)), NOW + PRESS_PAUSE_MS), null)
      assert.notEqual(hearAt(silence(rang, NOW), NOW + 60_000, press(2)).silencedUntil, 0)
    })

    const real: readonly (readonly [what: string, Partial<Item>])[] = [
      ['from another place', { position: at(47.002) }],
      ['with a position from another source', { position: { ...at(47), source: 'device' } }],
      ['when the position is lost', { position: null }],
      ['that alarms the contacts again', { urgency: 1 }],
      ['while a contact helps, and no operator has it', { urgency: 3 }],
      ['and the helper is lost', { news: { what: 'helper_lost', at: '2026-03-01T02:00:00Z' } }],
    ]
    for (const [what, over] of real) {
      test(`a press ${what} rings at once`, () =>
        assert.equal(rings(hearAt(rang, NOW + 60_000, press(2, over)), NOW + 60_000), 'alarm'))
    }

    test('what still rings goes on, and a clock that was set back delays nothing', () => {
      const ringing = hear(quiet, press(1))
      assert.equal(rings(hearAt(ringing, NOW + 60_000, press(2)), NOW + 60_000), 'alarm')
      assert.equal(rings(second, NOW - 1), 'alarm')
      assert.equal(rings(hearAt(rang, NOW - PRESS_PAUSE_MS, press(2)), NOW - PRESS_PAUSE_MS), 'alarm')
    })
  })

  test('what is closed, or no longer on the board when it is read again, is over', () => {
    const two = hear(hear(quiet, item()), itemOf(2, NOW))
    assert.equal(waiting(two), 2)
    assert.equal(waiting(hear(two, item({ version: 2, status: 'resolved', urgency: 5 }))), 1)
    assert.equal(waiting(hearAll(two, [item({ version: 2 })])), 1)
  })

  test('reading the board again ends no silence', () => {
    assert.equal(rings(hearAll(silenced, [item()])), null)
  })

  test('without news for more than two heartbeats the screen says so, unless it is silenced then', () => {
    assert.equal(ringing(quiet, NOW + 30_000, NOW), null)
    assert.equal(ringing(quiet, NOW + 30_001, NOW), 'lost')
    assert.equal(ringing(quiet, NOW + 90_000, null), null)
    assert.equal(ringing(silence(quiet, NOW + 40_000), NOW + 60_000, NOW), null)
    assert.equal(ringing(hear(quiet, item()), NOW + 60_000, NOW), 'alarm')
  })

  test('a silence from before the connection was lost does not hide the loss', () => {
    assert.equal(ringing(silenced, NOW + 40_000, NOW), 'lost')
    assert.equal(ringing(silence(silenced, NOW + 40_000), NOW + 50_000, NOW), null)
  })

  test('a clock that is set back makes no silence longer', () => {
    assert.equal(rings(silenced, NOW - 3_600_000), 'alarm')
  })
})
