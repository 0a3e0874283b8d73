import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stuckButton } from '../../prove/attacks/stuck-button.ts'
import { CannotRun } from '../../prove/ground.ts'
import { type Part, runPart } from '../../prove/part.ts'
import { kill } from '../../prove/parts/kill.ts'
import { asMarkdown, asText, compared } from '../../prove/report.ts'
import { rowOf } from '../../prove/row.ts'
import { quick } from '../../prove/size.ts'

/** One kill and one attack: checks that the proof still works, not what it proves. */
suite('the smallest cut of npm run prove', { concurrency: true }, () => {
  for (const part of [kill, stuckButton]) {
    test(part.name, async (t) => {
      const [row, ...more] = await runPart(part, quick)
      assert.ok(row !== undefined && more.length === 0)
      t.diagnostic(asText([row]))
      assert.equal(row.skipped, null)
      assert.deepEqual(row.faults, [])
      assert.ok(row.acknowledged! > 0)
      assert.equal(row.lost, 0)
      assert.ok(row.sos!.presses > 0 && row.sos!.p50Ms > 0)
      assert.ok(row.rssMaxMb! > 50 && row.descriptorsMax! > 20)
    })
  }
})

const partThat = (run: Part['run']): Part => ({ name: 'part', what: 'something', run })

test('a part that cannot run here says why, one that breaks or does not end is a row too, and all end what they began', async () => {
  const ended: string[] = []
  const begins =
    (name: string): Part['run'] =>
    async (ground) => {
      ground.after(() => ended.push(`${name}, first`))
      ground.after(() => ended.push(`${name}, second`))
      if (name === 'lacks') throw new CannotRun('needs root')
      if (name === 'breaks') throw new Error('the store is gone\n  and more')
      return new Promise(() => {})
    }
  const size = { ...quick, timeoutMs: 20 }
  const rows = await Promise.all(['lacks', 'breaks', 'hangs'].map((name) => runPart(partThat(begins(name)), size)))
  const told = rows.flat().map(({ skipped, remark }) => skipped ?? remark)
  assert.deepEqual(told, ['needs root', 'BROKE: the store is gone', 'BROKE: not over after 0.02 s'])
  for (const name of ['lacks', 'breaks', 'hangs']) {
    assert.deepEqual(
      ended.filter((one) => one.startsWith(name)),
      [`${name}, second`, `${name}, first`],
    )
  }
})

test('the table shows what there is, and nothing if there is nothing to count', () => {
  const sos = { quietP50Ms: 4, presses: 9, pubackP50Ms: 3, pubackMaxMs: 4, p50Ms: 4.25, maxMs: 24_321 }
  const row = rowOf({ part: 'stuck-button', what: 'A | B', acknowledged: 1234, lost: 0, sos, rssMaxMb: 200 })
  const [, , line] = asMarkdown([row]).split('\n')
  assert.equal(line, '| stuck-button | A \\| B | 1,234 |  | 0 |  |  | 4.0 ms | 4.3 ms | 24.3 s | 200 MB |  |  |')
  const missing = rowOf({ part: 'power-cut', what: 'the power goes', skipped: 'needs root' })
  assert.match(asText([missing]), /NOT RUN: needs root/)
  const now = { ...row, sos: { ...sos, maxMs: 31 }, rssMaxMb: 190 }
  assert.match(
    compared([now, missing], [row]),
    /^\| stuck-button \| A \\\| B \| 0 → 0 \| .* \| 24\.3 s → 31 ms \| 200 MB → 190 MB \|/m,
  )
})
