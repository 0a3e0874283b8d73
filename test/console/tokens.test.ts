import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'

const css = readFileSync(new URL('../../console/style/tokens.css', import.meta.url), 'utf8')
const page = readFileSync(new URL('../../src/adapters/inbound/http/tracking/style.ts', import.meta.url), 'utf8')
const [day = '', night = ''] = css.split('@media (prefers-color-scheme: dark)')
const coloursOf = (part: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...part.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map(([, name, colour]) => [name!, colour!]))

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const full = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
const contrast = (a: string, b: string): number => {
  const [light, dark] = [luminance(a), luminance(b)].sort((one, other) => other - one)
  return (light! + 0.05) / (dark! + 0.05)
}

const GROUNDS = ['ground', 'card', 'raised', 'sunk'] as const
const TEXTS = ['text', 'quiet', 'link', 'red', 'amber', 'green', 'drill'] as const

suite('the palette', () => {
  for (const [theme, colours] of [
    ['day', coloursOf(day)],
    ['night', { ...coloursOf(day), ...coloursOf(night) }],
  ] as const) {
    test(`by ${theme}, every text can be read on every ground`, () => {
      const pairs = [
        ...GROUNDS.flatMap((ground) => TEXTS.map((text) => [text, ground] as const)),
        ...(['red', 'amber', 'green', 'drill'] as const).flatMap((name) => [
          [name, `${name}-soft`] as const,
          ['text', `${name}-soft`] as const,
          ['card', name] as const,
        ]),
        ...(['on-main', 'main'] as const).map(() => ['on-main', 'main'] as const),
        ['card', 'grey'] as const,
        ['quiet', 'red-soft'] as const,
      ]
      const unreadable = pairs
        .map(([text, ground]) => [text, ground, contrast(colours[text]!, colours[ground]!)] as const)
        .filter(([, , ratio]) => ratio < 4.5)
      assert.deepEqual(unreadable, [])
    })

    test(`by ${theme}, the edge of a field can be seen`, () => {
      for (const ground of ['ground', 'card', 'raised'] as const)
        assert.ok(contrast(colours.edge!, colours[ground]!) >= 3, `${theme}: ${ground}`)
    })
  }

  test('by night, no ground is brighter than an alarm', () => {
    const colours = coloursOf(night)
    const alarm = luminance(colours.red!)
    const others = Object.entries(colours).filter(([name]) =>
      /^(ground|card|raised|sunk|main|green|drill|.*-soft)$/.test(name),
    )
    const brighter = others.filter(([name, colour]) => !/^(green|drill)$/.test(name) && luminance(colour) >= alarm)
    assert.deepEqual(brighter, [])
  })

  test('the tracking page has no colour of its own', () => {
    const known = new Set(Object.values({ ...coloursOf(night) }).concat(Object.values(coloursOf(day))))
    const used = [...page.matchAll(/#[0-9a-f]{3,6}\b/g)].map(([colour]) => colour)
    assert.ok(used.length > 20)
    assert.deepEqual(
      used.filter((colour) => !known.has(colour)),
      [],
    )
  })
})
