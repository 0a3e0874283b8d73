import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOST_NAME } from '../../src/adapters/platform/tls/names.ts'
import { PLACES_WITH_LETTERS } from '../../src/core/message/sms-sos.ts'
import { expressionsIn, expressionsOfTheSources } from './expressions.ts'
import { worstCaseMs } from './worst-case.ts'

const { literals, calls } = expressionsOfTheSources()

/** Expressions built from texts, by the file that builds them. */
const made: readonly (readonly [place: string, RegExp])[] = [
  ['src/adapters/platform/tls/names.ts', HOST_NAME],
  ...PLACES_WITH_LETTERS.map((pattern) => ['src/core/message/sms-sos.ts', pattern] as const),
]

test('no regular expression in the sources takes more than linear time, whatever its input', (t) => {
  const slow: string[] = []
  let worst = { place: '', ms: 0 }
  const all = [...literals, ...made.map(([place, { source, flags }]) => ({ place, source, flags }))]
  for (const { place, source, flags } of all) {
    const ms = worstCaseMs(source, flags)
    if (ms === null) slow.push(`${place} /${source}/${flags}`)
    else if (ms > worst.ms) worst = { place, ms }
  }
  t.diagnostic(`${all.length} expressions; the slowest takes ${worst.ms.toFixed(1)} ms for 64 KB: ${worst.place}`)
  assert.deepEqual(slow, [])
})

for (const [source, flags] of [
  ['\\u0000+$', 'g'],
  ['^\\uFEFF|\\u0000+$', 'g'],
  ['\\s*[\\r\\n]+\\s*', 'g'],
  ['\\/+$', ''],
  ['https?:\\/\\/\\S+\\/t\\/[\\w-]+', ''],
  ['^bearer +(.+)$', 'i'],
  ['^(a+)+$', ''],
] as const) {
  test(`control: /${source}/${flags} is detected as slow`, () => assert.equal(worstCaseMs(source, flags), null))
}

test('the expressions built from texts are among those tested', () => {
  assert.deepEqual(
    calls.map((place) => place.split(':')[0]),
    made.map(([place]) => place),
  )
})

test('control: expressions are found everywhere, and divisions, comments and texts are not taken for any', () => {
  const text = [
    'const a = /one/g // not /this/',
    'const half = a.length / 2 / b /* nor /this/ */',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    "const text = 'it\\'s /not/' + `nor /this/ but ${c.replace(/two[/]\\//u, `${d / 2}`)} / 2`",
    'const [e] = (f / 2).toString().match(/three/) ?? []',
    'if (x) return /four/.test(y) ? z[1] / 2 : { g: /five/ }',
    "const h = new RegExp('six'), i = RegExp(`seven`), j = SomeRegExp(k)",
  ].join('\n')
  const found = expressionsIn(text)
  assert.deepEqual(
    found.literals.map(({ source, flags }) => `${source} ${flags}`),
    ['one g', 'two[/]\\/ u', 'three ', 'four ', 'five '],
  )
  assert.equal(found.calls.length, 2)
})
